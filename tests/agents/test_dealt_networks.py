"""Networks of hold'em that is dealt: they play as strategy:FILE, and say what they do with every hand."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.agents.make import make_agent
from counterpoise.deep.card_network import CardShape
from counterpoise.deep.dealt import DealtHoldem
from counterpoise.deep.files import Trained
from counterpoise.deep.networks import new_network
from counterpoise.deep.playing import policy_of
from counterpoise.deep.shipped import shipped_networks
from counterpoise.errors import InputError
from counterpoise.games.holdem import Holdem
from counterpoise.games.known import possible_observations

LIMIT = "limit_holdem(board=[0, 3], ranks=4, suits=2, bets=[2, 2])"
NO_LIMIT = "no_limit_holdem(board=[0, 3], stack=20, ranks=4, suits=2)"
NO_FAULTS = {"error": 0, "illegal": 0, "late": 0}


def networks_for(name: str, kind: str) -> Trained:
    """Return networks with random weights for a game."""
    rules = cp.load(name)
    assert isinstance(rules, Holdem)
    game = DealtHoldem(rules)
    shape = CardShape(
        groups=game.groups,
        card_inputs=game.card_inputs,
        bet_inputs=game.bet_inputs,
        outputs=len(game.actions),
        width=8,
        head_scale=3.0,
    )
    random = np.random.default_rng(5)
    if kind == "nfsp":
        return Trained(game.name, kind, {f"average{player}": new_network(shape, random) for player in (0, 1)})
    if kind == "deep-cfr":
        return Trained(game.name, kind, {"average": new_network(shape, random)})
    names = ("player0-0", "player0-1", "player1-1")
    made = {"weights": [[1.0, 2.0], [1.0, 2.0]]}
    return Trained(game.name, kind, {own: new_network(shape, random) for own in names}, made)


@pytest.fixture(scope="module", params=["deep-cfr", "nfsp", "single-deep-cfr"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dealt") / f"{request.param}.cpz"
    networks_for(LIMIT, request.param).save(out)
    return out


@pytest.mark.long
def test_they_play_matches(file: Path) -> None:
    found = cp.match(LIMIT, [f"strategy:{file}", "random"], hands=30, seed=2, progress=False)
    assert found.agents[0].forfeits == NO_FAULTS
    assert make_agent(f"strategy:{file}").home == LIMIT
    again = cp.match(LIMIT, [f"strategy:{file}", "random"], hands=30, seed=2, processes=2, progress=False)
    assert again.agents[0].mean == found.agents[0].mean
    assert cp.arena([f"strategy:{file}", "random"], LIMIT, 3, memory=False, progress=False).agents[0].forfeits == 0


@pytest.mark.parametrize("kind", ["deep-cfr", "nfsp"])
@pytest.mark.parametrize("public", [(), ("b4", "c", "QsJsJh"), ("c", "c", "AsKsKh", "c", "b4")])
def test_probabilities_of_hands_are_those_of_the_policy(tmp_path: Path, kind: str, public: tuple[str, ...]) -> None:
    """Asked for all hands or for one, the agent says what the policy of training says at the same key."""
    trained = networks_for(LIMIT, kind)
    trained.save(tmp_path / "a.cpz")
    rules = cp.load(LIMIT)
    assert isinstance(rules, Holdem)
    seat = rules.betting_after(public).to_act
    agent = make_agent(f"strategy:{tmp_path / 'a.cpz'}").sit(rules, seat, Random(0))
    behaviour, game = agent.probabilities(public), DealtHoldem(rules)
    node = game.tree.node_after(public)
    assert behaviour.actions == game.tree.labels(node)
    for hand, seen in possible_observations(rules, seat, public).items():
        told = behaviour.of_hand(hand)
        if seen is None:
            assert not any(told.values())
            continue
        assert agent.mixed(seen) == pytest.approx(told, abs=1e-6)  # type: ignore[attr-defined]
        board = "".join(event for event in public if event[0] not in "fcb")
        cards = [cp.cards.parse_cards(text) for text in (hand, board)]
        key = game.keys_of(np.array([cards[0]], dtype=np.uint8), cards[1], node)
        row = policy_of(trained, game)(seat, key)[0]
        assert list(told.values()) == pytest.approx(row[game.legal(key)[0]].tolist(), abs=1e-6)


def test_of_a_mixture_one_network_is_drawn_for_a_hand(tmp_path: Path) -> None:
    networks_for(LIMIT, "single-deep-cfr").save(tmp_path / "a.cpz")
    rules = cp.load(LIMIT)
    assert isinstance(rules, Holdem)
    agent = make_agent(f"strategy:{tmp_path / 'a.cpz'}").sit(rules, 1, Random(3))
    with pytest.raises(InputError, match="draws a network for each hand"):
        agent.probabilities(())
    hand = rules.deck.hand_names[0]
    first, later = (possible_observations(rules, 1, public)[hand] for public in ((), ("b4", "b6")))
    found = set()
    for _ in range(30):
        begun = tuple(agent.mixed(first).values())  # type: ignore[attr-defined]
        went_on = {tuple(agent.mixed(later).values()) for _ in range(3)}  # type: ignore[attr-defined]
        assert len(went_on) == 1
        found.add((begun, *went_on))
    assert len(found) == 2
    assert agent.switches


def test_a_network_that_searches_plays_by_its_own_name(tmp_path: Path) -> None:
    shipped_networks("rebel", "mini_turn_holdem").save(tmp_path / "a.cpz")
    with pytest.raises(InputError, match=r"plays by search: let it play as rebel:.*a\.cpz"):
        make_agent(f"strategy:{tmp_path / 'a.cpz'}")


@pytest.mark.slow
def test_bets_that_the_networks_do_not_know_are_translated(tmp_path: Path) -> None:
    for kind in ("deep-cfr", "single-deep-cfr"):
        networks_for(NO_LIMIT, kind).save(tmp_path / "a.cpz")
        played = cp.match(
            NO_LIMIT.replace("stack", "sizes=['33%', '66%'], stack"),
            [f"strategy:{tmp_path / 'a.cpz'}", "random"],
            hands=30,
            progress=False,
        )
        assert played.agents[0].forfeits == NO_FAULTS
