"""Choose the bet sizes of a player of a spot: the best few (`optimise`), or the fewest that cost little
(`simplify`)."""
