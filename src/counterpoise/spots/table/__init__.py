"""Spots at the table: the game that a spot file describes, and an agent that follows a solution.

The catalogues of games and agents import these modules when a name asks for them.
"""
