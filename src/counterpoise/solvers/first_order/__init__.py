"""First-order methods: the excessive gap technique."""
