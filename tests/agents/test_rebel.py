"""ReBeL at the table: it follows any game it was trained for, safe or not, and refuses others."""

from pathlib import Path
from random import Random

import pytest

import counterpoise as cp
from counterpoise.agents.make import make_agent
from counterpoise.deep import train_networks
from counterpoise.errors import InputError
from counterpoise.games.known import holdem_observation
from counterpoise.tree.evaluation import evaluate_strategy

SMALL = "rebel(updates=8, width=8, games=4, play_throughs=1)"


@pytest.fixture(scope="module")
def dice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("rebel") / "dice.cpz"
    train_networks("liars_dice(faces=2)", SMALL, iterations=1, out=out, progress=False)
    return out


@pytest.mark.slow
def test_it_plays_the_game_of_its_network(dice: Path) -> None:
    for settings in ("", "(unsafe=True)"):
        found = cp.match("liars_dice(faces=2)", [f"rebel:{dice}{settings}", "random"], hands=60, progress=False, seed=1)
        assert found.agents[0].forfeits == {"error": 0, "illegal": 0, "late": 0}
        again = cp.match("liars_dice(faces=2)", [f"rebel:{dice}{settings}", "random"], hands=60, progress=False, seed=1)
        assert again.agents[0].mean == found.agents[0].mean


@pytest.mark.long
def test_a_network_for_leduc_plays_it_with_and_without_suits(tmp_path: Path) -> None:
    """The file is played by search and as the strategy of its play-throughs, and judged; suits may be merged or not."""
    out = tmp_path / "leduc.cpz"
    method = "rebel(updates=8, width=8, games=2, play_throughs=2)"
    found = train_networks("leduc_poker", method, iterations=1, out=out, progress=False)
    assert evaluate_strategy(out, progress=False).exploitability <= found.exploitability + 1e-9
    for game in ("leduc_poker", "leduc_poker(merge_suits=False)"):
        played = cp.match(game, [f"rebel:{out}", "random"], hands=30, progress=False, seed=1)
        assert played.agents[0].forfeits == {"error": 0, "illegal": 0, "late": 0}
    agents = [f"rebel:{out}", f"strategy:{out}", "random"]
    assert len(cp.arena(agents, "leduc_poker", 4, memory=False, progress=False).matches) == 6


@pytest.mark.long
@pytest.mark.parametrize("game", ["leduc_poker(merge_suits=False)", "mini_turn_holdem"])
def test_it_plays_poker_with_public_cards_and_any_bet(game: str, tmp_path: Path) -> None:
    out = tmp_path / "a.cpz"
    train_networks(game, "rebel(updates=8, width=8, games=2, play_throughs=1)", iterations=1, out=out, progress=False)
    opponents = ["random", "always-call"]
    for opponent in opponents:
        found = cp.match(game, [f"rebel:{out}", opponent], hands=20, progress=False)
        assert found.agents[0].forfeits == {"error": 0, "illegal": 0, "late": 0}


@pytest.mark.long
def test_bets_that_the_tree_lacks_are_added() -> None:
    """After bets of any size on the turn and the river it answers by what the rules allow there, and forgets them
    with the hand."""
    game = cp.load("mini_turn_holdem")
    agent = make_agent("rebel").sit(game, 1, Random(4))
    player = agent._player  # type: ignore[attr-defined]
    known = player.game
    for bet in ("b1234", "b3000"):
        agent.new_hand()
        assert player.game is known
        turn = ("7d9hJsKd", bet)
        river = (*turn, "c", "Qs")
        for public in (turn, (*river, "b4777")):
            seen = holdem_observation(game, 1, public, "AdQd")  # type: ignore[arg-type]
            assert agent.act(seen) in seen.actions
            assert player.labels == seen.actions
        pot = game.betting.total_pot(game.betting_after(river))  # type: ignore[attr-defined]
        assert player.game.unit[player.root.state] * game.pot == pot  # type: ignore[attr-defined]
        assert len(player.game.tree_of) > len(known.tree_of)


def test_what_it_cannot_play_is_refused(dice: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no network for liars_dice\(faces=2\), only for liars_dice\(faces=4\)"):
        cp.match("liars_dice(faces=2)", ["rebel", "random"], hands=1, progress=False)
    with pytest.raises(InputError, match=r"was trained for liars_dice\(faces=2\), not for liars_dice\(faces=3\)"):
        cp.match("liars_dice(faces=3)", [f"rebel:{dice}", "random"], hands=1, progress=False)
    other = tmp_path / "table.cpz"
    train_networks("liars_dice(faces=2)", "regression-cfr(regressor=table)", iterations=2, out=other, progress=False)
    with pytest.raises(InputError, match="do not value public belief states"):
        cp.match("liars_dice(faces=2)", [f"rebel:{other}", "random"], hands=1, progress=False)
