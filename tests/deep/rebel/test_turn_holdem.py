"""Turn endgames of hold'em: sizes, tabular anchors, and an agent without a network."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from counterpoise.deep.networks import new_network
from counterpoise.deep.rebel.agent import RebelPlayer
from counterpoise.deep.rebel.beliefs import Floats, met, normalised
from counterpoise.deep.rebel.evaluation import agent_exploitability
from counterpoise.deep.rebel.games import BeliefGame
from counterpoise.deep.rebel.learner import RebelLearner, play_solvers, value_shape
from counterpoise.deep.rebel.random_states import RandomStates
from counterpoise.deep.rebel.search import BeliefSolver, SearchSettings
from counterpoise.deep.rebel.selfplay import SelfPlay, SelfPlaySettings, deal_values
from counterpoise.deep.rebel.settings import TURN_HOLDEM
from counterpoise.deep.rebel.turn_holdem import turn_beliefs, with_bet
from counterpoise.deep.rebel.values import ZeroValues
from counterpoise.deep.rebel.whole import WholeGame
from counterpoise.games.holdem_spot import HoldemSpot
from counterpoise.games.turn_holdem import MiniTurnHoldem, TurnHoldem
from counterpoise.public import HoldemRules, Profile, Traverser, build_holdem
from counterpoise.solvers.run import make_algorithm

from .helpers import random_policy, root_vectors


@pytest.fixture(scope="module")
def mini() -> BeliefGame:
    """Mini turn endgame hold'em."""
    return turn_beliefs(MiniTurnHoldem())


def test_sizes(mini: BeliefGame) -> None:
    """190 hands, 20 rivers, 28 decisions and 13 value leaves on the turn, 156 decisions per river."""
    turn, *rivers = mini.public.street_trees
    assert mini.hands == 190
    assert (len(turn.decisions), mini.leaves_of[0], len(turn.leaves) - 13) == (28, 13, 40)
    assert sum(len(tree.decisions) for tree in rivers) == 156
    assert len(mini.tree_of) == 1 + 13 + 13 * 20
    assert (mini.inputs, mini.outputs) == (402, 380)
    live = mini.deals[1].live
    assert live.shape == (20, 190)
    assert (live.sum(axis=1) == 171).all()
    assert mini.deals[1].chance == 1 / 16


def test_blockers_leave_sums_of_zero(mini: BeliefGame) -> None:
    """On a river the values of both players under one profile sum to 0, and so do those before the card."""
    random = np.random.default_rng(1)
    states = mini.deals[3].states[:4]
    live = mini.live_of[states][:, None, :]
    beliefs = normalised(random.random((4, 2, 190)), mini.prior, live)
    solver = BeliefSolver(mini, ZeroValues(mini), SearchSettings(iterations=1), 4)
    solver.begin(states, beliefs)
    policy = random_policy(mini, mini.tree_of[states], random)
    won = (root_vectors(solver, policy) * beliefs).sum(axis=2)
    assert np.abs(won[:, 0]).max() > 1e-3
    assert won.sum(axis=1) == pytest.approx(0, abs=1e-5)


def test_before_a_card_values_are_the_expectation(mini: BeliefGame) -> None:
    """If every hand wins 1 pot after every river, it wins 1 pot before: chances of cards sum to 1."""
    beliefs = normalised(np.random.default_rng(2).random((1, 2, 190)), mini.prior)

    def one(inputs: np.ndarray, states: np.ndarray) -> np.ndarray:
        return np.asarray(np.ones((len(inputs), mini.outputs)) / mini.unit[states][:, None])

    values = deal_values(mini, one, np.array([5]), beliefs)
    assert (met(beliefs, mini.pairs) > 0).all()
    assert values == pytest.approx(1, abs=1e-6)


def test_the_first_state_teaches_nothing(mini: BeliefGame) -> None:
    """A network is told the same about the start and the end of a turn of checks; search asks for the latter."""
    assert (mini.features[1:14] == mini.features[0]).all(axis=1).any()
    assert not mini.asked[0]
    assert mini.asked[1:].all()


def test_every_solved_turn_teaches_as_much(mini: BeliefGame) -> None:
    """5.5: 16 leaves of every turn, each with an example before the card and one after it, however often play folds."""
    settings = SelfPlaySettings(games=2, leaves=16, attempts=16, endgame_iterations=1)
    play = SelfPlay(mini, ZeroValues(mini), SearchSettings(iterations=1), settings)
    turn, river = play.play(), play.play()
    assert len(turn.states) == len(river.states) == 32
    assert (mini.tree_of[turn.states] < 0).all()
    assert mini.final[river.states].all()
    once = SelfPlay(mini, ZeroValues(mini), SearchSettings(iterations=1), replace(settings, attempts=1))
    assert 0 < len(once.play().states) < 32


def test_random_beliefs_come_from_no_search(mini: BeliefGame) -> None:
    """Ends of turns and starts of rivers have beliefs drawn at random; no turn is solved to come to them."""
    settings = SelfPlaySettings(games=1, leaves=4, endgame_iterations=1)
    play = RandomStates(mini, ZeroValues(mini), SearchSettings(iterations=1), settings)
    found = [play.play() for _ in range(12)]
    states, beliefs = (np.concatenate([getattr(part, name) for part in found]) for name in ("states", "beliefs"))
    rivers = mini.tree_of[states] >= 0
    assert 0.2 < rivers.mean() < 0.8
    assert len(set(states[~rivers].tolist())) > 4
    assert (states != 0).all()
    assert play.solver.solved == 0
    assert beliefs.reshape(-1, 2, 190).sum(axis=2) == pytest.approx(1, abs=1e-5)
    assert (beliefs > 0).sum(axis=1).min() >= 2 * 171


def test_rivers_are_solved_alike_by_all_algorithms(mini: BeliefGame) -> None:
    """Rivers reach the end of the game: training, evaluation and the player at the table solve them by CFR-D."""
    settings = replace(TURN_HOLDEM, search=SearchSettings(algorithm="fp", iterations=2))
    solver, rivers = play_solvers(mini, new_network(value_shape(mini, settings), np.random.default_rng(0)), settings)
    assert rivers is not None
    player = RebelPlayer(mini, ZeroValues(mini), settings.search, np.random.default_rng(0), endgame_iterations=3)
    searches: list[SearchSettings] = []
    solve = player._solve

    def watched(search: SearchSettings, drawn: int) -> tuple[Floats, Floats]:
        searches.append(search)
        return solve(search, drawn)

    player._solve = watched  # type: ignore[method-assign]
    while not player.waits_for_card:
        player.observe(min(1, len(player.labels) - 1) if player.labels[0] == "f" else 0)
    player.deal(0)
    assert [search.algorithm for search in searches] == ["cfr-d"]
    assert (solver.settings.algorithm, rivers.settings.algorithm) == ("fp", "cfr-d")
    assert searches[0].iterations == 3


@pytest.mark.long
def test_an_agent_without_a_network(mini: BeliefGame) -> None:
    """Zero values at the end of the turn, solved rivers: 0.241 of the pot."""
    zero = ZeroValues(mini)
    solver = BeliefSolver(mini, zero, SearchSettings(iterations=100), 32)
    rivers = BeliefSolver(mini, zero, SearchSettings(iterations=60), 32)
    random = np.random.default_rng(0)
    found = agent_exploitability(WholeGame(mini), solver, 1, random, rivers, unsafe=True)
    assert found == pytest.approx(0.241, abs=0.002)


def tabular(rules: HoldemSpot, counts: tuple[int, ...]) -> list[float]:
    """Return the exploitability of linear CFR on the whole game, of the pot, after some iterations."""
    game = build_holdem(HoldemRules(rules.board_cards, rules.ranges, rules.betting, rules.bet_sizes, rules.deck))
    solver = make_algorithm("lcfr").on(game, threads=1)
    found = []
    for count in counts:
        solver.step(count - solver.iteration)
        found.append(solver.exploitability() / rules.pot)
    return found


@pytest.mark.long
def test_tabular_anchor_of_the_mini_game() -> None:
    """Linear CFR on the whole mini game, in pots, after 8, 16, 32 and 125 iterations."""
    found = tabular(MiniTurnHoldem(), (8, 16, 32, 125))
    assert found == pytest.approx([0.581, 0.204, 0.0738, 0.0086], rel=0.03)


@pytest.mark.long
def test_tabular_anchor() -> None:
    """Turn endgame hold'em, in pots: uniform play loses 1.922; linear CFR is below the expected figures.

    A prototype of others, of which only figures are known, had 1.922, 1.189, 0.503, 0.228, 0.098, 0.0463, 0.0247 and
    0.0158 after 0, 4, 8, 16, 32, 64, 125 and 250 iterations. Ours begins alike and is lower by 0.01 to 0.02 ever after,
    so its curve goes on falling where the prototype's levels off: it seems to train with slightly other payoffs than
    it is judged by. Which ones is not known: neither 1/46 or 1/48 as the probability of a river, nor those at all-ins
    alone, nor other weights of iterations give its figures. The expected ones for 4 and 8 iterations come from a
    program of its own, with another tree, ranking of hands and showdown; both agree with the prototype in the mini
    game.
    """
    uniform, four, eight, *later = tabular(TurnHoldem(), (0, 4, 8, 32, 64, 125))
    assert [uniform, four, eight] == pytest.approx([1.92215, 1.16591, 0.49350], abs=2e-5)
    # After 125 iterations rounding decides the third digit: 14 runs whose weights of hands differ by about a last bit
    # of 32 had 0.0113 to 0.0120, so that only the prototype's figure is compared with.
    assert later[:2] == pytest.approx([0.0821, 0.0305], rel=0.03)
    assert all(ours <= prototype for ours, prototype in zip(later, (0.098, 0.0463, 0.0247), strict=True))


@pytest.mark.long
def test_a_network_follows_the_river(mini: BeliefGame) -> None:
    """A thirtieth of a whole training: Huber's loss is below the 0.0230 pots squared that a prototype had after 226
    steps.

    Here it is so after 96; with beliefs so large that a network hardly sees the river it was 0.0325 then. The whole
    check, 600 CPU s and then less than half of the 0.238 of an agent without a network, is ``benchmarks/rebel.py
    mini_turn_holdem --cpu-minutes 10`` (0.029, the mean of the last three checkpoints with 16 play-throughs) and in
    small in `counterpoise reproduce brown-5.9`. So early an agent with the network is still worse than one without: 0.6
    after 96 steps, 0.34 after 256.
    """
    learner = RebelLearner(mini, TURN_HOLDEM, seed=1)
    for _ in range(3):
        learner.step()
    assert learner.fitter.steps == 96
    assert learner.loss < 0.0230


def test_a_bet_more_changes_nothing_else(mini: BeliefGame) -> None:
    """For bets that the game has, its own trees and public states are found again; for others the pot differs."""
    rules = MiniTurnHoldem()
    line = rules.betting_after(("7d9hJsKd", "c"))
    same = with_bet(mini, line, 1000)
    np.testing.assert_array_equal(same.features, mini.features)
    np.testing.assert_array_equal(same.tree_of, mini.tree_of)
    assert [tree.decisions for tree in same.public.street_trees] == [t.decisions for t in mini.public.street_trees]
    grown = with_bet(mini, line, 1234)
    tree, labels = grown.public.street_trees[0], grown.labels(0, 1)
    assert labels == ("c", "b1000", "b1234", *mini.labels(0, 1)[2:])
    leaf = tree.way_to
    called = [
        slot
        for slot, number in enumerate(grown.layout.value_leaves[0])
        if [grown.word(action) for _, action in leaf(("leaf", number))] == ["c", "b1234", "c"]
    ]
    state = int(grown.following[0, called[0]])
    assert grown.unit[state] * rules.pot == rules.pot + 2 * 1234
    assert grown.public.boards is mini.public.boards


def test_ranges_may_differ() -> None:
    """Both players' ranges and weights are their own, and every hand of either has beliefs; judged by other code."""
    rules = HoldemSpot(cards="Ks7d4cJd", oop="AA,KQs,JTs:0.5", ip="QQ,KJs,T9s:0.25,AA", pot=100, stack=200)
    game = turn_beliefs(rules)
    assert game.hands == 6 + 3 + 3 + 6 + 2 + 4
    assert (game.prior > 0).sum(axis=1).tolist() == [12, 18]
    tree = build_holdem(HoldemRules(rules.board_cards, rules.ranges, rules.betting, rules.bet_sizes, rules.deck))
    whole, traverser, uniform = WholeGame(game), Traverser(tree), Profile(tree)
    best = traverser.best_response_values(uniform) / rules.pot
    assert whole.values(whole.new_table(), best=True) == pytest.approx(best, abs=1e-5)
    assert whole.values(whole.new_table()) == pytest.approx(traverser.root_values(uniform) / rules.pot, abs=1e-5)


@pytest.mark.slow
def test_all_hands_of_a_deck() -> None:
    """All 1,128 hands that the turn leaves are solved for both players, on the turn and on a river."""
    game = turn_beliefs(TurnHoldem())
    assert game.hands == 1128
    solver = BeliefSolver(game, ZeroValues(game), SearchSettings(iterations=3), 2)
    river = int(game.deals[1].states[7])
    beliefs = normalised(np.stack([game.prior, game.prior * game.live(river)]), game.prior)
    solved = solver.solve(np.array([0, river]), beliefs, np.array([2, 3]))
    for g, state in enumerate((0, river)):
        for decision in range(len(game.tree(state).decisions)):
            shares = solved.played[g, game.rows_of(int(game.tree_of[state]), decision)][:, game.live(state)]
            assert shares.sum(axis=0) == pytest.approx(1, abs=1e-5)
    won = (np.stack([solver.judged(solver.learning.average, p) for p in range(2)], axis=1) * beliefs).sum(axis=2)
    assert won[1].sum() == pytest.approx(0, abs=1e-5)
    assert abs(won[1, 0]) > 1e-4
