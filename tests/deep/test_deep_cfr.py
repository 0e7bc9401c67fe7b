"""Deep CFR on small games: its zero-error limit, its networks, resuming, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from counterpoise.deep.deep_cfr import DeepCFRSettings, SingleDeepCFRSettings
from counterpoise.deep.enumerated import EnumeratedGame
from counterpoise.deep.files import Trained, load_networks
from counterpoise.deep.kernels.matching import match_rows
from counterpoise.deep.learner import METHODS
from counterpoise.deep.memory import SampleMemory
from counterpoise.deep.mixtures import NetworkMixture
from counterpoise.deep.networks import new_network
from counterpoise.deep.playing import policy_of, strategy_of
from counterpoise.deep.regressors import TableRegressor
from counterpoise.errors import Diverged, InputError
from counterpoise.games import load
from counterpoise.tree import enumerate_game

SMALL = {"traversals": 50, "steps": 40, "batch": 64, "hidden": (16, 16), "policy_steps": 50, "memory": 2000}


@pytest.fixture(scope="module")
def leduc():
    return EnumeratedGame(enumerate_game("leduc_poker"))


@pytest.fixture(scope="module")
def kuhn():
    return EnumeratedGame(enumerate_game("kuhn_poker"))


def run(game, iterations, seed=0, **settings):
    learner = DeepCFRSettings(**settings).on(game, seed)
    for _ in range(iterations):
        learner.step()
    return learner


def exact(game, seeds, iterations, **settings):
    """Return the mean exploitability of the exact average strategy over seeds."""
    found = [game.exploitability_of(run(game, iterations, seed, **settings).exact_average()) for seed in seeds]
    return float(np.mean(found))


def test_matching_rows():
    """Illegal actions get nothing; the fallbacks are the largest, ties shared, and all alike."""
    advantages = np.array([[1.0, 3.0, 9.0], [-1.0, -2.0, 5.0], [0.0, 0.0, 0.0], [-1.0, -1.0, -2.0]], dtype=np.float32)
    legal = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]], dtype=np.bool_)
    found = np.empty((4, 3))
    match_rows(advantages, legal, True, found)
    third = 1 / 3
    np.testing.assert_allclose(found, [[0.25, 0.75, 0], [1, 0, 0], [third, third, third], [0.5, 0.5, 0]])
    match_rows(advantages, legal, False, found)
    np.testing.assert_allclose(found, [[0.25, 0.75, 0], [0.5, 0.5, 0], [third] * 3, [third] * 3])


@pytest.mark.parametrize("argmax", [True, False])
def test_matching_advantages_that_overflow(argmax):
    """Whatever a network says, probabilities add up to 1: a row of zeros would draw an action that there is not."""
    inf, nan = np.inf, np.nan
    advantages = np.array([[nan, nan, 1.0], [inf, 1.0, 0.0], [inf, inf, 5.0], [-inf, -inf, 0.0]], dtype=np.float32)
    legal = np.array([[1, 1, 0]] * 4, dtype=np.bool_)
    found = np.empty((4, 3))
    match_rows(advantages, legal, argmax, found)
    np.testing.assert_allclose(found, [[0.5, 0.5, 0], [1, 0, 0] if argmax else [0.5, 0.5, 0], *[[0.5, 0.5, 0]] * 2])


def test_outputs_that_are_no_numbers_stop_the_training(kuhn):
    """A profile that draws nothing, or that is not finite, never reaches compiled walks."""
    for wrong in (0.0, np.nan, np.inf):
        with pytest.raises(Diverged, match="not numbers any more"):
            kuhn.profile(lambda player, keys, wrong=wrong: np.full((len(keys), len(kuhn.actions)), wrong))


@pytest.mark.parametrize("replacement", ["reservoir", "window"])
def test_a_table_is_the_means_of_its_memory(kuhn, replacement):
    """Added up as records come, and again once they are replaced: the weighted means, and the squares left over."""
    random, memory = np.random.default_rng(1), SampleMemory(500, 1, 2, replacement=replacement, target_type=np.float64)
    table, restored = TableRegressor(kuhn), TableRegressor(kuhn)
    for t in range(1, 10):
        keys = random.integers(0, kuhn.tree.infosets, (70, 1)).astype(np.int32)
        memory.offer(keys, random.normal(size=(70, 2)), t)
        loss = table.fit(memory, 2.0 / t, random)
        if t % 4 == 0:
            restored.restore(table.state())
        assert restored.fit(memory, 2.0 / t, random) == loss
        assert len(memory) == min(70 * t, 500)
        of, weights = memory.keys[:, 0], memory.weights.astype(np.float64)
        for infoset in np.unique(of):
            mean = np.average(memory.targets[of == infoset], axis=0, weights=weights[of == infoset])
            np.testing.assert_allclose(table.predict(np.array([[infoset]])), [mean], rtol=1e-6, atol=1e-9)
        left = weights * ((memory.targets - table.means[of]) ** 2).sum(axis=1)
        assert loss == pytest.approx(2.0 / t * left.mean(), rel=1e-6)


@pytest.mark.slow
def test_table_limit(leduc):
    """An exact table, 100 traversals, linear weights, 100 iterations: 0.135 +- 0.03."""
    found = exact(leduc, range(5), 100, traversals=100, regressor="table", average="mixture")
    assert found == pytest.approx(0.135, abs=0.03)


@pytest.mark.long
def test_linear_weights_are_faster(leduc):
    """1,000 traversals, 100 iterations: linear weights reach at most 0.8 times what uniform ones reach."""
    table = {"traversals": 1000, "regressor": "table", "average": "mixture", "memory": 2_000_000}
    linear, uniform = (exact(leduc, (0,), 100, weighting=kind, **table) for kind in ("linear", "uniform"))
    assert linear <= 0.8 * uniform


@pytest.mark.parametrize("players", [0, 1])
def test_regret_bound(players):
    """Brown 2020, theorem 14: sampled regrets of a matrix game obey sum R_+^2 <= |A| L^2 K^2 T, for K = 1, 5, 50."""
    game = EnumeratedGame(enumerate_game("rps_plus"))
    largest = 2.0  # the range of payoffs, in units of the largest one
    for traversals in (1, 5, 50):
        learner = run(
            game, 0, players, traversals=traversals, regressor="table", average="mixture", weighting="uniform"
        )
        for t in range(1, 41):
            learner.step()
            for player in (0, 1):
                memory = learner.memories[player]
                regrets = memory.targets.sum(axis=0)
                actions = game.legal(game.infosets_of(player)).sum()
                assert (np.maximum(regrets, 0) ** 2).sum() <= actions * largest**2 * traversals**2 * t + 1e-9


@pytest.mark.long
def test_mixture_equals_tracked_average(leduc):
    """The exact mixture of the kept networks is the average that was tracked."""
    learner = run(leduc, 4, average="mixture", **SMALL)
    mixture, tracked = learner.average_profile(), learner.exact_average()
    assert leduc.exploitability_of(mixture) == pytest.approx(leduc.exploitability_of(tracked), abs=1e-9)
    reach = np.zeros_like(mixture)
    for player in (0, 1):  # they are the same wherever the player itself can get
        reach += leduc.reach(mixture, player)
    np.testing.assert_allclose(np.where(reach > 1e-9, mixture, 0), np.where(reach > 1e-9, tracked, 0), atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"from_scratch": False}, {"average": "mixture"}, {"regressor": "table"}])
def test_resumes_bit_for_bit(kuhn, settings):
    """A run that is saved and restored has the same weights, memories and average as one that was not."""
    chosen = SMALL | settings
    whole, first = run(kuhn, 3, 7, **chosen), run(kuhn, 1, 7, **chosen)
    second = DeepCFRSettings(**chosen).on(kuhn, 7)
    second.restore({name: array.copy() for name, array in first.state().items()})
    second.step()
    second.step()
    expected = whole.state()
    assert set(expected) == set(second.state())
    for name, array in second.state().items():
        np.testing.assert_array_equal(array, expected[name], err_msg=name)
    assert second.exploitability() == whole.exploitability()


@pytest.mark.parametrize("average", ["network", "mixture"])
def test_saved_networks_play_the_same(kuhn, tmp_path, average):
    """A file of networks plays what the learner would have played."""
    learner = run(kuhn, 3, average=average, **SMALL)
    learner.result().save(tmp_path / "kuhn.cpz")
    trained = load_networks(tmp_path / "kuhn.cpz")
    np.testing.assert_array_equal(strategy_of(trained, kuhn).probabilities, learner.average_profile())
    rows = policy_of(trained, kuhn, np.random.default_rng(0))(0, kuhn.infosets_of(0))
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    with pytest.raises(InputError, match=r"trained for kuhn_poker, not for leduc_poker"):
        strategy_of(trained, EnumeratedGame(enumerate_game("leduc_poker")))


def test_names():
    assert METHODS.build("deep-cfr(traversals=50, hidden=[8, 8])") == DeepCFRSettings(traversals=50, hidden=(8, 8))
    assert METHODS.build("single-deep-cfr") == SingleDeepCFRSettings()
    assert DeepCFRSettings(traversals=50).name == "deep-cfr(traversals=50)"
    with pytest.raises(InputError, match="hidden must be a list of widths"):
        DeepCFRSettings(hidden=(0,))
    with pytest.raises(InputError, match="traversals must be a whole number"):
        DeepCFRSettings(traversals=0)


def test_refuses_three_players():
    with pytest.raises(InputError, match="two-player zero-sum"):
        EnumeratedGame(enumerate_game("kuhn_poker(players=3)"))


FEW_WALKS = {"traversals": 100, "batches": "means", "learning_rate": 0.001, "decay": False}
"""The network of Brown 2020, section 4.1.6 scaled down to Leduc: three layers of 64, 300 full-batch steps of Adam, 100
traversals.
"""
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def in_chips():
    """Leduc whose samples are in chips, the unit that the expected figures fit, though their source does not name it.

    50 steps then end at 0.81 (1.11 without normalised features; expected 1.08). In units of the largest payoff, our
    default, they end at 0.23, which is less than twice what 300 steps reach: the factor of two does not hold there.
    """
    return EnumeratedGame(enumerate_game("leduc_poker"), unit=1.0)


@pytest.fixture(scope="module")
def default_runs(in_chips):
    return exact(in_chips, SEEDS, 100, **FEW_WALKS)


@pytest.mark.long
def test_network_reaches_the_limit(default_runs):
    """A network on Leduc after 100 iterations: at most 0.25 in the mean of 3 seeds (here 0.14)."""
    assert default_runs <= 0.25


@pytest.mark.long
def test_argmax_is_better(in_chips, default_runs):
    """The largest advantage as fallback is better than all actions alike, in the mean of 3 seeds (here 0.21)."""
    assert default_runs < exact(in_chips, SEEDS, 100, fallback="uniform", **FEW_WALKS)


@pytest.mark.long
@pytest.mark.parametrize("smaller", [{"hidden": (8, 8, 8)}, {"steps": 50}], ids=["width 8", "50 steps"])
def test_smaller_settings_end_higher(in_chips, default_runs, smaller):
    """Width 8 instead of 64, and 50 steps instead of 300, have at least twice the exploitability (3.9, 5.9)."""
    assert exact(in_chips, SEEDS[:1], 100, **(FEW_WALKS | smaller)) >= 2 * default_runs


@pytest.mark.long
def test_window_stops_converging(leduc):
    """Memories of about 10 iterations: a window ends at least 1.2 times above a reservoir after 100."""
    table = {"traversals": 100, "regressor": "table", "average": "mixture", "memory": 5300}
    reservoir, window = (exact(leduc, range(5), 100, replacement=kind, **table) for kind in ("reservoir", "window"))
    assert window >= 1.2 * reservoir


@pytest.mark.slow
def test_rows_of_minibatches_have_the_same_gradient(kuhn):
    """A minibatch summed by infosets fits the same network as the records one by one."""
    learner = run(kuhn, 2, **SMALL)
    found = []
    for infosets in (None, kuhn.infosets_of(0)):
        part = learner._regressor(0)
        part.infosets = infosets
        part.fit(learner.memories[0], 1.0, np.random.default_rng(3))
        found.append(part.predict(kuhn.infosets_of(0)))
    np.testing.assert_allclose(found[0], found[1], atol=2e-4)


@pytest.mark.parametrize("weights", [None, "ab", [], [[1.0]], [[1.0], []], [[1.0], ["1"]], [[1.0], [float("nan")]]])
def test_weights_of_a_mixture_come_from_a_file(kuhn, weights):
    """Whatever stands in the header of a file is refused in a sentence unless it is weights of both players."""
    shape = SingleDeepCFRSettings(hidden=(4,)).shape(kuhn)
    networks = {"player0-0": new_network(shape, np.random.default_rng(0))}
    policy_of(Trained(kuhn.name, "single-deep-cfr", networks, {"weights": [[1.0], [2.0]]}), kuhn)
    for given, wrong in ((networks, weights), ({}, [[1.0], [2.0]])):
        with pytest.raises(InputError, match="the weights of a mixture must be numbers above 0"):
            policy_of(Trained(kuhn.name, "single-deep-cfr", given, {"weights": wrong}), kuhn)


FOLDS_OFTEN = "limit_holdem(board=[0, 3], bets=[2, 2], ranks=4, suits=2)"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["deep-cfr", "single-deep-cfr"])
def test_a_player_who_was_not_reached_has_no_network_yet(method):
    """Two traversals may end before a player's first decision: its memory is empty, and it plays all actions alike."""
    learner = METHODS.build(f"{method}(traversals=2, steps=1, batch=8, hidden=[4], policy_steps=1)").on(
        load(FOLDS_OFTEN), 3
    )
    learner.step()
    assert [len(memory) > 0 for memory in learner.memories] == [False, True, True]
    assert learner.regressors[0].network is None
    assert learner.losses[0] == 0.0
    policy_of(learner.result(), learner.game)
    learner.restore(learner.state())
    while not len(learner.memories[0]):
        learner.step()
    assert learner.regressors[0].network is not None


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("settings", [{}, {"batches": "means"}, {"regressor": "table"}])
def test_an_empty_memory_teaches_nothing(kuhn, settings):
    learner = DeepCFRSettings(**SMALL, **settings).on(kuhn)
    for player in (0, None):
        part = learner._regressor(player)
        assert part.fit(learner.memories[0], 1.0, np.random.default_rng(0)) == 0.0
        assert not part.predict(kuhn.infosets_of(0)).any()


@pytest.mark.parametrize("method", ["deep-cfr", "single-deep-cfr"])
def test_a_result_without_samples_plays_all_actions_alike(kuhn, tmp_path, method):
    learner = METHODS.build(f"{method}(hidden=[4])").on(kuhn)
    learner.iterations = 1
    for player in (0, 1):
        learner.mixture.add(player, 1.0, None)
    learner.result().save(tmp_path / "a.cpz")
    policy = policy_of(load_networks(tmp_path / "a.cpz"), kuhn, np.random.default_rng(0))
    np.testing.assert_array_equal(policy(0, kuhn.infosets_of(0)), 0.5)


def test_networks_that_are_missing(kuhn):
    """Of a mixture only the first member of player 1 has no network; of two averages both must be there."""
    shape = SingleDeepCFRSettings(hidden=(4,)).shape(kuhn)
    network = new_network(shape, np.random.default_rng(0))
    weights = {"weights": [[1.0, 2.0], [1.0, 2.0]]}
    whole = dict.fromkeys(("player0-0", "player0-1", "player1-1"), network)
    policy_of(Trained(kuhn.name, "single-deep-cfr", whole, weights), kuhn)
    for missing in whole:
        left = {name: network for name in whole if name != missing}
        with pytest.raises(InputError, match=f"the networks of a mixture are not complete: {missing} is missing"):
            policy_of(Trained(kuhn.name, "single-deep-cfr", left, weights), kuhn)
    with pytest.raises(InputError, match="the networks of nfsp are not complete: average1 is missing"):
        policy_of(Trained(kuhn.name, "nfsp", {"average0": network}), kuhn)


def test_members_that_learned_nothing_are_kept_as_zeros(kuhn):
    """A player whose memory is empty for some iterations has no network for them; its file is complete all the same."""
    shape = SingleDeepCFRSettings(hidden=(4,)).shape(kuhn)
    mixture = NetworkMixture(kuhn, shape)
    for player, network in ((1, None), (0, None), (1, None), (0, new_network(shape, np.random.default_rng(0)))):
        mixture.add(player, 1.0, network)
    assert list(mixture.networks()) == ["player0-0", "player0-1", "player1-1"]
    trained = Trained(kuhn.name, "single-deep-cfr", mixture.networks(), mixture.header())
    np.testing.assert_array_equal(strategy_of(trained, kuhn).probabilities, mixture.profile())
