"""The cursor into public games of both kinds: where it goes, how it comes back, and who can meet there."""

import numpy as np
import pytest

from counterpoise.errors import InputError
from counterpoise.public import Profile, StreetValues, Traverser, build_dense

from .test_holdem import small

GAMES = {"leduc": lambda: build_dense("leduc_poker"), "turn": lambda: small(1)}


@pytest.mark.parametrize("name", GAMES)
def test_steps_lead_down_and_parents_back(name):
    """Every decision is found again from the root by its steps and deals, and its path ends at the root."""
    game, profile = GAMES[name](), Profile(GAMES[name]())
    decisions = list(game.root.decisions_below())
    trees = game.street_trees
    assert len(decisions) == sum(len(tree.decisions) * int(game.boards_of[tree.street]) for tree in trees)
    assert len({(node.tree, node.at, node.board) for node in decisions}) == len(decisions)
    for node in decisions[:: max(len(decisions) // 50, 1)]:
        path = node.path()
        assert path[0].parent is None
        assert (path[0].tree, path[0].at) == (game.root.tree, game.root.at)
        assert [above.kind for above in path[:-1]].count("deal") == node.street_tree.street
        at, steps = game.root, list(node.steps)
        for following in path[1:]:
            at = at.deal(following.dealt[len(at.dealt) :][0]) if at.kind == "deal" else at.child(steps.pop(0))
        assert (at.tree, at.at, at.dealt) == (node.tree, node.at, node.dealt)
        assert not steps
        assert node.strategy(profile).shape == (len(node.actions), game.hand_counts[node.player])


@pytest.mark.parametrize("name", GAMES)
def test_values_of_a_street_found_together(name):
    """Every decision of a street, after one walk below it, is worth what a walk of its own says, to the bit."""
    game = GAMES[name]()
    profile = Profile(game)
    rng = np.random.default_rng(5)
    for node in game.root.decisions_below():
        node.set_strategy(profile, rng.dirichlet(np.ones(len(node.actions)), game.hand_counts[node.player]).T)
    streets, traverser = {}, Traverser(game)
    for node in list(game.root.decisions_below())[::13]:
        where = node.tree, node.board
        streets[where] = streets.get(where) or StreetValues(node, profile)
        together, alone = streets[where].at(node), node.values(profile, traverser)
        for found, wanted in zip((together.actions, *together.node), (alone.actions, *alone.node), strict=True):
            np.testing.assert_array_equal(found, wanted)
        assert together.actions.any()
    assert 1 < len({tree for tree, _ in streets}) < len(streets)


def test_states_of_betting():
    game = small(1)
    node = game.root.child(0).child(30)
    assert node.state == game.betting.apply(game.betting.apply(game.betting.initial(), 0), 30)
    with pytest.raises(InputError, match="is not a game of betting"):
        _ = build_dense("kuhn_poker").root.state
    with pytest.raises(InputError, match="is not an action here"):
        game.root.child(31)
    with pytest.raises(InputError, match="nothing is dealt at this node"):
        game.root.deal(3)


def test_mass_is_that_of_all_pairs():
    """Hold'em: hands that share no card with one another or with the board. Leduc: chances of all deals."""
    game, rng = small(1), np.random.default_rng(2)
    deal = game.root.child(0).child(0)
    for node in (game.root, deal.deal(int(game.hands[0][0, 0]))):
        for player in range(2):
            own, other = game.hands[player].astype(int), game.hands[1 - player].astype(int)
            alive = [~np.isin(hands, node.dealt).any(axis=1) for hands in (own, other)]
            apart = (own[:, None, :, None] != other[None, :, None, :]).all(axis=(2, 3))
            reach = rng.random(len(other)) * alive[1]
            np.testing.assert_allclose(node.mass(player, reach), alive[0] * (apart @ reach), atol=1e-12)
    leduc = build_dense("leduc_poker")
    met = leduc.root.mass(0, np.ones(leduc.hand_counts[1]))
    assert met.sum() == pytest.approx(1)


def test_subtrees_on_the_same_board_share_its_arrays():
    """A subtree of the same street has the boards of its game; one after a deal those of an earlier one."""
    game = small(1)
    reach = game.weights
    part = game.subtree(game.root.child(0), reach)
    assert part.boards is game.boards
    assert part.board_nodes is game.board_nodes
    assert part.root.state == game.root.child(0).state
    deal = game.root.child(0).child(0)
    card = next(card for card in range(52) if card not in deal.dealt)
    first = game.subtree(deal.deal(card), reach)
    second = game.subtree(deal.deal(card), reach, share_boards_with=first)
    assert second.boards is first.boards
    assert first.rules.board == (*game.rules.board, card)
