"""Card names shared by the small card games: one letter per rank, ace low, and one per suit."""

RANKS = "A23456789TJQK"
SUITS = "shdc"


def top_ranks(count: int) -> str:
    """Return the `count` highest ranks, lowest first: three of them are jack, queen and king.

    >>> top_ranks(3)
    'JQK'
    """
    return RANKS[-count:]
