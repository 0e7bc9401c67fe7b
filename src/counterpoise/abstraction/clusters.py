"""Clusters of starting hands for opponent cluster hand strength (Johanson 2016, section 5.3.2, OCHS)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.emd import cumulative
from counterpoise.abstraction.features import Histogram
from counterpoise.abstraction.kmeans import KMeans
from counterpoise.abstraction.strength import HoldemCards
from counterpoise.cards import STANDARD_DECK, Deck, Range, isomorphism
from counterpoise.jobs.pieces import Work

CLUSTERS = (
    "32o,42o,52o,62o,72o,82o,83o,43o,53o,63o,73o,54o,64o,74o,65o,32s,42s,52s,62s,72s,43s,53s,63s,73s,54s,64s",
    "75o,84o,85o,95o-92o,T5o-T2o,J2o,J3o,74s,84s-82s,94s-92s,T2s",
    "76o,86o,87o,98o-96o,T8o-T6o,65s,75s,76s,87s-85s,98s-95s,T6s-T3s",
    "22,J7o-J4o,Q7o-Q2o,K4o-K2o,J6s-J2s,Q5s-Q2s,K2s",
    "T9o,JTo-J8o,QJo-Q8o,T9s-T7s,JTs-J7s,Q9s-Q6s",
    "55-33,K9o-K5o,A8o-A2o,K8s-K3s,A6s-A2s",
    "66,77,KQo-KTo,AKo-A9o,QTs,QJs,KQs-K9s,AKs-A7s",
    "AA-88",
)
"""The eight clusters of the 169 starting hands, weak to strong."""


def published_clusters() -> NDArray[np.uint8]:
    """Return the published cluster of each of the 1,326 hands."""
    found = np.zeros(STANDARD_DECK.hand_count, dtype=np.uint8)
    for number, text in enumerate(CLUSTERS):
        found[Range.from_string(text).weights > 0] = number
    return found


def kmeans_clusters(cards: HoldemCards, wins: NDArray[np.uint16], count: int, work: Work) -> NDArray[np.uint8]:
    """Return clusters of starting hands by k-means with earth mover's distance on histograms of final strength.

    Hands are weighted by their number of deals; clusters are numbered from weak to strong.
    """
    hands = _starting_hands(cards.deck)
    classes, first, inverse, sizes = np.unique(hands, return_index=True, return_inverse=True, return_counts=True)
    histograms = Histogram(cards, 0, wins).points(np.zeros(len(first), dtype=np.int64), first)
    settings = KMeans(min(count, len(classes)), metric="emd", restarts=20)
    found = settings.fit(cumulative(histograms), sizes.astype(np.float64), work)
    weak_first = np.argsort(-found.centres.sum(axis=1))  # much mass at low strength means a high cumulative sum
    return np.argsort(weak_first)[found.labels][inverse].astype(np.uint8)


def _starting_hands(deck: Deck) -> NDArray[np.int64]:
    return isomorphism((2,), deck).index(deck.hands)
