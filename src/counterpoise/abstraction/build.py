"""Building an abstraction: a job whose steps are clusters, public buckets and streets, kept on disk when they are done.

A street takes long, and what it is made of is kept, too: a step that is cancelled in its midst leaves that behind.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoise.abstraction.boards import orders
from counterpoise.abstraction.cache import Arrays, Cache, Check, Steps
from counterpoise.abstraction.checking import StepChecks
from counterpoise.abstraction.clusters import CLUSTERS, kmeans_clusters, published_clusters
from counterpoise.abstraction.config import AbstractionConfig, parse_name, read_config
from counterpoise.abstraction.estimate import check_resources, estimate_build
from counterpoise.abstraction.features import Cumulative, Feature, Moments, Ochs, Potential, ochs_tables
from counterpoise.abstraction.groups import Grouping, canonical_rows, public_buckets
from counterpoise.abstraction.kernels.features import sum_after
from counterpoise.abstraction.kernels.kmeans import lloyd_step, nearest
from counterpoise.abstraction.kernels.strength import DEAD, strength_table
from counterpoise.abstraction.keys import clusters_key, public_key, published, street_key
from counterpoise.abstraction.models import Fitted, Model, fit_centres, fit_cuts
from counterpoise.abstraction.rows import RowsOfBoards
from counterpoise.abstraction.strength import last_street_wins
from counterpoise.abstraction.table import CardAbstraction, StreetBuckets, last_street_emd
from counterpoise.cards import Deck
from counterpoise.errors import Cancelled, InputError
from counterpoise.jobs import Driver, JobHistory, JobResult, Limits, UnmeasuredJob, announce_compiling
from counterpoise.jobs.clock import cpu_with_children
from counterpoise.jobs.pieces import Work, available_threads, pieces
from counterpoise.jobs.processes import OtherWorkers, WorkersLike, cpu_elsewhere, other_workers
from counterpoise.parameters import require_whole
from counterpoise.progress import CancelToken, Progress, SilentProgress, as_progress

KERNELS = (strength_table, sum_after)
KMEANS_KERNELS = (lloyd_step, nearest)
COMPILE_SECONDS = 30
"""CPU seconds that compiling all kernels of this package takes on a plain machine."""
BOARDS_AT_ONCE = 32
BOARDS_OF_A_PIECE = 8 * BOARDS_AT_ONCE
"""Boards of a piece of work for another process."""
BOARDS_KEPT = 2048
"""Boards whose rows are kept when they are done."""


def abstraction(
    name: str | os.PathLike[str] | AbstractionConfig,
    buckets: Sequence[int | str] = (),
    *,
    deck: Deck | None = None,
    threads: int | None = None,
    processes: WorkersLike = 1,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
    cancel: CancelToken | None = None,
    **settings: Any,
) -> CardAbstraction:
    """Build the card abstraction that a name (Johanson 2016, section 5.5: "IR-KE-KO") or a TOML file describes.

    `settings` are fields of `AbstractionConfig`, such as ``public=60`` or ``seed=1``. Finished steps are kept in the
    folder `cache` (see `Cache`), so that a build that was stopped or killed continues where it was. When it is
    cancelled, `Cancelled` says what is kept. `processes` are a number of them or a cluster, which compute features of
    boards and look them up; the tables do not depend on them.
    """
    workers = available_threads() if threads is None else threads
    require_whole("threads", workers, 1, 1024)
    if isinstance(name, AbstractionConfig):
        config = name.check()
    elif str(name).lower().endswith(".toml"):
        if buckets or deck or settings:
            raise InputError(f"{name} says everything itself: leave out buckets, deck and settings")
        config = read_config(name)
    else:
        config = parse_name(str(name), buckets, deck, **settings)
    kept = Cache(cache)
    check_resources(config, kept)
    work = Work(workers, as_progress(progress), cancel or CancelToken())
    with work.progress, other_workers(processes) as others:
        work.progress.note(estimate_build(config).sentence())
        announce_compiling(_kernels(config), COMPILE_SECONDS, work.progress)
        job = BuildJob(config, work, kept, others)
        found = Driver(job, Limits(), SilentProgress(), cancel=work.cancel).run()
    if found.table is None:
        raise Cancelled(
            f"the build was stopped with {len(job.built.streets)} of {config.cards.streets} streets finished; all that "
            f"is finished is kept in {kept.folder}: start the same build again to continue"
        )
    return found.table


def _kernels(config: AbstractionConfig) -> tuple[Any, ...]:
    """Return the compiled functions that a build calls; percentiles and canonical hands are no clusters."""
    clustered = config.public or any(street.method not in ("C", "PHS") for street in config.streets)
    return KERNELS + KMEANS_KERNELS if clustered else KERNELS


@dataclass(frozen=True, kw_only=True)
class AbstractionBuild(JobResult):
    """A build that has ended."""

    table: CardAbstraction | None
    """The abstraction; None if the build was stopped before."""


@dataclass
class BuiltParts:
    """What a build has finished so far."""

    cluster_of: NDArray[np.uint8] | None = None
    """The opponent cluster of every starting hand, where a street needs them."""
    public: NDArray[np.int32] | None = None
    """The public bucket of every flop, where there are some."""
    streets: dict[int, StreetBuckets] = field(default_factory=dict)


class BuildJob(UnmeasuredJob[AbstractionBuild]):
    """A build at work; a step makes the opponent clusters, the public buckets or the next street."""

    batch_seconds = None
    clocked = "everything"

    def __init__(self, config: AbstractionConfig, work: Work, cache: Cache, workers: OtherWorkers | None) -> None:
        self.workers = workers
        self.config, self.work, self.cache, self.cards = config, work, cache, config.cards
        self.built = BuiltParts()
        self.checks = StepChecks(config)
        self._wins: NDArray[np.uint16] | None = None
        self._ochs: dict[int, NDArray[np.float32]] | None = None
        self.steps: list[Callable[[], None]] = []
        if any(street.method == "KO" for street in config.streets):
            self.steps.append(self._add_clusters)
        if config.public:
            self.steps.append(self._add_public)
        order = range(self.cards.streets) if config.recall == "perfect" else range(self.cards.last, -1, -1)
        self.steps += [partial(self._add_street, street) for street in order]

    @property
    def iteration(self) -> int:
        """Finished steps."""
        built = self.built
        return (built.cluster_of is not None) + (built.public is not None) + len(built.streets)

    @property
    def finished(self) -> bool:
        """Whether every step is finished."""
        return self.iteration == len(self.steps)

    def step(self, iterations: int) -> None:
        """Do the next step, or as much of it as was done before it was cancelled."""
        with suppress(Cancelled):
            self.steps[self.iteration]()

    def state(self) -> BuiltParts:
        """Return what is finished, whose arrays do not change any more."""
        return replace(self.built, streets=dict(self.built.streets))

    def restore(self, state: BuiltParts) -> None:
        """Continue after the steps that were finished elsewhere."""
        self.built = replace(state, streets=dict(state.streets))
        for name in ("cluster_of", "public"):
            if (found := getattr(state, name)) is not None:
                self.checks.add(name, found)

    def cpu(self) -> float:
        """Return the CPU seconds of this process and of those that compute features."""
        return cpu_with_children() + (0.0 if self.workers is None else cpu_elsewhere(self.workers))

    def result(self, measured: None, history: JobHistory) -> AbstractionBuild:
        """Return the abstraction if every step is finished."""
        if not self.finished:
            return AbstractionBuild(table=None, **history.spent)
        streets = [self.built.streets[street] for street in range(self.cards.streets)]
        self._mention_empty(streets)
        table = CardAbstraction(self.config, streets, self.built.public, self.built.cluster_of)
        return AbstractionBuild(table=table, **history.spent)

    def _mention_empty(self, streets: Sequence[StreetBuckets]) -> None:
        """Say in one sentence on which streets fewer hands differ than there are buckets."""
        empty = [
            f"{street.buckets - street.filled:,} of the {street.buckets:,} buckets of the {name}"
            for name, street in zip(self.cards.names, streets, strict=True)
            if street.filled < street.buckets
        ]
        if empty:
            self.work.progress.note(f"empty, as fewer hands differ by these features: {' and '.join(empty)}")

    @property
    def wins(self) -> NDArray[np.uint16]:
        """Strength of all hands on all boards of the last street, computed on first use."""
        if self._wins is None:
            self.work.progress.begin(f"strength on the {self.cards.names[-1]}")
            self._wins = last_street_wins(self.cards, self.work)
        return self._wins

    def _add_clusters(self) -> None:
        """Find the opponent clusters: the published ones of the whole game unless k-means is asked for."""
        self.built.cluster_of = published_clusters() if published(self.config) else self._clusters()
        self.checks.add("cluster_of", self.built.cluster_of)

    def _clusters(self) -> NDArray[np.uint8]:
        steps = self.cache.steps("clusters", clusters_key(self.config))
        found = steps.whole(
            lambda: {"cluster_of": kmeans_clusters(self.cards, self.wins, len(CLUSTERS), self.work)},
            partial(self.checks.check_cards, "cluster_of"),
        )
        return found["cluster_of"]

    def _add_public(self) -> None:
        """Find the public bucket of every flop."""
        count = self.config.public
        assert count is not None

        def compute() -> Arrays:
            wins = self.wins
            self.work.progress.begin("public buckets of flops")
            return {"public": public_buckets(self.cards, wins, count, self.config.seed, self.work)}

        steps = self.cache.steps("public", public_key(self.config))
        self.built.public = steps.whole(compute, partial(self.checks.check_cards, "public"))["public"]
        self.checks.add("public", self.built.public)

    def _add_street(self, street: int) -> None:
        """Read a street from the disk, or build it and keep it there."""
        steps = self.cache.steps("street", street_key(self.config, street))
        check = partial(self.checks.check_street, street)
        found = steps.whole(lambda: self._street(street, steps).arrays(), check)
        self.built.streets[street] = StreetBuckets.from_arrays(self.config.buckets(street), found)

    def _street(self, street: int, steps: Steps) -> StreetBuckets:
        buckets = self.config.buckets(street)
        if self.config.streets[street].method == "C":
            return StreetBuckets(buckets, canonical_rows(self.cards, street) if street < 2 else None, filled=buckets)
        feature = self._feature(street)
        fitted = self._fit(street, feature, steps)
        if street == self.cards.last:
            return StreetBuckets(buckets, None, fitted.model, fitted.filled, fitted.objective)
        rows = self._rows(street, feature, fitted.model, steps)
        seen = np.zeros(buckets + 1, dtype=np.bool_)
        seen[rows] = True  # dead hands, -1, mark the last place
        return StreetBuckets(buckets, rows, fitted.model, int(seen[:-1].sum()), fitted.objective)

    def _begin(self, step: str, street: int) -> None:
        self.work.progress.begin(f"{step} of the {self.cards.names[street]}")

    def _feature(self, street: int) -> Feature:
        settings = self.config.streets[street]
        if settings.method == "PHS":
            return Moments(self.cards, street, self.wins)
        if settings.method == "KE":
            if street == self.cards.last:
                return _LastStreetEmd(Moments(self.cards, street, self.wins))
            return Cumulative(self.cards, street, self.wins, settings.bins)
        if settings.method == "KP":
            return Potential(self.cards, street, self._next_rows(street + 1), self.config.buckets(street + 1))
        clusters = self.built.cluster_of
        assert clusters is not None
        if street == self.cards.last:
            return Ochs(self.cards, street, clusters)
        return Ochs(self.cards, street, clusters, self.ochs[street])

    @property
    def ochs(self) -> dict[int, NDArray[np.float32]]:
        """Average OCHS of the streets before the last, computed on first use."""
        if self._ochs is None:
            assert self.built.cluster_of is not None
            self.work.progress.begin(f"cluster strength before the {self.cards.names[-1]}")
            first = min(street for street, one in enumerate(self.config.streets) if one.method == "KO")
            self._ochs = ochs_tables(self.cards, first, self.built.cluster_of, self.work)
        return self._ochs

    def _next_rows(self, street: int) -> NDArray[np.uint16]:
        """Return the buckets of a finished street on all its boards, 65535 where a hand is dead."""
        rows, model = self.built.streets[street].rows, self.built.streets[street].model
        if rows is not None:
            return np.where(rows < 0, DEAD, rows).astype(np.uint16)
        assert model is not None
        feature, wins = self._feature(street), self.wins
        found = np.full(wins.shape, DEAD, dtype=np.uint16)

        def do(begin: int, end: int) -> None:
            boards, hands = np.nonzero(wins[begin:end] != DEAD)
            found[begin + boards, hands] = model.assign(feature.points(begin + boards, hands))

        self._begin("rows", street)
        self.work.run(pieces(len(wins), BOARDS_AT_ONCE), do, f"{len(wins):,} boards")
        return found

    def _fit(self, street: int, feature: Feature, steps: Steps) -> Fitted:
        """Return the model that puts the points of a street into buckets."""
        settings, count = self.config.streets[street], self.config.groups(street)
        if settings.method == "PHS" and street == self.cards.last and count == 1:
            values, weights = self._all_strengths()
            return fit_cuts(settings.cutter(), values, weights, None, 1)
        self._begin("features", street)
        boards, hands, weights = self._sample(street, everything=settings.method == "PHS" and street < self.cards.last)
        points = self._points(feature, boards, hands)
        groups = None
        if count > 1:
            points, weights, groups = self._grouped(street, boards, hands, points, weights)
        if settings.method == "PHS":
            return fit_cuts(settings.cutter(), points, weights, groups, count)
        self._begin(f"{self.config.buckets(street):,} clusters", street)
        kmeans = settings.kmeans(self.config.seed * 4 + street)

        def check(groups: int) -> Check:
            return partial(self.checks.check_centres, street, groups)

        return fit_centres(kmeans, points, weights, groups, count, self.work, steps.part, check)

    def _all_strengths(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return every strength of the last street and its square, and the number of deals that have it."""
        mass = np.zeros(self.cards.most_wins + 1)
        for begin, end in pieces(len(self.wins), 4096):
            live = self.wins[begin:end] != DEAD
            weights = np.repeat(self.cards.boards(self.cards.last).multiplicity[begin:end], live.sum(axis=1))
            mass += np.bincount(self.wins[begin:end][live], weights=weights, minlength=len(mass))
        values = np.flatnonzero(mass) / self.cards.most_wins
        return np.stack([values, values**2], axis=1), mass[mass > 0]

    def _sample(self, street: int, everything: bool) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
        """Return points of a street, at most as many as `sample` unless all are wanted, and how many deals each is."""
        hand_count, classes = self.cards.deck.hand_count, self.cards.boards(street)
        generator = np.random.default_rng((self.config.seed, street))
        if street == self.cards.last:
            size = classes.size * hand_count
            most = self.config.sample * 3 // 2  # some are dead
            flat = np.arange(size) if size <= most else np.sort(generator.choice(size, most, replace=False))
            flat = flat[self._alive(flat)]
            return flat // hand_count, flat % hand_count, classes.multiplicity[flat // hand_count].astype(np.float64)
        represented = classes.representative
        flat = np.flatnonzero(represented == np.arange(hand_count))
        if not everything and len(flat) > self.config.sample:
            flat = np.sort(generator.choice(flat, self.config.sample, replace=False))
        boards, hands = flat // hand_count, flat % hand_count
        whole = np.flatnonzero(represented >= 0)
        alike = np.bincount(whole // hand_count * hand_count + represented.ravel()[whole], minlength=represented.size)
        return boards, hands, (classes.multiplicity[boards] * alike[flat]).astype(np.float64)

    def _alive(self, flat: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which points of the last street are hands that share no card with the board."""
        boards = self.cards.boards(self.cards.last).cards[flat // self.cards.deck.hand_count]
        hands = self.cards.deck.hands[flat % self.cards.deck.hand_count]
        return np.asarray(~((boards == hands[:, :1]) | (boards == hands[:, 1:])).any(axis=1))

    def _points(self, feature: Feature, boards: NDArray[Any], hands: NDArray[Any]) -> NDArray[Any]:
        """Return the features of points, computed in pieces of whole boards."""
        if len(boards) == 0 or boards[0] == boards[-1]:
            return feature.points(boards, hands)
        first = feature.points(boards[:1], hands[:1])
        out = np.empty((len(boards), first.shape[1]), dtype=first.dtype)
        steps = np.arange(0, int(boards[-1]) + 1 + BOARDS_AT_ONCE, BOARDS_AT_ONCE)
        limits = np.searchsorted(boards, steps)

        def do(begin: int, end: int) -> None:
            low, high = limits[begin], limits[end]
            if high > low:
                out[low:high] = feature.points(boards[low:high], hands[low:high])

        if self.workers is None:
            self.work.run(pieces(len(limits) - 1, 1), do, "features")
            return out
        spans = np.append(limits[: -1 : BOARDS_OF_A_PIECE // BOARDS_AT_ONCE], limits[-1]).tolist()
        plan = [(boards[low:high], hands[low:high]) for low, high in pairwise(spans)]
        make = partial(_points_of, feature)
        for (low, high), found in zip(pairwise(spans), self._elsewhere(make, plan, "features"), strict=True):
            out[low:high] = found
        return out

    def _elsewhere(
        self, make: Callable[[], Callable[..., NDArray[Any]]], plan: list[tuple[Any, ...]], figure: str
    ) -> Iterator[NDArray[Any]]:
        """Yield what workers find for pieces of boards; raise `Cancelled` when asked to stop."""
        assert self.workers is not None
        for done, found in enumerate(self.workers.map_in_order(make, iter(plan), self.work.cancel)):
            self.work.progress.show((done + 1) / len(plan), figure)
            yield found
        self.work.cancel.check()

    def _grouped(
        self, street: int, boards: NDArray[Any], hands: NDArray[Any], points: NDArray[Any], weights: NDArray[np.float64]
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.int32]]:
        """Return the points with their groups: in every order of the board, or in a random one if there are many."""
        cards = self.cards.boards(street).cards
        ways = orders(cards.shape[1])
        if len(boards) * len(ways) <= self.config.sample:
            chosen = np.repeat(np.arange(len(ways)), len(boards))
            boards, hands = np.tile(boards, len(ways)), np.tile(hands, len(ways))
            points, weights = np.tile(points, (len(ways), 1)), np.tile(weights, len(ways))
        else:
            chosen = np.random.default_rng((self.config.seed, street, 1)).integers(len(ways), size=len(boards))
        dealt = np.take_along_axis(cards[boards], ways[chosen], axis=1)
        return points, weights, self._grouping().groups(street, dealt, hands)

    def _grouping(self) -> Grouping:
        built = self.built
        earlier = [] if built.public is not None else [built.streets[street] for street in sorted(built.streets)]
        return Grouping(self.cards, earlier, built.public)

    def _rows(self, street: int, feature: Feature, model: Model, steps: Steps) -> NDArray[Any]:
        """Return the bucket of every hand on every board; with groups, for every place of the turn card."""
        classes = self.cards.boards(street)
        grouping = self._grouping() if self.config.groups(street) > 1 else None
        kind = np.int16 if self.config.buckets(street) < 2**15 else np.int32
        table = RowsOfBoards(self.cards, street, feature, model, grouping, kind)

        def part(first: int, size: int) -> Arrays:
            rows = np.empty((size, *table.shape), dtype=kind)

            def do(begin: int, end: int) -> None:
                rows[begin:end] = table.rows(first + begin, first + end)

            figure = f"{first + size:,} of {classes.size:,} boards"
            if self.workers is None:
                self.work.run(pieces(size, BOARDS_AT_ONCE), do, figure)
            else:
                todo = pieces(size, BOARDS_OF_A_PIECE)
                plan = [(first + begin, first + end) for begin, end in todo]
                for (begin, end), found in zip(todo, self._elsewhere(table.make, plan, figure), strict=True):
                    rows[begin:end] = found
            return {"rows": rows.reshape(-1, self.cards.deck.hand_count)}

        self._begin("rows", street)
        parts = pieces(classes.size, BOARDS_KEPT)
        return np.concatenate(
            [
                steps.part(
                    f"rows-{begin}",
                    partial(part, begin, end - begin),
                    partial(self.checks.check_rows, street, begin, end),
                )["rows"]
                for begin, end in parts
            ]
        )


def _points_of(feature: Feature) -> Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]:
    """Return what computes the features of points in a worker's process."""
    return lambda boards, hands: feature.points(boards.copy(), hands.copy())


class _LastStreetEmd:
    """Strength on the last street in the form that earth mover's distance compares."""

    def __init__(self, moments: Moments) -> None:
        self.moments = moments

    def points(self, boards: NDArray[Any], hands: NDArray[Any]) -> NDArray[np.float32]:
        """Return one number for each point."""
        return last_street_emd(self.moments.points(boards, hands)[:, 0])
