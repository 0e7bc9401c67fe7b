"""Walks of public games in buckets, on drawn boards: all boards are enumerated, hands share the tables of their bucket.

`BucketTables` is the order of tables, `BoardWalks` the vectors of hands on full boards (public chance sampling and its
family, CFR in buckets, CFR-BR), `external` walks of single hands. `best_response` and `matches` judge what they find.
"""
