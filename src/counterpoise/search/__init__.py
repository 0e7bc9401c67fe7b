"""Search: solve a part of a game again while the whole stays safe."""

from counterpoise.search.search import SearchResult, search
from counterpoise.search.subgame import Subgame, subgame

__all__ = ["SearchResult", "Subgame", "search", "subgame"]
