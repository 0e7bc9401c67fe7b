"""CFR-BR: what its theorems bound, iterate by iterate, reference figures, OpenSpiel's, and the hybrid answerer."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.solvers.matching.cfr_br import rounds_before
from counterpoise.tree import Strategy, enumerate_game, evaluate

ROUNDING = 1e-9


def loss(tree, profile, player, value):
    """e(sigma_i): what a best response takes from one player's strategy beyond the value of the game."""
    return value + evaluate(tree, profile).best[1 - player]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker", "goofspiel(cards=3)"])
@pytest.mark.parametrize("trunk", [0, 1, 2])
def test_16_regrets_bound_exploitabilities(game, player, trunk):
    """Theorems 4 and 5 (Johanson 2016, section 4.3), from their proofs: the answerer's regret is at most 0, the
    iterates' mean exploitability is at most the CFR player's average regret, and that of the average at most that mean.
    With a trunk the answerer's regret is that of CFR, and only the sum of both bounds the average.
    """
    solver = cp.solver(game, f"cfr-br(player={player}, trunk={trunk})")
    tree, value, other, iterations = solver.tree, cp.exact(game).value[player], 1 - player, 60
    losses, earned = [], np.zeros(2)
    for _ in range(iterations):
        current = solver.current_profile()
        losses.append(loss(tree, current, player, value))
        before = solver.state()["answer_cumulative"]
        solver.step()
        answer = tree.behaviour(solver.arrays()["answer_cumulative"] - before)
        low, high = tree.form.first_sequence[player], tree.form.first_sequence[player + 1]
        answer[low:high] = current[low:high]
        earned += evaluate(tree, answer).expected / iterations
    values = evaluate(tree, solver.average_profile())
    own_regret, answer_regret = values.best[player] - earned[player], values.best[other] - earned[other]
    average = loss(tree, solver.average_profile(), player, value)
    assert average <= np.mean(losses) + ROUNDING
    assert average <= own_regret + answer_regret + ROUNDING
    assert values.nash_conv == pytest.approx(own_regret + answer_regret, abs=ROUNDING)
    if not (rounds_before(tree) < trunk).any():
        assert answer_regret <= ROUNDING
        assert np.mean(losses) <= own_regret + ROUNDING


def test_37_reference_figures():
    """The first player's average on Leduc: exploitability 0.205 / 0.054 / 0.028 after 100 / 1,000 / 4,000 iterations
    (reference: an independent re-computation), within 10 %.
    """
    solver = cp.solver("leduc_poker", "cfr-br(player=0)")
    value = cp.exact("leduc_poker").value[0]
    for iterations, reference in ((100, 0.205), (1_000, 0.054), (4_000, 0.028)):
        solver.step(iterations - solver.iteration)
        assert loss(solver.tree, solver.average_profile(), 0, value) == pytest.approx(reference, rel=0.1)


def test_both_is_two_runs_side_by_side():
    """The profile joins the CFR players of one run per seat, bit for bit."""
    both, first, second = (cp.solver("leduc_poker", f"cfr-br(player={who})") for who in ("both", 0, 1))
    for solver in (both, first, second):
        solver.step(50)
    seam = int(both.tree.form.first_sequence[1])
    for profile in ("average_profile", "current_profile"):
        whole = getattr(both, profile)()
        np.testing.assert_array_equal(whole[:seam], getattr(first, profile)()[:seam])
        np.testing.assert_array_equal(whole[seam:], getattr(second, profile)()[seam:])
    assert both.nodes_touched == first.nodes_touched + second.nodes_touched == 50 * 4 * both.tree.nodes


def test_answers_average_to_an_equilibrium_too():
    """The answerer's entry of a run for one seat: its average regret is not positive, so the profile converges."""
    run = cp.solve("kuhn_poker", "cfr-br(player=1)", iterations=5_000, progress=False)
    assert run.nash_conv < 0.01


@pytest.mark.parametrize("player", [0, 1])
def test_a_trunk_of_everything_is_cfr_with_simultaneous_updates(player):
    hybrid, cfr = (
        cp.solver("leduc_poker", name) for name in (f"cfr-br(player={player}, trunk=9)", "cfr(updates=simultaneous)")
    )
    hybrid.step(40)
    cfr.step(40)
    np.testing.assert_array_equal(hybrid.average_profile(), cfr.average_profile())
    np.testing.assert_array_equal(hybrid.current_profile(), cfr.current_profile())


def test_rounds_end_with_a_chance_event_after_a_decision():
    """Leduc deals both hands before anybody acts and the board after the first round."""
    assert (np.bincount(rounds_before(enumerate_game("leduc_poker"))) == [18, 270]).all()
    assert (rounds_before(enumerate_game("goofspiel(cards=3)")) == 0).all()


def test_hybrid_answers_exactly_below_its_trunk():
    """After the public card the answer earns what a best response to the CFR player's iterate earns there."""
    solver = cp.solver("leduc_poker", "cfr-br(player=0, trunk=1)")
    tree = solver.tree
    solver.step(30)
    before = solver.current_profile()
    solver.step()
    low, high = (int(tree.form.first_sequence[k]) for k in (1, 2))
    deep = np.zeros(tree.table.size, dtype=bool)
    for infoset in np.flatnonzero(rounds_before(tree) >= 1):
        deep[tree.form.start[infoset] : tree.form.stop[infoset]] = True
    answer, after = before.copy(), solver.current_profile()
    answer[low:high] = np.where(deep, after, before)[low:high]
    earned = evaluate(tree, answer).expected[1]
    best = cp.best_response("leduc_poker", Strategy(tree.name, tree.table, before), player=1).strategy.probabilities
    mixed = before.copy()
    mixed[low:high] = np.where(deep, best, before)[low:high]
    assert earned == pytest.approx(evaluate(tree, mixed).expected[1], abs=1e-12)
    assert earned > evaluate(tree, before).expected[1] + 1e-3


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("cfr-br", True), ("cfr-br(player=0)", True), ("cfr-br(trunk=1)", True),
        ("cfr-br(output=current)", True), ("cfr-br(output=current, trunk=1)", False),
        ("cfr-br(output=current, player=1)", False),
    ],
)  # fmt: skip
def test_guarantees(text, covered):
    """Averages converge; the current strategy with high probability, without a trunk; a last answer does not."""
    assert bool(cp.make_algorithm(text).guarantee) == covered


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cfr-br(player=2)", "player must be 'both' or 0 or 1, not 2"),
        ("cfr-br(player=True)", "player must be 'both' or 0 or 1, not True"),
        ("cfr-br(player=1.0)", "player must be 'both' or 0 or 1, not 1.0"),
        ("cfr-br(trunk=-1)", "trunk must be a whole number of at least 0, not -1"),
        ("cfr-br(trunk=0.5)", "trunk must be a whole number of at least 0, not 0.5"),
        (
            "cfr-br(trunk=9999999999999999999)",
            f"trunk must be a whole number from 0 to {2**62}, not 9999999999999999999",
        ),
    ],
)
def test_wrong_settings(text, sentence):
    with pytest.raises(cp.InputError, match=sentence):
        cp.make_algorithm(text)


def test_needs_two_player_zero_sum():
    with pytest.raises(cp.InputError, match="cfr-br needs a two-player zero-sum game"):
        cp.solver("kuhn_poker(players=3)", "cfr-br")


@pytest.mark.long
@pytest.mark.parametrize(("game", "iterations"), [("kuhn_poker", 4), ("leduc_poker", 8)])
def test_same_iterates_as_openspiel(game, iterations):
    """OpenSpiel's CFR-BR as far as no best response is tied up to rounding: NashConv of iterates and averages."""
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import cfr_br, exploitability

    spiel = pyspiel.load_game(game)
    theirs, ours = cfr_br.CFRBRSolver(spiel), cp.solver(cp.from_openspiel(game), "cfr-br")
    for _ in range(iterations):
        theirs.evaluate_and_update_policy()
        ours.step()
        for profile, policy in (
            (ours.average_profile(), theirs.average_policy()),
            (ours.current_profile(), theirs.current_policy()),
        ):
            expected = exploitability.nash_conv(spiel, policy)
            assert evaluate(ours.tree, profile).nash_conv == pytest.approx(expected, abs=1e-9)
