"""Networks of leaf values for Modicum: inputs, examples, training, files, use at the table.

See Brown et al. 2018, section 6.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import counterpoise as cp
from counterpoise.agents.blueprint_strategy import BlueprintStrategy
from counterpoise.agents.leaf_networks import few_leaves, make_leaf_networks, networks_path
from counterpoise.agents.leaf_values import strategy_of
from counterpoise.agents.modicum import Modicum, ModicumSearch
from counterpoise.agents.searching import Menu
from counterpoise.agents.subgames import SolvedStrategy, open_subgame, with_action
from counterpoise.betting.sizes import BetSizes
from counterpoise.blueprint import Blueprint
from counterpoise.cards import Deck, board_strengths, parse_cards
from counterpoise.cli import app
from counterpoise.deep.files import Trained
from counterpoise.deep.leaves import (
    FEATURES,
    FlopCards,
    LeafNetworks,
    LeafTraining,
    NetworkLeaves,
    betting_features,
    evaluator,
    load_leaf_networks,
    make_examples,
    train_leaf_networks,
)
from counterpoise.deep.leaves.examples import PER_FLOP, state_after
from counterpoise.deep.leaves.features import BETTING, BOTH, OTHER, OWN, PICKS
from counterpoise.deep.networks import MlpShape, new_network
from counterpoise.errors import InputError
from counterpoise.games.holdem import GameMenu
from counterpoise.progress import CancelToken, SilentProgress
from counterpoise.public import Cut, HoldemGame, LeafBatch, build_holdem
from counterpoise.public.leaves import ValueLeaves, linear_values
from counterpoise.sampling.leaf_values.rollouts import PairRollouts, ends_of_second_round, one_seat_picks
from counterpoise.sampling.lookup import bucket_lookup
from counterpoise.search.leaves import pot_of
from counterpoise.search.public_belief import PublicBelief
from counterpoise.search.sampled import biases
from counterpoise.store.cpz import read_cpz
from tests.agents.conftest import HUNL_24
from tests.agents.leaf_oracle import exact_values
from tests.agents.test_blueprint_agent import AnyBet

TINY = "no_limit_holdem(ranks=4, stack=6)"
POT = Menu(("100%",), ("100%",)).sizes(4)
FLOP = ("b300", "c", "AsKhQd")
SMALL = ModicumSearch(
    first_iterations=20,
    fast_first_iterations=20,
    table_boards=(4, 4),
    network_iterations=10,
    menus=((("75%",), ("75%",)),),
    fast_work=1e6,
    fast_iterations=10,
)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    """A blueprint of 16 cards whose probabilities are random."""
    game: Any = cp.load(TINY)
    cache = tmp_path_factory.mktemp("abstraction")
    cards = cp.abstraction("IR-PHS-PHS", buckets=(5, 4, 4, 4), deck=game.deck, cache=cache, progress=False)
    weights = np.random.default_rng(0).random(len(Blueprint.uniform(game, cards).table)).astype(np.float32)
    return Blueprint(game, cards, weights)


def untrained(blueprint: Blueprint, seed: int = 0) -> LeafNetworks:
    random, shape = np.random.default_rng(seed), MlpShape(inputs=FEATURES, hidden=(16, 16), outputs=PICKS)
    networks = new_network(shape, random), new_network(shape, random)
    return LeafNetworks(blueprint.game.name, blueprint.digest, networks, {})


def cut_round(
    belief: PublicBelief, leaves: NetworkLeaves, sizes: BetSizes, isomorphism: bool = False
) -> tuple[HoldemGame, ValueLeaves]:
    """The flop's betting from a belief on as a public game, and its leaves."""
    rules = replace(open_subgame(belief, sizes, cut=Cut(choices=leaves.counts)), isomorphism=isomorphism)
    game = build_holdem(rules)
    return game, ValueLeaves(game, leaves)


def at_flop(blueprint: Blueprint, public: tuple[str, ...]) -> PublicBelief:
    belief = PublicBelief.start(blueprint.game, BlueprintStrategy(blueprint), seat=0)
    for event in public:
        belief = belief.after(event)
    return belief


# What networks are told.


def test_features_do_not_depend_on_the_names_of_suits() -> None:
    """Renaming the suits of all cards changes none of the 34 numbers."""
    deck = Deck(ranks=6)
    flop, random = tuple(sorted(parse_cards("As Kh Td", deck))), np.random.default_rng(1)
    renamed = np.arange(52) // 4 * 4 + np.array([2, 0, 3, 1])[np.arange(52) % 4]
    cards, other_cards = FlopCards(deck, flop, 2), FlopCards(deck, tuple(sorted(renamed[list(flop)].tolist())), 2)
    low, high = renamed[deck.hands.astype(np.int64)].T
    hand_map = deck.hand_table[low, high].astype(np.int64)
    np.testing.assert_allclose(cards.board, other_cards.board)
    np.testing.assert_allclose(cards.hands, other_cards.hands[hand_map], atol=1e-6)
    own, other = (random.choice(np.flatnonzero(cards.live), 60) for _ in range(2))
    apart = ~(deck.hands[own][:, :, None] == deck.hands[other][:, None]).any(axis=(1, 2))
    own, other = own[apart], other[apart]
    np.testing.assert_allclose(cards.pairs(own, other), other_cards.pairs(hand_map[own], hand_map[other]), atol=1e-6)


def test_seats_change_places() -> None:
    """Seen from the other seat own and the other's numbers change places, and those of both their signs."""
    deck, game = Deck(ranks=6), cp.load(HUNL_24)
    cards = FlopCards(deck, tuple(sorted(parse_cards("As Kh Td", deck))), 2)
    own = np.flatnonzero(cards.live)[:1]
    other = np.flatnonzero(cards.live)[-1:]
    state = game.betting_after(("b300", "c", "AsKhTd", "b600"))  # type: ignore[attr-defined]
    state = game.betting.apply(state, 0)  # type: ignore[attr-defined]
    seen = [betting_features(game.betting, state, seat) for seat in range(2)]  # type: ignore[attr-defined]
    rows = [
        cards.rows(*hands, betting, cards.pairs(*hands))[0]
        for hands, betting in zip(((own, other), (other, own)), seen, strict=True)
    ]
    np.testing.assert_array_equal(rows[0][OWN:OTHER], rows[1][OTHER:BOTH])
    np.testing.assert_array_equal(rows[0][OTHER:BOTH], rows[1][OWN:OTHER])
    np.testing.assert_array_equal(rows[0][BOTH:], -rows[1][BOTH:])
    np.testing.assert_array_equal(rows[0][BETTING:OWN], rows[1][BETTING:OWN])
    np.testing.assert_array_equal(rows[0][:4], rows[1][:4])
    np.testing.assert_array_equal(rows[0][[4, 5, 6, 7]], rows[1][[5, 4, 7, 6]])
    assert rows[0][[4, 7]].tolist() == [1, 1]  # seat 0 bet the flop, the button opened


def test_features_by_hand() -> None:
    """Shares of beaten hands and of wins by enumeration; a flush draw by its outs."""
    deck = Deck(ranks=6)
    flop = tuple(sorted(parse_cards("As Ks Td", deck)))
    cards = FlopCards(deck, flop, 2)
    own, other = ([int(deck.hand_table[*parse_cards(hand, deck)])] for hand in ("Qs Js", "Ac Kd"))
    strength = board_strengths([flop], deck=deck)[0].astype(int)
    met = [k for k in np.flatnonzero(cards.live) if not set(deck.hands[k]) & set(deck.hands[other[0]])]
    beaten = np.mean([(np.sign(strength[other[0]] - strength[k]) + 1) / 2 for k in met])
    assert cards.hands[other[0], 0] == pytest.approx(beaten)
    assert cards.hands[own[0], 3] == pytest.approx(4 / 8)  # Broadway
    assert cards.hands[own[0], 5] == pytest.approx(1 / 19)  # the nine of spades: the ten makes a straight flush
    left = [card for card in deck.cards.tolist() if card not in (*flop, *deck.hands[own[0]], *deck.hands[other[0]])]
    boards = [(*flop, a, b) for k, a in enumerate(left) for b in left[:k]]
    ends = board_strengths(boards, deck.hands[[own[0], other[0]]], deck).astype(int)
    assert cards.pairs(np.array(own), np.array(other))[0].tolist() == pytest.approx(
        [np.sign(ends[:, 0] - ends[:, 1]).mean(), 1.0]
    )


# Examples.


@pytest.mark.slow
def test_roll_outs_are_exact_on_average(tiny: Blueprint) -> None:
    """The means of the four continuations of either seat are those by enumeration of boards and actions."""
    deck, factors, picks = tiny.game.deck, biases(10.0), one_seat_picks(PICKS)
    cards = bucket_lookup(tiny.tree, tiny.abstractions)
    player = PairRollouts(tiny.tree, strategy_of(tiny), cards, factors, picks, seed=5)
    flop = tuple(sorted(parse_cards("As Kh Qd", deck)))
    pairs = np.array([parse_cards(hands, deck) for hands in ("Ac Ad Kd Ks", "Jc Js Qs Kc", "Ah Qh Jd Js")])
    hands = pairs.reshape(-1, 2, 2).astype(np.uint8)
    end = 2
    found = player.run(np.full(3, end), np.tile(np.array(flop, dtype=np.uint8), (3, 1)), hands, 20_000)
    numbers = deck.hand_table[hands[..., 0], hands[..., 1]].astype(np.int64)
    for place in (0, 3, 5):
        first, second = picks[place]
        exact = exact_values(tiny, int(player.ends[end]), flop, (factors[first], factors[second]))
        wanted = exact[numbers[:, 0], numbers[:, 1]]
        means = found[:, :, place].mean(axis=1)
        error = 600 / np.sqrt(20_000)  # nobody wins more than the stack of 600
        np.testing.assert_allclose(means, wanted, atol=3 * error)
        np.testing.assert_allclose(found[:, 0, place], found[:, 1, place], atol=6 * error)
    assert np.abs(found[:, :, 0] - found[:, :, 3]).max() > 20  # bias matters


def test_examples_are_the_same_for_the_same_seed(tiny: Blueprint) -> None:
    one, more, other = (
        make_examples(tiny.tree, strategy_of(tiny), count, 4, seed=seed)
        for count, seed in ((PER_FLOP, 3), (2 * PER_FLOP, 3), (PER_FLOP, 4))
    )
    assert one.count == PER_FLOP
    for seat in range(2):
        np.testing.assert_array_equal(one.inputs[seat], more.inputs[seat][:PER_FLOP])
        np.testing.assert_array_equal(one.targets[seat], more.targets[seat][:PER_FLOP])
        assert not np.array_equal(one.inputs[seat], other.inputs[seat])
    np.testing.assert_allclose(one.targets[0][..., 0], -one.targets[1][..., 0])  # both by their blueprints: zero-sum
    assert np.abs(one.targets[0]).max() <= 3.0  # half a pot of 200 and the 500 behind, at most


def test_every_end_can_be_an_example(tiny: Blueprint) -> None:
    ends = ends_of_second_round(tiny.tree)
    lines = [tiny.tree.line(int(node)) for node in ends]
    assert len(set(lines)) == len(lines) == 5
    found = make_examples(tiny.tree, strategy_of(tiny), 4 * PER_FLOP, 2)
    wanted = [betting_features(tiny.game.betting, state_after(tiny.tree, int(node)), 0) for node in ends]
    seen = {tuple(row) for row in found.inputs[0][:, :BETTING].tolist()}
    assert seen == {tuple(row.tolist()) for row in wanted}


# Leaves.


@pytest.mark.parametrize("isomorphism", [True, False])
@pytest.mark.parametrize("seat", [0, 1])
def test_leaves_are_zero_sum_matrices(
    random_blueprint: Blueprint, seat: int, isomorphism: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matrices and products agree, what one wins the other loses, and hands that share a card are worth nothing."""
    leaves = NetworkLeaves(untrained(random_blueprint), seat)
    belief = at_flop(random_blueprint, ("c", "c", "AsKhQh"))
    game, known = cut_round(belief, leaves, POT, isomorphism)
    nodes, picks = known.nodes, known.picks
    matrices = leaves.matrices(game, nodes, picks)
    assert matrices is not None
    reach = np.random.default_rng(2).random((2, len(nodes), game.hand_counts[0]))
    if isomorphism:  # hands of a group arrive alike
        groups = matrices[0].groups[0]
        reach = reach[..., [np.flatnonzero(groups == group)[0] for group in groups]]
    batch = LeafBatch(game, nodes, picks, (reach[0], reach[1]))
    by_matrix, by_product = linear_values(matrices, batch), leaves.values(batch)
    for own, other in zip(by_matrix, by_product, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-3, atol=2e-2)
    won = [(by_product[k] * reach[k]).sum(axis=1) for k in range(2)]
    np.testing.assert_allclose(won[0], -won[1], rtol=1e-4, atol=0.5)
    assert np.abs(won[0]).max() > 100
    if not isomorphism:
        np.testing.assert_array_equal(matrices[0].values[0][~game.pairs_apart], 0.0)
    monkeypatch.setattr(evaluator, "MOST_TABLES", 1e3)
    assert leaves.matrices(game, nodes, picks) is None


def test_values_are_what_the_network_says_of_the_pair(random_blueprint: Blueprint) -> None:
    """The output for a pair times the pot of the leaf, a pot that the blueprint lacks."""
    belief = at_flop(random_blueprint, ("c", "c", "AsKhQh"))
    networks = untrained(random_blueprint)
    leaves = NetworkLeaves(networks, 0)
    game, known = cut_round(belief, leaves, POT)
    nodes, picks = known.nodes, known.picks
    at = next(k for k, node in enumerate(nodes) if node.steps == (0, 300, 0) and picks[k] == (0, 2))
    deck = game.deck
    cards = FlopCards(deck, tuple(sorted(parse_cards("As Kh Qh", deck))), 2)
    pair = [np.array([deck.hand_table[*parse_cards(hand, deck)]], dtype=np.int64) for hand in ("Tc Td", "Ad Ac")]
    betting = betting_features(game.betting, nodes[at].state, 1)
    shares = networks.networks[1](cards.rows(pair[1], pair[0], betting, cards.pairs(pair[1], pair[0])))[0, 2]
    behind = 2000 - 300
    wanted = np.clip(shares, -0.5 - behind / 600, 0.5 + behind / 600) * pot_of(nodes[at])
    assert pot_of(nodes[at]) == 600
    hand = [int(np.flatnonzero(game.hand_numbers[seat] == pair[seat][0])[0]) for seat in range(2)]
    matrix = leaves.matrices(game, nodes, picks)
    assert matrix is not None
    assert matrix[at].values[1][hand[1], hand[0]] == pytest.approx(wanted, rel=1e-4)
    assert matrix[at].values[0][hand[0], hand[1]] == pytest.approx(-wanted, rel=1e-4)


# Files.


def test_wrong_files_are_refused(random_blueprint: Blueprint, tmp_path: Path) -> None:
    file, networks = tmp_path / "one.network.cpz", untrained(random_blueprint)
    networks.save(file)
    found = load_leaf_networks(file, random_blueprint.digest)
    rows = np.random.default_rng(0).random((5, FEATURES)).astype(np.float32)
    for seat in range(2):
        np.testing.assert_array_equal(found.networks[seat](rows), networks.networks[seat](rows))
    with pytest.raises(InputError, match="for another blueprint"):
        load_leaf_networks(file, "another")
    Trained("leduc_poker", "deep-cfr", {"seat 0 picks": networks.networks[0]}).save(file)
    with pytest.raises(InputError, match="networks of deep-cfr, not of leaf values"):
        load_leaf_networks(file, random_blueprint.digest)
    made = {"blueprint": random_blueprint.digest}
    Trained("leduc_poker", "leaf-values", {"seat 0 picks": networks.networks[0]}, made).save(file)
    with pytest.raises(InputError, match="lacks a network of 34 inputs"):
        load_leaf_networks(file, random_blueprint.digest)


@pytest.mark.parametrize(
    "wrong", [{"examples": 10}, {"rollouts": 1}, {"rollouts": 5}, {"hidden": (0,)}, {"kept_apart": 1.0}]
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        LeafTraining(**wrong)


def test_training_that_is_cancelled_writes_nothing(trained_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "copy.cpz"
    file.write_bytes(trained_file.read_bytes())
    cancel = CancelToken()
    cancel.cancel()
    assert make_leaf_networks(str(file), False, cancel) is None
    assert not networks_path(str(file)).exists()


# The agent.


@pytest.fixture(scope="module")
def with_networks(trained_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A blueprint with networks beside it, which know nothing."""
    file = tmp_path_factory.mktemp("networks") / "small.cpz"
    file.write_bytes(trained_file.read_bytes())
    untrained(Modicum(str(file)).blueprint).save(networks_path(str(file)))
    return file


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COUNTERPOISE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.slow
def test_the_agent_searches_with_networks(with_networks: Path) -> None:
    agent = Modicum(str(with_networks), fast=True, search=SMALL, leaves="network")
    own = agent.sit(cp.load(HUNL_24), 1, Random(0))
    belief = own.belief((*FLOP, "b733"))  # a bet that the blueprint lacks
    assert isinstance(belief.strategy, SolvedStrategy)
    assert belief.exact
    assert [note.method for note in own.searches if len(note.public) == 3] == ["network"]
    sums = own.probabilities((*FLOP, "b733")).table.sum(axis=1)
    np.testing.assert_allclose(sums, belief.game.deck.live_hands(parse_cards("As Kh Qd", belief.game.deck)), atol=1e-6)
    single = Modicum(str(with_networks), fast=True, search=SMALL, leaves="network", values="single")
    other = single.sit(cp.load(HUNL_24), 1, Random(0)).probabilities((*FLOP, "b733"))
    assert np.abs(other.table - own.probabilities((*FLOP, "b733")).table).max() > 0.01


def test_menus_are_cut_to_what_may_be_valued(random_blueprint: Blueprint) -> None:
    belief = at_flop(random_blueprint, FLOP)
    rich, poor = Menu(("50%", "100%"), ("100%",)).sizes(4), Menu(("100%",), ()).sizes(4)
    rules, pairs = few_leaves(belief, [rich, poor], (1, 4), 1e9)
    assert rules.sizes == rich
    fewer, less = few_leaves(belief, [rich, with_action(poor, belief, "b733")], (1, 4), pairs - 1)
    assert fewer.value_leaves == 4 * 4  # checks, a bet of either seat that is called, and the bet of 733
    assert less == 4 * 210**2 < pairs
    assert few_leaves(belief, [rich, poor], (1, 4), 0.0)[0].sizes == poor


def test_what_is_missing_is_said(trained_file: Path, with_networks: Path) -> None:
    agent = cp.make_agent(f"modicum:{with_networks}(leaves=network)")
    assert isinstance(agent, Modicum)
    assert agent.leaves == "network"
    with pytest.raises(InputError, match="leaves must be"):
        Modicum(str(trained_file), leaves="guess")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="if both seats pick"):
        Modicum(str(trained_file), leaves="network", search=ModicumSearch(both=True))
    with pytest.raises(InputError, match="needs networks of leaf values"):
        Modicum(str(trained_file), search=SMALL, leaves="network").sit(cp.load(HUNL_24), 0, Random(0))


@pytest.mark.long
def test_networks_come_near_exact_values(tiny: Blueprint) -> None:
    """Over all pairs on a flop networks of two layers are five times nearer than values of 0 (RMS)."""
    settings = LeafTraining(examples=20_000, rollouts=32, epochs=30, seed=1)
    trained = train_leaf_networks(tiny.tree, strategy_of(tiny), tiny.digest, settings, SilentProgress())
    assert trained is not None
    for seat, losses in enumerate(trained.made["losses"]):
        assert losses["noise"] < losses["network"] < losses["zero"] / 2, seat
    flop, factors = tuple(sorted(parse_cards("As Kh Kd", tiny.game.deck))), biases(10.0)
    belief = at_flop(tiny, ("c", "c", "AsKhKd"))
    for seat in range(2):
        leaves = NetworkLeaves(trained, seat)
        game, known = cut_round(belief, leaves, GameMenu(home=tiny.game))
        matrices = leaves.matrices(game, known.nodes, known.picks)
        assert matrices is not None
        errors, sizes = [], []
        for node, picked, matrix in zip(known.nodes, known.picks, matrices, strict=True):
            end = tiny.tree.node_after(("c", "c", *("c" if step == 0 else f"b{step}" for step in node.steps)))
            exact = exact_values(tiny, end, flop, (factors[picked[0]], factors[picked[1]]))
            wanted = exact[np.ix_(*game.hand_numbers)]
            met = game.pairs_apart
            errors.append(((matrix.values[0] - wanted)[met] / pot_of(node)) ** 2)
            sizes.append((wanted[met] / pot_of(node)) ** 2)
        assert np.sqrt(np.mean(sizes) / np.mean(errors)) > 5


class Stopping(SilentProgress):
    """Cancels what it is shown."""

    def __init__(self, cancel: CancelToken) -> None:
        self.cancel = cancel

    def show(self, fraction: float | None, figure: str) -> None:
        self.cancel.cancel()


@pytest.mark.long
def test_the_same_seed_trains_the_same_weights_and_plays_legal_hands(trained_file: Path, tmp_path: Path) -> None:
    """Hands against an opponent that bets anything, by networks that were trained for a second.

    The second training is stopped after the first flop and goes on from there.
    """
    file = tmp_path / "copy.cpz"
    file.write_bytes(trained_file.read_bytes())
    weights = []
    for stopped in (False, True):
        kept = file.with_name("copy.network.training.cpz")
        if stopped:
            cancel = CancelToken()
            assert make_leaf_networks(str(file), Stopping(cancel), cancel, examples=2_000, rollouts=4, epochs=2) is None
            assert len(read_cpz(kept)[1]["inputs0"]) == PER_FLOP
        assert make_leaf_networks(str(file), False, examples=2_000, rollouts=4, epochs=2) == networks_path(str(file))
        assert not kept.exists()
        digest = Modicum(str(file)).blueprint.digest
        weights.append([one.flat() for one in load_leaf_networks(networks_path(str(file)), digest).networks])
    np.testing.assert_array_equal(weights[0], weights[1])
    agent = Modicum(str(file), fast=True, search=SMALL, leaves="network")
    found = cp.match(HUNL_24, [agent, AnyBet()], hands=20, seed=3, progress=False)
    assert found.agents[0].forfeits == {"error": 0, "illegal": 0, "late": 0}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("tartanian7", "--network", "--out", "t"), "--network is for modicum, not for tartanian7"),
        (("modicum", "--network"), "--out is missing"),
    ],
)
def test_wrong_commands(words: tuple[str, ...], sentence: str) -> None:
    found = CliRunner().invoke(app, ["train-agent", *words])
    assert found.exit_code == 2
    assert sentence in " ".join(found.stderr.split())


@pytest.mark.long
def test_the_command_trains_beside_a_blueprint(trained_file: Path, tmp_path: Path) -> None:
    """`train-agent modicum --network --out FILE` leaves the blueprint as it is and writes networks for it."""
    file = tmp_path / "copy.cpz"
    file.write_bytes(trained_file.read_bytes())
    found = CliRunner().invoke(app, ["train-agent", "modicum", "--network", "--out", str(file), "--json"])
    assert found.exit_code == 0
    assert list(json.loads(found.stdout)["files"]) == ["copy.network.cpz"]
    known = load_leaf_networks(networks_path(str(file)), Modicum(str(file)).blueprint.digest)
    assert known.made["examples"] >= 20_000
    assert all(one["network"] < one["zero"] / 2 for one in known.made["losses"])
