"""Depth-limited search with multi-valued states (BROWN 5.2): RPS+, and the answer to a bet that the blueprint lacks.

The second experiment is figure 5.8 (figure 2 of DLS) on one-card poker. The blueprint knows bets of half the pot and of
the pot; the first player opens with 3/4. The second player solves the rest of the first round again, with leaves at its
end whose values come from the two sequences it knows, and its opponent picks among K continuations there. To judge the
answer by itself, the second round after it is then played as well as that answer allows, everything else of the second
player being fixed: exactly by an LP, and as the same number of iterations finds it, which is nearer to the reference.
`gain` is what the opening of 3/4 gains the first player, hand by hand, over what it has without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from counterpoise import search
from counterpoise.games import Game, GameView, as_game, game_name
from counterpoise.games.view import FixedStrategy
from counterpoise.plots import Curve, Panel
from counterpoise.public import DenseGame, PublicNode, build_dense
from counterpoise.public.histories import AfterHistory, deals
from counterpoise.reproduce.harness.report import Claim, Declared, Figure, Figures, Lab, Table, by_row
from counterpoise.reproduce.harness.verdicts import Verdict, listed
from counterpoise.search.continuations import Generated
from counterpoise.search.gadget import Method
from counterpoise.solvers import make_algorithm, solve
from counterpoise.tree import Strategy, best_response, enumerate_game, exact

SEARCHER, OPPONENT = 1, 0
BET, KNOWN = "r0.75", ("r0.5", "r1")
SMALL = "one_card_poker(ranks=3, fractions=[[0.5, 1], [0.5, 1]], max_bets=[2, 1])"
LARGER = "one_card_poker(ranks=4, fractions=[[0.5, 1], [0.5, 1]], max_bets=[2, 2])"
TITLES = {SMALL: "3 ranks", LARGER: "4 ranks"}


class Opening(GameView):
    """The rules of a game in which one bet is possible as the first action only."""

    def __init__(self, game: Game | str, bet: str) -> None:
        super().__init__(as_game(game))
        self.bet, self.name = bet, f"{game_name(self.game)}, {bet} as the opening only"

    def actions(self, state: Any) -> list[str]:
        """Return all actions without the bet, except at the beginning."""
        return [action for action in self.game.actions(state) if action != self.bet or not state.story]


class Gain(NamedTuple):
    """In thousandths of an ante: the second round after the answer played best, or as found by iterations."""

    exact: float
    rough: float


class Bench:
    """A game, its blueprint by CFR+, and the same game with the opening that the blueprint does not know."""

    def __init__(self, name: str, iterations: int) -> None:
        self.name, self.title, self.iterations = name, TITLES[name], iterations
        self.game = Opening(name.replace("[[0.5, 1]", "[[0.5, 0.75, 1]"), BET)
        self.base, self.whole = build_dense(name), build_dense(self.game)
        self.blueprint, known = (
            solve(rules, "cfr+", iterations=iterations, progress=False).strategy for rules in (name, self.game)
        )
        # in the game with the opening it is never made and all answers to it are equally likely
        self.strategy = Strategy.from_mapping(enumerate_game(self.game), dict(self.blueprint.items()))
        start = search.subgame(self.base, (), self.blueprint, SEARCHER)
        self.known_values = start.root_values(start.dense.profile(self.blueprint), best=True)
        self.value = exact(self.game).value[OPPONENT]
        # what a best response wins without the opening, and if the opening is known from the beginning
        self.known_loss = best_response(name, self.blueprint, OPPONENT).value
        self.in_abstraction = best_response(self.game, known, OPPONENT).value

    def limited(self, leaves: search.LeafTable) -> search.Subgame:
        """Return the first round after the opening, the opponent picking among continuations at its end."""
        similar = search.SimilarLeaves(leaves, self._similar, _pot)
        return search.depth_limited(self.whole.root.child(BET), self.whole.profile(self.strategy), SEARCHER, similar)

    def _similar(self, leaf: PublicNode) -> list[PublicNode]:
        path = leaf.game.history(leaf)
        return [self.base.find([known if step == BET else step for step in path]) for known in KNOWN]

    def full(self) -> search.Subgame:
        """Return both rounds after the opening."""
        return search.subgame(self.whole, (BET,), self.strategy, SEARCHER)

    def answer(self, found: search.Subgame, method: Method) -> dict[str, dict[str, float]]:
        """Return the second player's strategy in the first round after the opening, by search."""
        result = search.search_subgame(found, method, alternative=self.known_values, iterations=self.iterations)
        return {
            label: result.strategy[SEARCHER, label] for label in self.answers if (SEARCHER, label) in result.strategy
        }

    @cached_property
    def answers(self) -> list[str]:
        """The infosets of the second player in the first round after the opening."""
        nodes = self.whole.root.child(BET).decisions_below()
        first = [node for node in nodes if node.player == SEARCHER and node.tree == 0]
        return [label for node in first for label in self.whole.labels(node).values()]

    def translated(self) -> dict[str, dict[str, float]]:
        """Return the answer of the blueprint to the bets for which the opening is taken."""
        shares = [(f"r{size:g}", share) for size, share in search.translate(0.75, (0.5, 1.0)).items()]

        def chance(label: str, action: str) -> float:
            return sum(share * self.blueprint[SEARCHER, label.replace(BET, bet)][action] for bet, share in shares)

        return {
            label: {action: chance(label, action) for action in self.strategy[SEARCHER, label]}
            for label in self.answers
        }

    def gain(self, answer: Mapping[str, Mapping[str, float]]) -> Gain:
        """Return what the opening gains the first player against an answer, on average over its hands."""
        given = {label: self.blueprint[SEARCHER, label] for player, label in self.blueprint.table if player == SEARCHER}
        fixed = FixedStrategy(self.game, SEARCHER, {**given, **answer})
        rough = solve(fixed, "cfr+", iterations=self.iterations, progress=False).strategy
        found = exact(fixed).value[OPPONENT], best_response(fixed, rough, OPPONENT).value
        return Gain(*(1000 * (value - self.known_loss) for value in found))


def _pot(node: PublicNode) -> float:
    """Return what both players have paid at a node of one-card poker, whatever they hold."""
    assert isinstance(node.game, DenseGame)
    rules = node.game.rules.game if isinstance(node.game.rules, AfterHistory) else node.game.rules
    state = deals(rules)[0]
    for step in node.game.history(node):
        state = rules.next(state, step)
    return float(sum(state.paid))


RPS = "rps_plus"
METHODS: tuple[Method, ...] = ("resolve", "maxmargin")
COUNTS = (1, 2, 4, 8, 16)
TRANSLATION, FULL = "translation", "full depth"


def rps_plus(lab: Lab, iterations: int = 2_000) -> Iterator[Declared]:
    """Solve for the first player when the second one's answer is beyond the depth limit."""
    tree, whole = enumerate_game(RPS), build_dense(RPS, hidden=True)
    optimum = {"R": 0.4, "P": 0.4, "S": 0.2}
    nash = Strategy.from_mapping(tree, {"P1": optimum, "P2": optimum})
    pure = [Strategy.from_mapping(tree, {"P2": {move: 1.0}}) for move in optimum]
    sets = {
        "K = 1: equilibrium": [nash],
        "K = 3: pure strategies": pure,
        "K = 4: equilibrium and biased tenfold": [
            whole.strategy(one) for one in search.bias_approach(whole.profile(nash), 10, tuple(optimum), str)
        ],
    }
    lab.begin("RPS+")
    found = dict[str, Any]()
    for label, others in sets.items():
        leaves = search.HistoryTable(RPS, [[nash], others])
        limited = search.depth_limited(whole.root, whole.profile(nash), 0, leaves, depth=1, hidden=True)
        solver = search.SearchSolver(make_algorithm("cfr+"), limited, None)
        solver.step(iterations)
        strategy = limited.dense.strategy(solver.average)["P1"]
        worst = -best_response(RPS, {"P1": strategy}, 1).value
        regret = float(np.abs(solver.learning.regrets.numbers).max())
        found[label] = {"strategy": strategy, "worst": worst, "regret": regret}
    lab.data["continuations"] = found
    yield by_row(
        "The first player's strategy, and what it gets at worst",
        ["leaves", *optimum, "worst"],
        found,
        *(lambda label, move=move: f"{found[label]['strategy'][move]:.4f}" for move in optimum),
        lambda label: f"{found[label]['worst']:.4f}",
    )
    one, *more = found.values()
    yield Claim("one-continuation", lambda: (one["regret"] == 0, f"largest regret {one['regret']:g}"))

    def close() -> Verdict:
        off = max(abs(part["strategy"][move] - share) for part in more for move, share in optimum.items())
        return off <= 5e-3, f"within {off:.1g}"

    yield Claim("more-continuations", close)


Found = dict[str | int, list[Gain]]
"""By the leaves of the subgame: what the opening gains, for each method at the root."""


def off_tree_bet(
    lab: Lab, names: Sequence[str] = (SMALL, LARGER), counts: Sequence[int] = COUNTS, iterations: int = 200
) -> Iterator[Declared]:
    """Answer the opening with three and with four ranks; blueprint, continuations and search run CFR+ equally long."""
    panels = []
    for name in names:
        bench, found = Bench(name, iterations), Found()
        lab.begin(f"{name}: continuations")
        blueprint = bench.base.profile(bench.blueprint)
        generated = search.self_generated(bench.base, blueprint, SEARCHER, max(counts), iterations=iterations)
        found[TRANSLATION] = [bench.gain(bench.translated())] * len(METHODS)
        for number, count in enumerate(counts):
            lab.show((number + 1) / (len(counts) + 1), f"K = {count}")
            limited = bench.limited(generated.leaves.take(OPPONENT, count))
            found[count] = [bench.gain(bench.answer(limited, method)) for method in METHODS]
        found[FULL] = [bench.gain(bench.answer(bench.full(), method)) for method in METHODS]
        gains = {str(label): [gain._asdict() for gain in row] for label, row in found.items()}
        lab.data[name] = {"value": bench.value, "won": generated.won, "gains": gains}
        yield from _tables(lab, bench, found, generated)
        yield _sizes(lab, bench, generated.leaves, max(counts))
        yield from _claims(bench, found)
        curves: dict[str, Curve] = {
            method: Curve(counts, [found[count][number].rough for count in counts])
            for number, method in enumerate(METHODS)
        }
        curves[TRANSLATION] = Curve(counts, [found[TRANSLATION][0].rough] * len(counts))
        panels.append(Panel(curves, TITLES[name], "values per leaf", "gain by iterations (1/1000 ante)"))
    yield Figure("What a bet gains that the blueprint lacks", panels)


def _tables(lab: Lab, bench: Bench, found: Found, generated: Generated) -> Iterator[Declared]:
    known = lab.published("depth_limited")
    blueprint, in_abstraction = (1000 * (loss - bench.value) for loss in (bench.known_loss, bench.in_abstraction))
    heads = [head for method in METHODS for head in (method, f"by {bench.iterations:,} iterations", "reference")]
    for caption, base, reference in (
        (f"{bench.title}: what the opening gains, thousandths of an ante", 0.0, known["gain"][bench.title]),
        (
            f"{bench.title}: exploitability of the second player, thousandths of an ante (without the opening"
            f" {blueprint:.1f}; with the opening in the blueprint {in_abstraction:.1f})",
            blueprint,
            known["loss"].get(bench.title, {}),
        ),
    ):
        rows = []
        for label, row in found.items():
            cells = [f"K = {label}" if isinstance(label, int) else label]
            for method, gain in zip(METHODS, row, strict=True):
                figure = f"{reference[label][method]:g}" if label in reference else "-"
                cells += [f"{max(gain.exact, 0) + base:.1f}", f"{gain.rough + base:.1f}", figure]
            rows.append(cells)
        yield Table(caption, ["leaves", *heads], rows)
    won = listed((1000 * value for value in generated.won), ".0f")
    yield (
        f"{bench.title} is {bench.name}. The best responses that became continuations won {won}; the value is"
        f" {1000 * bench.value:.0f}."
    )


def _sizes(lab: Lab, bench: Bench, leaves: search.LeafTable, most: int) -> Table:
    single, limited = (int(bench.limited(leaves.take(OPPONENT, count)).game.nodes) for count in (1, most))
    full = int(bench.full().game.nodes)
    lab.data[bench.name]["nodes"] = {"single": single, "limited": limited, "full": full}
    return Table(
        f"{bench.title}: public nodes of the subgame after the opening",
        ["one value per leaf", f"{most} values per leaf", "to the end of the game"],
        [[single, limited, full]],
    )


def _claims(bench: Bench, found: Found) -> Iterator[Claim]:
    gains = Figures(missing="K = {} was not run")
    for label, row in found.items():  # an LP's 0 may be a little less
        gains[label] = [max(round(gain.exact, 3), 0.0) + 0.0 for gain in row]

    def compare(holds: Callable[..., bool], *labels: str | int) -> Verdict:
        columns = list(zip(*(gains[label] for label in labels), strict=True))
        told = "; ".join(f"{method} {listed(own, '.1f')}" for method, own in zip(METHODS, columns, strict=True))
        return all(holds(*own) for own in columns), told

    rules: dict[str, tuple[Any, ...]] = {
        "one-value-worse": (lambda one, translation: one >= 10 * max(translation, 1), 1, TRANSLATION),
        "eight-like-translation": (lambda eight, translation: eight <= translation + 1, 8, TRANSLATION),
        "sixteen-enough": (lambda gain: gain <= 2, 16),
        "more-is-better": (lambda one, four, eight: one > four > eight, 1, 4, 8),
        "sixteen-like-full-depth": (lambda gain, full: gain <= full + 2, 16, FULL),
    }
    for id, rule in rules.items():
        yield Claim(id, compare, *rule, about=bench.title)
