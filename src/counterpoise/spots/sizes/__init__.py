"""Which bet sizes a player of a spot should have: the best few (`optimise`), or as few as cost little (`simplify`)."""
