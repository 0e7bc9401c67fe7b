"""The regret-matching family: reference values, identities between variants, and the theory's bounds."""

import itertools
from collections import defaultdict

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.games import CHANCE, TERMINAL
from counterpoise.solvers import MODIFIERS, Modified, RegretMatching
from counterpoise.tree import enumerate_game, evaluate

from .helpers import at, counterfactual


@pytest.fixture(scope="module")
def leduc():
    return cp.load("leduc_poker")


@pytest.mark.parametrize("form", ["leduc_poker", "leduc_poker(merge_suits=False)"])
def test_cfr_on_leduc(form):
    """Alternating CFR, values confirmed by an independent library [1e-5; 3 % at 1,000]."""
    values = at(cp.load(form), "cfr", 1, 100, 101, 201, 1000)
    assert values[:4] == pytest.approx([2.373611, 0.095716, 0.093949, 0.053338], abs=1e-5)
    assert values[4] == pytest.approx(0.01182, rel=0.03)


def profiles(game, algorithm, iterations=200):
    solver = cp.solver(game, algorithm)
    for _ in range(iterations):
        solver.step()
        yield solver.average_profile()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dcfr(alpha=1, beta=1, gamma=1)", "lcfr"),
        ("dcfr(alpha=1, beta=-inf, gamma=1)", "lcfr+"),
        ("dcfr(alpha=inf, beta=-inf, gamma=2)", "cfr+(average=quadratic)"),
        ("dcfr(alpha=inf, beta=-inf, gamma=1)", "cfr+"),
        ("dcfr(alpha=inf, beta=inf, gamma=0)", "cfr"),
    ],
)
def test_instances_of_dcfr(leduc, one, other):
    """DCFR contains the other variants [relative 1e-9 over 200 iterations]."""
    for a, b in zip(profiles(leduc, one), profiles(leduc, other), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


class PlainCFR:
    """CFR by walking the rules, with dictionaries and explicit weights: shares no code with the package's solvers.

    `weigh(t)` multiplies the regrets of iteration t, `average(t)` its strategy; `floor` cuts negative sums off.
    """

    def __init__(self, game, weigh=lambda t: 1.0, average=lambda t: 1.0, floor=False, simultaneous=False):
        self.root = self._grow(game, game.initial())
        self.weigh, self.average, self.floor, self.simultaneous = weigh, average, floor, simultaneous
        self.regrets, self.strategy, self.sums, self.t = {}, {}, {}, 0
        self._start(self.root)

    def _grow(self, game, state):
        who = game.player(state)
        if who == TERMINAL:
            return who, game.payoffs(state), ()
        if who == CHANCE:
            return who, None, [(p, self._grow(game, game.next(state, outcome))) for outcome, p in game.chance(state)]
        actions = game.actions(state)
        return who, (who, game.infoset(state)), [(a, self._grow(game, game.next(state, a))) for a in actions]

    def _start(self, node):
        who, key, children = node
        if who >= 0 and key not in self.strategy:
            count = len(children)
            self.regrets[key], self.sums[key] = [0.0] * count, [0.0] * count
            self.strategy[key] = [1 / count] * count
        for _, child in children:
            self._start(child)

    def _walk(self, node, player, own, others, found):
        """The player's value of a node; gathers v(I,a) - v(I) and own reach times strategy in `found`."""
        who, key, children = node
        if who == TERMINAL:
            return key[player]
        if who == CHANCE:
            return sum(p * self._walk(child, player, own, p * others, found) for p, child in children)
        chances = self.strategy[key]
        pairs = zip(chances, children, strict=True)
        if who != player:
            return sum(p * self._walk(child, player, own, p * others, found) for p, (_, child) in pairs)
        values = [self._walk(child, player, p * own, others, found) for p, (_, child) in pairs]
        value = sum(p * v for p, v in zip(chances, values, strict=True))
        found[key].append([(others * (v - value), own * p) for p, v in zip(chances, values, strict=True)])
        return value

    def _update(self, found):
        for key, histories in found.items():
            for a, entries in enumerate(zip(*histories, strict=True)):
                regret = self.regrets[key][a] + self.weigh(self.t) * sum(r for r, _ in entries)
                self.regrets[key][a] = max(regret, 0.0) if self.floor else regret
                self.sums[key][a] += self.average(self.t) * entries[0][1]
            positive = [max(regret, 0.0) for regret in self.regrets[key]]
            total = sum(positive)
            self.strategy[key] = [p / total if total > 0 else 1 / len(positive) for p in positive]

    def step(self):
        self.t += 1
        both = [defaultdict(list), defaultdict(list)]
        for player in range(2):
            self._walk(self.root, player, 1.0, 1.0, both[player])
            if not self.simultaneous:
                self._update(both[player])
        if self.simultaneous:
            self._update(both[0] | both[1])

    def profiles(self):
        """Current and average strategy by (player, infoset)."""
        average = {}
        for key, sums in self.sums.items():
            total = sum(sums)
            average[key] = [x / total if total > 0 else 1 / len(sums) for x in sums]
        return self.strategy, average


LINEAR = {"weigh": lambda t: t, "average": lambda t: t}
QUADRATIC_PLUS = {"floor": True, "average": lambda t: t * t}
INSTANCES = {
    "LCFR": ("alpha=1, beta=1, gamma=1", LINEAR),
    "CFR+ quadratic": ("alpha=inf, beta=-inf, gamma=2", QUADRATIC_PLUS),
    "CFR+ linear": ("alpha=inf, beta=-inf, gamma=1", {"floor": True, "average": lambda t: t}),
    "LCFR+": ("alpha=1, beta=-inf, gamma=1", LINEAR | {"floor": True}),
    "CFR": ("alpha=inf, beta=inf, gamma=0", {}),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "instance", "updates", "iterations"),
    [
        *(("kuhn_poker", instance, "alternating", 200) for instance in INSTANCES),
        *(("kuhn_poker", instance, "simultaneous", 200) for instance in INSTANCES),
        ("leduc_poker", "CFR", "alternating", 200),
        ("leduc_poker", "CFR+ quadratic", "simultaneous", 200),
        ("leduc_poker", "CFR+ quadratic", "alternating", 80),
        ("leduc_poker", "LCFR", "alternating", 30),
        ("leduc_poker", "LCFR+", "alternating", 15),
    ],
)
def test_instances_of_dcfr_by_walking_the_rules(name, instance, updates, iterations):
    """DCFR(1,1,1) is weights t, DCFR(inf,-inf,2) quadratic CFR+, DCFR(inf,inf,0) CFR [1e-9].

    Both run freely, so on Leduc, where rounding decides ties, some can only be compared for fewer iterations.
    """
    settings, weights = INSTANCES[instance]
    game = cp.load(name)
    plain = PlainCFR(game, **weights, simultaneous=updates == "simultaneous")
    solver = cp.solver(game, f"dcfr({settings}, updates={updates})")
    for t in range(1, iterations + 1):
        plain.step()
        solver.step()
        if t in (1, 2, 3) or t % 10 == 0 or t == iterations:
            current, average = plain.profiles()
            assert largest_difference(average, solver.average) < 1e-9
            assert largest_difference(current, solver.current) < 1e-7


def largest_difference(plain, strategy):
    assert len(plain) == len(strategy)
    pairs = ((row, strategy[key].values()) for key, row in plain.items())
    return max(abs(p - q) for row, ours in pairs for p, q in zip(row, ours, strict=True))


def faced_by(tree, updates, before, after):
    """The profiles that the two players respond to in an iteration."""
    second = before.copy()
    if updates == "alternating":
        first_player = slice(0, int(tree.form.first_sequence[1]))
        second[first_player] = after[first_player]
    return before, second


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
def test_lcfr_is_weighting_by_t(leduc, updates):
    """Fading sums by t/(t+1) is adding regrets and plans with weight t [relative 1e-9, 200 iterations].

    On Leduc, along the iterates of the solver, so that no tie decided by rounding leads the two apart.
    """
    tree = enumerate_game(leduc)
    form = tree.form
    solver = cp.solver(leduc, f"dcfr(alpha=1, beta=1, gamma=1, updates={updates})")
    regrets, sums = np.zeros(tree.table.size), np.zeros(tree.table.size)
    for t in range(1, 201):
        before = solver.current_profile()
        solver.step()
        faced = [counterfactual(tree, profile) for profile in faced_by(tree, updates, before, solver.current_profile())]
        sums += t * faced[0][0]
        average = np.ones_like(sums)
        for i in range(tree.infosets):
            block = slice(int(form.start[i]), int(form.stop[i]))
            _, values, v = faced[tree.table.owner[i]]
            regrets[block] += t * (values[block] - v[i])
            total = sums[block].sum()
            average[block] = sums[block] / total if total > 0 else 1 / (block.stop - block.start)
        np.testing.assert_allclose(solver.regrets * (t + 1), regrets, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(solver.average_profile(), average, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("updates", "reference"), [("alternating", 0.125), ("simultaneous", 0.174)])
def test_regrets_obey_lemma_1(leduc, updates, reference):
    """The sum of squared positive regrets stays below Delta^2 |A| sum of squared external reach.

    500 iterations; the worst ratio is the reference's 0.125 with alternating updates, 0.2 or less with both.
    """
    tree = enumerate_game(leduc)
    solver = cp.solver(leduc, f"cfr(updates={updates})")
    sizes = (tree.form.stop - tree.form.start).astype(float)
    reach_squared = np.zeros(tree.infosets)
    worst = 0.0
    for _ in range(500):
        before = solver.current_profile()
        solver.step()
        faced = faced_by(tree, updates, before, solver.current_profile())
        reach_squared += np.where(tree.table.owner == 0, *(tree.infoset_reach(profile) for profile in faced)) ** 2
        squares = np.maximum(solver.regrets, 0.0) ** 2
        potential = np.array([squares[a:b].sum() for a, b in zip(tree.form.start, tree.form.stop, strict=True)])
        bound = tree.payoff_range**2 * sizes * reach_squared
        assert (potential <= bound + 1e-12).all()
        worst = max(worst, float((potential[bound > 0] / bound[bound > 0]).max()))
    assert worst <= 0.2
    assert worst == pytest.approx(reference, rel=0.01)


def test_average_regret_bounds_nash_conv(leduc):
    """With simultaneous updates T * NashConv never exceeds the sum of positive infoset regrets."""
    tree = enumerate_game(leduc)
    solver = cp.solver(leduc, "cfr(updates=simultaneous)")
    for t in range(1, 201):
        solver.step()
        positive = np.maximum(solver.regrets, 0.0)
        regret = sum(positive[a:b].max() for a, b in zip(tree.form.start, tree.form.stop, strict=True))
        assert t * evaluate(tree, solver.average_profile()).nash_conv <= regret + 1e-9
    assert t * evaluate(tree, solver.average_profile()).nash_conv == pytest.approx(39.2, rel=0.02)
    assert regret == pytest.approx(94.5, rel=0.02)


@pytest.mark.parametrize(("beta", "floor"), [(0.0, lambda t: 2.0), (0.5, np.sqrt)])
def test_floors_of_discounted_regret(leduc, beta, floor):
    """R >= -2 Delta for beta 0 and R >= -Delta sqrt(T) for beta 1/2 at all times (Brown 2020, Lemma 6)."""
    tree = enumerate_game(leduc)
    solver = cp.solver(leduc, f"dcfr(beta={beta})")
    span = np.ones(tree.table.size)
    for i in range(tree.infosets):
        span[tree.form.start[i] : tree.form.stop[i]] = tree.payoff_range[i]
    for t in range(1, 501):
        solver.step()
        assert (solver.regrets >= -span * floor(t) - 1e-9).all()


def theorem_terms(game):
    """Delta, |I| and |A| of the theorems: the range of payoffs, all infosets, the most actions at one."""
    tree = enumerate_game(game)
    return float(np.ptp(tree.histories.payoffs)), tree.infosets, max(map(len, tree.table.actions))


def nash_convs(game, algorithm, *iterations):
    return np.array([2 * exploitability for exploitability in at(game, algorithm, *iterations)])


T = np.array([1, 10, 100, 1000])


def test_theorem_3(leduc):
    """CFR+ with non-decreasing weights w_t is within w_T / sum of w_t * Delta |I| sqrt(|A| T)."""
    delta, infosets, actions = theorem_terms(leduc)
    for average, power in (("uniform", 0), ("linear", 1), ("quadratic", 2)):
        share = np.array([t**power / sum(s**power for s in range(1, t + 1)) for t in T.tolist()])
        bound = share * delta * infosets * np.sqrt(actions * T)
        assert (nash_convs(leduc, f"cfr+(average={average})", *T.tolist()) <= bound).all()


def test_theorem_4(leduc):
    """DCFR is within 6 Delta |I| (sqrt|A| + 1/sqrt T) / sqrt T: 2,506 on Leduc at T = 1,000."""
    delta, infosets, actions = theorem_terms(leduc)
    assert (delta, infosets, actions) == (26, 288, 3)
    bound = 6 * delta * infosets * (np.sqrt(actions) + 1 / np.sqrt(T)) / np.sqrt(T)
    assert bound[-1] == pytest.approx(2506, abs=0.5)
    assert (nash_convs(leduc, "dcfr", *T.tolist()) <= bound).all()


def test_theorem_5(leduc):
    """DCFR(3/2, 1/2, 2) is within 9 Delta |I| sqrt|A| / sqrt T."""
    delta, infosets, actions = theorem_terms(leduc)
    bound = 9 * delta * infosets * np.sqrt(actions) / np.sqrt(T)
    assert (nash_convs(leduc, "dcfr(beta=0.5)", *T.tolist()) <= bound).all()


def test_alternating_beats_simultaneous(leduc):
    """At 1,000 iterations by at least 2 (CFR) and 10 (CFR+)."""
    for name, factor, reference in (("cfr", 2, 0.0398), ("cfr+", 10, 0.00688)):
        (alternating,) = at(leduc, name, 1000)
        (simultaneous,) = at(leduc, f"{name}(updates=simultaneous)", 1000)
        assert simultaneous >= factor * alternating
        assert simultaneous == pytest.approx(reference, rel=0.05)


def test_discount_product():
    """Positive regrets of an early mistake are cut to about 11 % by DCFR, to nothing by LCFR."""
    t = np.arange(1.0, 1e6)
    assert np.prod(cp.make_algorithm("dcfr").discounts(t)[0]) == pytest.approx(0.1087, abs=5e-4)
    assert np.prod(cp.make_algorithm("lcfr").discounts(t)[0]) == pytest.approx(1e-6, rel=1e-3)


def test_predictive_variants_on_a_matrix_game():
    """Independent numpy rendering of PRM+ with alternation on a 3x3 game: same iterates to 1e-12."""
    payoff = np.array([[0.0, -1, 2], [1, 0, -2], [-2, 2, 0]])
    game = cp.load("rps_plus")
    for name, alpha in (("pcfr+", None), ("pdcfr+", 2.3)):
        solver = cp.solver(game, name)
        regret, last = np.zeros((2, 3)), np.zeros((2, 3))
        strategy = np.full((2, 3), 1 / 3)
        for t in range(1, 60):
            for player, matrix in enumerate((payoff, -payoff.T)):
                utility = matrix @ strategy[1 - player]
                last[player] = utility - strategy[player] @ utility
                faded = 1.0 if alpha is None else t**alpha / (t**alpha + 1)
                regret[player] = np.maximum(regret[player] + last[player], 0) * faded
                guess = np.maximum(regret[player] + last[player], 0)
                strategy[player] = guess / guess.sum() if guess.sum() > 0 else 1 / 3
            solver.step()
            ours = np.array([list(d.values()) for d in solver.current.values()])
            np.testing.assert_allclose(ours, strategy, atol=1e-12)


def test_delayed_averaging(leduc):
    """With a delay the first iterations carry no weight: average after delay + 1 iterations is that iterate."""
    solver, plain = cp.solver("kuhn_poker", "cfr+(delay=5)"), cp.solver("kuhn_poker", "cfr+")
    solver.step(5)
    plain.step(5)
    last = plain.current_profile()
    solver.step(1)
    reached = solver.cumulative > 0
    np.testing.assert_allclose(solver.average_profile()[reached], last[reached], atol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "dcfr(gamma=-1)", "dcfr(alpha=x)", "cfr+(delay=-1)", "cfr+(delay=True)", "cfr+(delay=9999999999999999999)",
        "cfr+(average=cubic)", "cfr(updates=both)",
        "lcfr(output=last)", "pdcfr+(gamma=1000)",
    ],
)  # fmt: skip
def test_bad_settings(text):
    with pytest.raises(cp.InputError, match="must be"):
        cp.make_algorithm(text)


def test_solver_is_an_iterator():
    points = list(itertools.islice(cp.solver("kuhn_poker", "cfr+"), 5))
    assert [point.iteration for point in points] == [1, 2, 3, 4, 5]
    assert points[-1].nodes_touched == 5 * 2 * 55
    assert points[-1].exploitability < points[0].exploitability


FAMILY = [
    "cfr",
    "cfr(average=linear)",
    "cfr+",
    "cfr+(average=uniform)",
    "cfr+(average=uniform, delay=3)",
    "lcfr",
    "lcfr+",
    "dcfr",
    "dcfr(beta=0.5)",
    "dcfr(beta=-inf)",
    "dcfr(alpha=inf, beta=-inf, gamma=0)",
    "dcfr(alpha=inf, beta=inf, gamma=0)",
    "dcfr(alpha=1, beta=1, gamma=1)",
    "pcfr+",
    "pdcfr+",
    "modicum-cfr+",
    "modicum-cfr+(fading=none)",
]


@pytest.mark.parametrize("name", FAMILY)
def test_what_a_variant_declares_is_what_its_numbers_do(name):
    settings = cp.make_algorithm(name)
    positive, negative, weights = settings.factors(np.arange(1.0, 3001.0))
    assert settings.floored is bool((negative == 0).all())
    kept = (positive == 1).all() and (settings.floored or (negative == 1).all())
    alike = settings.floored or (positive == negative).all()
    assert kept == (settings.discounting == "none")
    assert alike == (settings.floored or settings.discounting != "by sign")
    counted = positive[:-1] * weights[1:]
    assert settings.average_like_regrets is bool((weights > 0).all() and np.allclose(weights[:-1], counted, rtol=1e-9))
    total = [0.0]
    for factor in negative:  # an action that loses 1 in every iteration
        total.append((total[-1] - 1.0) * factor)
    assert settings.negative_bounded is bool(total[-1] >= 1.2 * total[1000])


def test_a_variant_that_does_not_do_what_it_declares_is_refused():
    class Floor(RegretMatching):
        def discounts(self, t):
            return 1.0, 0.0

    solver = Floor().on(enumerate_game("kuhn_poker"))
    solver.step()  # it runs, but nothing that depends on what it declares goes with it
    message = "must do what the variant declares: floored is False, discounting is 'none'"
    with pytest.raises(cp.InputError, match=message):
        Modified(base=Floor(), modifier=MODIFIERS.build("rbp"))
    with pytest.raises(cp.InputError, match=message):
        cp.warm_start(solver, {}, iterations=3)
