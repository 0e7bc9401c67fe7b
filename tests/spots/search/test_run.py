"""Search in solved spots: safety, agreement with independent oracles, off-tree bets, wrong input."""

from dataclasses import replace

import numpy as np
import pytest
from phevaluator import evaluate_cards
from scipy.optimize import linprog

import counterpoise as cp
from counterpoise.cards import format_card
from counterpoise.jobs import Driver, Limits
from counterpoise.progress import SilentProgress
from counterpoise.spots.engine import settings_of
from counterpoise.spots.paths import extend
from counterpoise.spots.search.request import SearchMethod, make_request
from counterpoise.spots.search.result import HandMargin
from counterpoise.spots.search.run import SearchJob, make_solver
from tests.spots.conftest import RIVER, TURN
from tests.spots.oracle import SpotGame, as_strategy

SAFE = ("resolve", "maxmargin")
FINER = {"river": {"bet": ["33%", "50%", "75%", "allin"], "raise": ["60%", "allin"]}}
WIDE_TURN = TURN | {"oop": "AhKh,9d8d,7c7s:0.5,QhTh,5h5c", "ip": "KdQd,JhTh:0.75,AdQc,8h8c,6s5s"}


@pytest.fixture(scope="module")
def wide_turn():
    return cp.solve_spot(cp.Spot(**WIDE_TURN), target=0.05, progress=False, threads=1)


def searched(solution, node="r:0", **options):
    return cp.search_spot(solution, node, **{"threads": 1, "progress": False, "target": 0.05, **options})


@pytest.mark.parametrize("method", SAFE)
@pytest.mark.parametrize(("node", "searcher"), [("r:0", "oop"), ("r:0", "ip"), ("r:0:c", "oop"), ("r:0:c:b50", "oop")])
def test_same_sizes_lose_nothing(solved_river, node, searcher, method):
    """The old strategy is a solution of the new game, so no hand of the opponent may gain, but for rounding."""
    found = searched(solved_river, node, searcher=searcher, method=method, target=0.01)
    assert found.smallest_margin > -0.2
    assert found.mean_loss < 0.05
    assert found.loss == pytest.approx(max(0.0, -min(hand.margin for hand in found.hands)))
    assert found.ev_after[searcher] == pytest.approx(found.ev_before[searcher], abs=0.1)


@pytest.mark.parametrize("method", SAFE)
def test_more_sizes_are_safe(solved_river, method):
    """4: more actions for the searcher and the opponent, and still nobody gains who could not before the node."""
    found = searched(solved_river, "r:0:c", sizes=FINER, method=method, target=0.01)
    assert found.searcher == "ip"
    assert set(found.root.actions) > {"c", "b50", "b150"}
    assert found.smallest_margin > -0.2


@pytest.mark.parametrize(
    "node", ["r:0", "r:0:b50", "r:0:c:b50", "r:0:b50:c:8h", "r:0:b50:c:8h:c", "r:0:c:b50:c:2c:b150"]
)
def test_a_part_is_worth_the_same_as_within_the_whole(wide_turn, node):
    """With the ranges of an equilibrium the value of a subgame is unique, wherever in a street it begins."""
    before = wide_turn.node(node)
    assert before.pair_mass > 0.5
    found = searched(wide_turn, node, method="unsafe", target=0.02)
    assert found.ev_before == {player: before.ev(player=player) for player in ("oop", "ip")}
    for player in ("oop", "ip"):
        assert found.ev_after[player] == pytest.approx(found.ev_before[player], abs=1.0)
    assert sum(found.ev_after.values()) == pytest.approx(found.pot, abs=1e-2)
    assert found.root.range("oop").keys() == before.range("oop").keys()


def test_suits_that_were_told_apart_stay_so():
    """The turn makes the board symmetric in spades and hearts, but the play on the flop has told them apart."""
    spot = cp.Spot(
        board="Qs Qh 6h", pot=20, stack=20, oop="AA,77", ip="KK,88", deck="short",
        flop={"bet": ["allin"]}, turn={"bet": ["allin"]}, river={},
    )  # fmt: skip
    solution = cp.solve_spot(spot, target=0.2, progress=False, threads=1)
    found = searched(solution, "r:0:c:c:6s", method="unsafe", target=0.1)
    assert len(found.game.board_nodes[0].symmetry) == 2  # clubs and diamonds
    for player in ("oop", "ip"):
        assert found.ev_after[player] == pytest.approx(found.ev_before[player], abs=0.1)
        assert found.root.range(player) == pytest.approx(solution.node("r:0:c:c:6s").range(player), abs=1e-6)


@pytest.mark.parametrize("searcher", ["oop", "ip"])
def test_margins_against_a_best_response_by_enumeration(river, solved_river, searcher):
    """The mean margin at the root is what an exact best response wins less against the new strategy."""
    game, seat = SpotGame(river), 1 if searcher == "oop" else 0
    rough = cp.solve_spot(river, iterations=15, progress=False, threads=1)
    found = searched(rough, searcher=searcher, iterations=300, target=None)
    before, after = (cp.best_response(game, as_strategy(part, game), player=seat).value for part in (rough, found))
    assert before - after == pytest.approx(found.mean_margin, abs=1e-3)
    assert found.mean_margin >= -0.05
    assert found.smallest_margin >= -0.2


def test_maxmargin_against_a_linear_program(solved_river):
    """5: facing an unknown all-in, the searcher's calls maximise the smallest margin: a linear program over them."""
    bets = {"river": {"bet": ["50%"], "raise": []}}
    solution = cp.solve_spot(cp.Spot(**(RIVER | bets)), target=0.02, progress=False, threads=1)
    found = searched(solution, "r:0", facing=150, method="maxmargin", target=0.01)
    assert (found.searcher, found.facing, found.root.actions) == ("ip", "b150", ("f", "c"))
    board = [format_card(card) for card in solution.spot.cards]
    own = solution.node("r:0").range("ip")
    rows, most = [], []
    for hand in found.hands:
        meets = {o: w for o, w in own.items() if not {o[:2], o[2:]} & {hand.hand[:2], hand.hand[2:]}}
        mass, row = sum(meets.values()), []
        for other in own:
            ranks = [evaluate_cards(*board, text[:2], text[2:]) for text in (hand.hand, other)]
            called = {-1: 250, 0: 50, 1: -150}[int(np.sign(ranks[0] - ranks[1]))]  # what the bettor has from it
            row.append(meets.get(other, 0.0) / mass * (called - 100))
        rows.append([*row, 1.0])
        most.append(hand.alternative - 100)
    best = linprog([0.0] * len(own) + [-1.0], A_ub=rows, b_ub=most, bounds=[(0, 1)] * len(own) + [(None, None)])
    assert best.status == 0
    assert found.smallest_margin == pytest.approx(best.x[-1], abs=0.1)


@pytest.mark.parametrize("method", SAFE)
@pytest.mark.parametrize(("node", "bet"), [("r:0", 50), ("r:0:c", 50), ("r:0:c", 150)])
def test_12_a_known_bet_faced_as_though_unknown(solved_river, node, bet, method):
    """The alternative is the value before the bet, which the bet cannot beat."""
    unknown = make_request(solved_river, node, SearchMethod(method), facing=bet - 1)
    request = replace(unknown, start=extend(solved_river.spot, unknown.at.place, bet))
    solver = make_solver(request, settings_of(None))
    found = Driver(SearchJob(request, solver), Limits(target=0.01), SilentProgress()).run()
    assert found.smallest_margin > -0.2


def test_an_unknown_bet_gains_nothing_when_the_answer_is_good(wide_turn):
    found = searched(wide_turn, "r:0:c", facing=30, target=0.02)
    assert (found.searcher, found.facing, found.start.id) == ("oop", "b30", "r:0:c:b30")
    assert found.root.actions[:2] == ("f", "c")
    assert found.root.pot == 130
    assert found.mean_loss < 2  # one bet size more is worth something to the opponent
    below = found.node("r:0:c:b30:c:8h")
    assert below.player == "oop"
    assert below.pot == 160
    assert found.node("r:0:c:b30:c").player == "chance"
    on_the_river = searched(wide_turn, "r:0:c:c:8h:c", facing="b70")
    assert on_the_river.root.pot == 170


@pytest.mark.slow
def test_safe_after_any_blueprint():
    """4 and 23: strategies at random, many hands never arrive, and no safe search makes it worse; no nan anywhere."""
    generator = np.random.default_rng(5)
    solution = cp.solve_spot(cp.Spot(**RIVER), iterations=1, progress=False, threads=1)
    tried = 0
    for _ in range(3):
        for number, tree in enumerate(solution.game.street_trees):
            for place, decision in enumerate(tree.decisions):
                held = solution.game.hand_counts[decision.player]
                rows = generator.dirichlet(np.ones(len(decision.actions)), held).T
                pure = (rows == rows.max(axis=0)).astype(float)
                mixed = np.where(generator.random(held) < 0.7, pure, rows)
                solution.stored.average.set_strategy(number, place, 0, mixed)
        for node in ("r:0", "r:0:c", "r:0:b50", "r:0:c:b50", "r:0:c:b50:b150", "r:0:b150"):
            for searcher in ("oop", "ip"):
                for method in SAFE:
                    seat, where = ("oop", "ip").index(searcher), solution.node(node)
                    if node.endswith("b150") and where.player != searcher:
                        continue  # who is all-in has nothing left to decide
                    if where.reaches[seat].sum() == 0 or not where.masses[1 - seat].any():
                        with pytest.raises(cp.InputError, match=r"never reached|can meet"):
                            searched(solution, node, searcher=searcher, method=method)
                        continue
                    found = searched(solution, node, searcher=searcher, method=method, target=0.02)
                    tried += 1
                    assert all(np.isfinite([hand.alternative, hand.value, hand.entry]).all() for hand in found.hands)
                    assert found.smallest_margin > -1.5
                    assert found.mean_loss < 0.3 or np.isnan(found.mean_loss)
    assert tried > 30


def test_unsafe_may_lose(solved_river):
    """Where nobody bets in equilibrium the ranges are noise, and trusting them costs."""
    found = searched(solved_river, "r:0:b50", method="unsafe")
    assert found.loss > 1
    assert searched(solved_river, "r:0:b50").loss < 0.2


def test_the_verdict_in_one_sentence(solved_river):
    """Safe or not, and what would help."""
    same = searched(solved_river, "r:0:c", method="maxmargin", target=0.01)
    assert same.safe
    assert same.verdict.startswith("Safe: ")
    assert repr(same) == f"<SpotSearch at {same.id} by maxmargin for {same.searcher}: {same.verdict}>"
    early = searched(solved_river, "r:0:c", iterations=3, target=None)
    assert (early.safe, early.verdict[:14]) == (False, "Not safe yet: ")
    assert "a lower target may bring that down" in early.verdict
    soft = searched(solved_river, "r:0:c", iterations=3, target=None, method="distributional", spread=2)
    assert "Not safe yet: " in soft.verdict
    assert "a smaller spread" in searched(solved_river, "r:0:c", method="distributional", spread=50).verdict
    none = searched(solved_river, "r:0:c", sizes={"river": {"bet": [], "raise": []}}, target=0.01)
    assert none.root.actions == ("c",)
    assert "with these bet sizes more search does not help" in none.verdict
    assert none.cost > 1
    trusting = searched(solved_river, "r:0:b50", method="unsafe")
    assert "need not come with the range that unsafe trusts" in trusting.verdict
    bets = {"river": {"bet": ["allin"], "raise": []}}
    coarse = cp.solve_spot(cp.Spot(**(RIVER | bets)), target=0.02, progress=False, threads=1)
    faced = searched(coarse, "r:0:c", facing=40, target=0.01)
    assert "the bet (bet 40) is worth more to it than all it had" in faced.verdict
    worst = min(faced.hands, key=lambda hand: hand.margin)
    assert (
        f"{faced.gain_pct:.2f} % of the pot, {faced.loss_pct:.2f} % with {worst.hand}, its best hand" in faced.verdict
    )


@pytest.mark.parametrize(("arriving", "gain_pct"), [("AcQc", 4.0), ("9h8h", 2.0), (None, 2.0)])
def test_safe_goes_by_the_larger_average(solved_river, arriving, gain_pct):
    """Two hands that meet as much; one gains 4 % of the pot, the other nothing: 2 % alike, 4 or 0 as they arrive."""
    found = searched(solved_river, "r:0:c", iterations=3, target=None)
    hands = [
        HandMargin(name, float(name == arriving), 2.0, alternative=10.0, gift=0.0, allowed=0.0, value=value, entry=0.5)
        for name, value in (("AcQc", 14.0), ("9h8h", 6.0))
    ]
    found = replace(found, hands=hands)
    assert found.pot == 100
    assert found.shortfall_pct == pytest.approx(2.0)
    assert found.gain_pct == pytest.approx(gain_pct)
    assert not found.safe
    mild = replace(found, hands=[replace(hand, value=10.0 + (hand.value - 10.0) / 5) for hand in hands])
    assert mild.safe == (arriving != "AcQc")  # 0.4 % alike, 0.8 % as it arrives


@pytest.mark.parametrize("method", ["resolve", "unsafe"])
def test_the_cost_at_the_root_is_what_arrives(solved_river, method):
    """At the root all hands come as they are dealt, so that the cost is the mean loss; it bounds the rise there."""
    found = searched(solved_river, "r:0", searcher="ip", method=method, iterations=4, target=None)
    assert found.mean_loss > 0.1
    assert found.cost == pytest.approx(found.mean_loss, rel=1e-4)


def test_evs_are_told_from_the_node(solved_river):
    """With and without a bet that is faced: both shares sum to the pot at the node, without the bet."""
    for facing in (None, 40):
        found = searched(solved_river, "r:0:c", facing=facing)
        assert sum(found.ev_before.values()) == pytest.approx(100, abs=1e-3)
        assert sum(found.ev_after.values()) == pytest.approx(100, abs=1e-3)
    assert found.root.ev(player="ip") == pytest.approx(found.ev_after["ip"] + 40)


def test_frequencies_beside_the_old_ones(solved_river):
    found = searched(solved_river, "r:0:c", sizes=FINER)
    assert found.frequencies_before == solved_river.node("r:0:c").frequencies
    assert found.target == 0.05
    assert searched(solved_river, "r:0", facing=30).frequencies_before is None


def test_bits_and_threads(wide_turn):
    wide, narrow = (searched(wide_turn, "r:0:c", bits=bits, threads=2) for bits in (32, 16))
    assert (wide.bits, narrow.bits) == (32, 16)
    assert narrow.memory_mb < wide.memory_mb
    assert narrow.ev_after["oop"] == pytest.approx(wide.ev_after["oop"], abs=0.5)
    assert not searched(wide_turn, target=1e-6, iterations=2).reached


@pytest.mark.parametrize(
    ("node", "options", "sentence"),
    [
        ("r:0:b51", {}, "is not in the tree here"),
        ("r:0:c:c", {}, "deals a card"),
        ("r:0:b50:f", {}, "it is folded"),
        ("r:0", {"method": "safe"}, "method must be resolve, maxmargin, distributional or unsafe"),
        ("r:0", {"searcher": "me"}, "player must be oop or ip"),
        ("r:0", {"facing": 50}, "this bet is in the tree, search node r:0:b50"),
        ("r:0", {"facing": 151}, "may bet 1 to 150 chips"),
        ("r:0", {"facing": 0}, "may bet 1 to 150 chips"),
        ("r:0", {"facing": "half"}, "facing must be whole chips"),
        ("r:0", {"facing": "9" * 5000}, "facing must be whole chips"),
        ("r:0", {"facing": "b" + "9" * 5000}, "facing must be whole chips"),
        ("r:0", {"facing": 10**5000}, "facing must be at most 1,000,000,000 chips"),
        ("r:0:b" + "9" * 5000, {}, "a node is named by its id"),
        ("r:0", {"sizes": {"river": {"bet": {"oop": ["50%"]}}}}, "river.bet must be a list of sizes, or a table"),
        ("r:0", {"facing": 30, "method": "unsafe"}, "unsafe needs the range"),
        ("r:0", {"facing": 30, "searcher": "oop"}, "the searcher is the other"),
        ("r:0:c:c:8h:b150", {"facing": 160}, "cannot bet or raise"),
        ("r:0", {"sizes": {"flop": {"bet": ["50%"]}}}, "'flop' is no street from here on: turn, river"),
        ("r:0", {"sizes": {"turn": {"bets": ["50%"]}}}, "turn has no field 'bets'"),
        ("r:0", {"sizes": {"turn": 3}}, "turn must be a table"),
        ("r:0:c:c:8h:b150", {"sizes": {"river": {"bet": ["50%"]}}}, "all chips are in, and nobody can bet"),
        ("r:0", {"facing": 150, "sizes": {"river": {"bet": ["50%"]}}}, "all chips are in, and nobody can bet"),
        ("r:0", {"bits": 8}, "bits must be 16 or 32"),
        ("r:0", {"memory_mb": 0.001}, "give fewer bet sizes"),
        ("r:0", {"memory_mb": "much"}, "memory_mb must be a number"),
        (3, {}, "a node is named by its id"),
        ("r:0", {"facing": 1.5}, "facing must be whole chips"),
        ("r:0", {"sizes": ["50%"]}, "sizes must be tables by street"),
        ("r:0", {"algorithm": "egt"}, "does not run on spots"),
        ("r:0", {"iterations": 0}, "iterations must be"),
    ],
)
def test_wrong_input(wide_turn, node, options, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        searched(wide_turn, node, **options)


def test_solutions_that_cannot_be_searched(wide_turn, tmp_path):
    with pytest.raises(cp.InputError, match="search needs a solution, an earlier search, or the file of one, not None"):
        searched(None)
    wide_turn.save(tmp_path / "small.cpz", river=False)
    with pytest.raises(cp.InputError, match="no river strategies"):
        searched(tmp_path / "small.cpz")
    lock = [{"node": "r:0", "strategy": {"random": {"check": 1.0}}}]
    locked = cp.solve_spot(cp.Spot(**TURN, lock=lock), iterations=3, progress=False, threads=1)
    with pytest.raises(cp.InputError, match="locked strategies"):
        searched(locked)


def test_nodes_that_a_player_never_reaches(solved_turn):
    """Out of position always bets in this spot."""
    assert solved_turn.root.frequencies["c"] < 1e-6
    with pytest.raises(cp.InputError, match="never reached by oop under the solution"):
        searched(solved_turn, "r:0:c", searcher="oop")
    with pytest.raises(cp.InputError, match="unsafe has no ranges"):
        searched(solved_turn, "r:0:c", method="unsafe")
    found = searched(solved_turn, "r:0:c")
    assert np.isfinite(found.smallest_margin)
    with pytest.raises(cp.InputError, match="is not below r:0:c"):
        found.node("r:0:b50")
    with pytest.raises(cp.InputError, match="not in the tree here, only c, b50"):
        found.node("r:0:c:b60")


def test_a_searcher_with_nothing_left_to_decide(solved_river):
    """Who is all-in waits for the other."""
    with pytest.raises(cp.InputError, match="oop has nothing left to decide after node 'r:0:b150'"):
        searched(solved_river, "r:0:b150", searcher="oop")
