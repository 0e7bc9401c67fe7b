"""Value leaves: cut games are worth what the whole is, wherever they are cut and however their leaves are evaluated."""

import numpy as np
import pytest

from counterpoise.betting.rules import Betting
from counterpoise.betting.sizes import BetSizes
from counterpoise.cards import Deck, Range
from counterpoise.errors import InputError
from counterpoise.public import (
    BelowNode,
    Cut,
    FlopHoldem,
    HoldemRules,
    Learning,
    Lock,
    Profile,
    Traverser,
    build_dense,
    build_holdem,
)
from counterpoise.public.leaves import LeafMatrix, ValueLeaves
from counterpoise.search import Subgame, make_gadget
from counterpoise.search.leaves import LeafTable, counterpart
from counterpoise.solvers.public.solver import public_schedule
from counterpoise.solvers.run import make_algorithm


def schedule(iterations, algorithm="cfr+"):
    return public_schedule(make_algorithm(algorithm), 0, iterations)


def solved(game, iterations=30):
    learning = Learning.fresh(game)
    Traverser(game).iterate(learning, schedule(iterations))
    return learning.average


class Plain:
    """An evaluator that only knows values for a batch, and what it was asked."""

    def __init__(self, inner):
        self.inner, self.counts, self.asked = inner, inner.counts, []

    def values(self, batch):
        self.asked.append(batch)
        return self.inner.values(batch)


def two_deals(isomorphism=True):
    """Hold'em with twelve cards from a flop on: leaves at the first deal have two streets below, at the second one."""
    deck = Deck(ranks=3)
    everything = Range(np.ones(deck.hand_count), deck)
    table = {"bet": ["100%"], "raise": []}
    sizes = BetSizes.read({"flop": table, "turn": table, "river": table}, first_round=1)
    rules = HoldemRules(
        tuple(deck.cards.tolist()[:2]) + tuple(deck.cards.tolist()[4:5]),
        (everything, everything),
        Betting.spot(pot=10, stack=60, first_round=1),
        sizes,
        deck,
        isomorphism=isomorphism,
    )
    return build_holdem(rules)


GAMES = {
    "flop to river": two_deals,
    "leduc": lambda: build_dense("leduc_poker"),
    "liar's dice": lambda: build_dense("liars_dice(dice=1, faces=3)"),
    "flop hold'em": lambda: FlopHoldem(3, 200, ("100%",), ("100%",), (2, 1)).game(),
    "short stacks": lambda: FlopHoldem(3, 4, ("100%", "allin"), ("100%",), (3, 1)).game(),
}
CUTS = [
    Cut(),
    Cut(deals=2),
    Cut(depth=1),
    Cut(depth=2),
    Cut(depth=3),
    Cut(depth=4),
    Cut(depth=100),
    Cut(depth=3, choices=(2, 1)),
]


@pytest.fixture(scope="module", params=GAMES)
def whole(request):
    game = GAMES[request.param]()
    return game, solved(game)


def cut_game(game, cut):
    return game.subtree(game.root, (game.reach_at_root(0), game.reach_at_root(1)), cut=cut)


def part_of(whole, cut):
    """The strategies of a profile of the whole game in a cut one; at leaves the players always pick the first."""
    found = Profile(cut)
    for node in cut.root.decisions_below():
        if node.decision.choice:
            rows = np.zeros((len(node.actions), cut.hand_counts[node.player]))
            rows[0] = 1
        else:
            rows = counterpart(whole.game, node).strategy(whole)
        node.set_strategy(found, rows)
    return found


@pytest.mark.parametrize("cut", CUTS, ids=repr)
def test_values_are_those_of_the_whole_game(whole, cut):
    """With the blueprint above the leaves and below, by matrices or for the ranges of each traversal."""
    game, blueprint = whole
    limited, table = cut_game(game, cut), LeafTable(game, ([blueprint] * cut.choices[0], [blueprint] * cut.choices[1]))
    played = part_of(blueprint, limited)
    wanted = Traverser(game).hand_values(blueprint)
    for leaves in (table, Plain(table)):
        found = Traverser(limited, leaves=leaves).hand_values(played)
        for seat in range(2):
            np.testing.assert_allclose(found[seat], wanted[seat], rtol=1e-4, atol=1e-4 * np.abs(wanted[seat]).max())


@pytest.mark.parametrize("cut", CUTS[:4], ids=repr)
def test_reach_in_a_batch_is_that_of_the_nodes(whole, cut):
    game, blueprint = whole
    limited, leaves = cut_game(game, cut), Plain(LeafTable(game, ([blueprint], [blueprint])))
    played = part_of(blueprint, limited)
    Traverser(limited, leaves=leaves).hand_values(played)
    if not limited.value_leaves:
        assert not leaves.asked
        return
    batch = leaves.asked[0]
    assert len(batch.leaves) == limited.value_leaves == len(batch.picks)
    for number, leaf in enumerate(batch.leaves):
        assert leaf.kind == "value"
        for seat, reach in enumerate(leaf.reach(played)):
            np.testing.assert_allclose(batch.reach[seat][number], reach, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("cut", [Cut(), Cut(depth=2), Cut(depth=3)], ids=repr)
def test_solutions_are_those_of_a_game_that_is_locked_below(cut):
    """Leduc with its leaves cut off, and whole with the blueprint locked below: same strategies, same values."""
    game = build_dense("leduc_poker")
    blueprint = solved(game)
    limited, table = cut_game(game, cut), LeafTable(game, ([blueprint], [blueprint]))
    above = {counterpart(game, node) for node in limited.root.decisions_below()}
    locks = [
        Lock(node.tree, node.at[1], node.board, row, tuple(chosen))
        for node in game.root.decisions_below()
        if node not in above
        for row, chosen in enumerate(blueprint.strategy(node.tree, node.at[1], node.board).T.tolist())
    ]
    locked = game.with_locks(locks)
    whole, part = Learning.fresh(locked), Learning.fresh(limited)
    traverser = Traverser(limited, leaves=table)
    Traverser(locked).iterate(whole, schedule(100))
    traverser.iterate(part, schedule(100))
    assert traverser.root_values(part.average) == pytest.approx(Traverser(locked).root_values(whole.average), abs=1e-5)
    assert traverser.exploitability(part.average) == pytest.approx(
        Traverser(locked).exploitability(whole.average), abs=1e-5
    )
    for node in limited.root.decisions_below():
        np.testing.assert_allclose(
            node.strategy(part.average), counterpart(game, node).strategy(whole.average), atol=2e-3
        )


def test_matrices_and_batches_iterate_alike(whole):
    game, blueprint = whole
    limited = cut_game(game, Cut(choices=(2, 3)))
    raising = Traverser(game).best_response(0, blueprint), Traverser(game).best_response(1, blueprint)
    table = LeafTable(game, ([blueprint, raising[0]], [blueprint, raising[1], solved(game, 3)]))
    found = []
    for leaves in (table, Plain(table)):
        learning, traverser = Learning.fresh(limited), Traverser(limited, leaves=leaves)
        traverser.iterate(learning, schedule(20))
        found.append((traverser.root_values(learning.average), traverser.exploitability(learning.average)))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-3, abs=1e-3)
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-2, abs=1e-2)


@pytest.mark.parametrize("choices", [(1, 3), (3, 1), (2, 3)])
@pytest.mark.parametrize("depth", [None, 3])
def test_every_pair_of_picks_has_its_leaf(whole, choices, depth):
    game, _ = whole
    single, several = cut_game(game, Cut(depth=depth)), cut_game(game, Cut(depth=depth, choices=choices))
    assert several.value_leaves == single.value_leaves * choices[0] * choices[1]
    nodes = ValueLeaves(several, Plain(LeafTable(game, ([Profile(game)], [Profile(game)])))).nodes
    by_history = {}
    for node in nodes:
        by_history.setdefault(several.history(node), []).append(node.leaf.picks)
    wanted = sorted((j, k) for j in range(choices[0]) for k in range(choices[1]))
    assert all(sorted(picks) == wanted for picks in by_history.values())


def test_picks_of_hidden_moves_see_nothing():
    """In RPS+ the second player picks once, whatever the first has done, with one leaf for each move and pick."""
    limited = build_dense("rps_plus", hidden=True, cut=Cut(depth=1, choices=(1, 3)))
    (tree,) = limited.street_trees
    assert [(node.player, node.choice) for node in tree.decisions] == [(0, False), (1, True)]
    leaves = ValueLeaves(limited, Zero()).nodes
    assert sorted((leaf.steps, leaf.leaf.picks) for leaf in leaves) == sorted(
        ((move,), (0, pick)) for move in "RPS" for pick in range(3)
    )


class Zero:
    def values(self, batch):
        return np.zeros_like(batch.reach[0]), np.zeros_like(batch.reach[1])


@pytest.mark.parametrize("kind", ["matrices", "batches"])
@pytest.mark.parametrize("method", ["resolve", "maxmargin", "distributional"])
def test_gadgets_before_value_leaves(method, kind):
    """Behind a gadget at the root a cut game and one that is locked below it have the same entries and values."""
    game = build_dense("leduc_poker")
    blueprint = solved(game)
    limited, table = cut_game(game, Cut()), LeafTable(game, ([blueprint], [blueprint]))
    locks = [
        Lock(node.tree, node.at[1], node.board, row, tuple(chosen))
        for node in game.root.decisions_below()
        if node.tree > 0
        for row, chosen in enumerate(blueprint.strategy(node.tree, node.at[1], node.board).T.tolist())
    ]
    found = []
    for part, leaves in ((game.with_locks(locks), None), (limited, table if kind == "matrices" else Plain(table))):
        subgame = Subgame(part, 0, leaves=leaves)
        gadget = make_gadget(subgame, method, np.array([-0.2, 0.1, 0.3]), 0.1 if method == "distributional" else 0.0)
        learning, traverser = Learning.fresh(part), Traverser(part, leaves=leaves)
        traverser.iterate(learning, schedule(50), gadget=gadget)
        found.append((gadget.average[:3] / gadget.average_weight[0], traverser.root_values(learning.average)))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-3)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-3)


def test_values_at_nodes_of_a_cut_game(whole):
    """Nodes below the root: values and best responses are those of the whole game with the blueprint below."""
    game, blueprint = whole
    limited, table = cut_game(game, Cut(depth=3)), LeafTable(game, ([blueprint], [blueprint]))
    played = part_of(blueprint, limited)
    for leaves in (table, Plain(table)):
        traverser = Traverser(limited, leaves=leaves)
        for node in list(limited.root.decisions_below())[:12]:
            here, there = node.values(played, traverser), counterpart(game, node).values(blueprint)
            for seat in range(2):
                scale = max(np.abs(there.node[seat]).max(), 1e-6)
                np.testing.assert_allclose(here.node[seat], there.node[seat], atol=1e-4 * scale)
            assert (node.best_values(node.player, played, traverser) >= here.node[node.player] - 1e-4 * scale).all()


@pytest.mark.long
def test_suits_told_apart_and_not():
    """Hold'em with suit isomorphism and without it: the same strategies have the same values, wherever it is cut."""
    alike, apart = two_deals(True), two_deals(False)
    blueprint = solved(alike, 5)
    for cut in (Cut(), Cut(deals=2), Cut(depth=3)):
        found = []
        for whole, profile in ((alike, blueprint), (apart, part_of(blueprint, apart))):
            limited = cut_game(whole, cut)
            played = part_of(profile, limited)
            traverser = Traverser(limited, leaves=LeafTable(whole, ([profile], [profile])))
            best = [limited.root.best_values(seat, played, traverser) for seat in range(2)]
            found.append([*traverser.hand_values(played), *best])
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-4 * np.abs(one).max())


def test_blocked_hands_have_a_group_that_is_worth_nothing():
    """On the turns of a cut at the second deal, where rows still hold the hands that the board blocks."""
    whole = two_deals()
    limited = cut_game(whole, Cut(deals=2))
    leaves, blocked = ValueLeaves(limited, LeafTable(whole, ([Profile(whole)], [Profile(whole)]))), 0
    tables, boards = leaves.tables, limited.boards
    values = [tables.values[int(begin) :] for begin in tables.begin[0]]
    for node, matrix in zip(leaves.nodes, values, strict=True):
        begin, held = int(boards.begin[0, node.board]), int(boards.held[0, node.board])
        length, group = int(tables.length[0, node.board]), tables.group[begin : begin + held].astype(int)
        assert group.max() < length
        dead = np.isin(limited.hands[0], node.dealt).any(axis=1)
        block = matrix[: length * int(tables.groups[1, node.board])].reshape(-1, length)
        assert not block[:, group[dead]].any()
        assert (group[dead] >= tables.groups[0, node.board]).all()
        assert (group[~dead] < tables.groups[0, node.board]).all()
        member = tables.member[begin : begin + int(tables.groups[0, node.board])]
        assert (group[member] == np.arange(len(member))).all()
        blocked += int(dead.sum())
    assert blocked


def test_nodes_have_values_for_any_reach(whole):
    """At decisions and deals, for the reach of the profile: what the node says; doubled reach, doubled values."""
    game, blueprint = whole
    for node in list(game.root.decisions_below())[:10]:
        below, reach, values = BelowNode(node, blueprint), node.reach(blueprint), node.values(blueprint)
        for seat in range(2):
            scale = max(np.abs(values.node[seat]).max(), 1e-6)
            won = below.values(seat, reach[1 - seat])
            np.testing.assert_allclose(won, values.node[seat], atol=1e-4 * scale)
            np.testing.assert_allclose(below.values(seat, 2 * reach[1 - seat]), 2 * won, rtol=1e-5, atol=1e-6)


def test_deals_above_values_that_are_not_linear_are_refused():
    """One player's reach is not enough to ask an evaluator; with matrices it is."""
    game = build_dense("leduc_poker")
    blueprint = solved(game)
    limited, table = cut_game(game, Cut(depth=3)), LeafTable(game, ([blueprint], [blueprint]))
    played = part_of(blueprint, limited)
    (deal,) = {node.child("c") for node in limited.root.decisions_below() if node.steps == ("c",)}
    assert deal.kind == "deal"
    reach = deal.reach(played)[1]
    below = BelowNode(deal, played, Traverser(limited, leaves=table))
    wanted = BelowNode(counterpart(game, deal), blueprint).values(0, reach)
    np.testing.assert_allclose(below.values(0, reach), wanted, atol=1e-5)
    with pytest.raises(InputError, match="only if the values of its leaves are linear in it"):
        BelowNode(deal, played, Traverser(limited, leaves=Plain(table))).values(0, reach)


class Matrices(Zero):
    """An evaluator of Kuhn poker after one decision that returns given matrices."""

    def __init__(self, change):
        self.change = change

    def matrices(self, game, leaves, picks):
        groups, values = (np.arange(3), np.arange(3)), (np.eye(3), np.eye(3))
        return self.change([LeafMatrix(groups, values) for _ in leaves])


def grouped(first, second=(0, 1, 2)):
    return lambda found: [matrix._replace(groups=(np.array(first), np.array(second))) for matrix in found]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda found: found[:1], "one matrix for each of 2 leaves, not 1 of them"),
        (lambda found: 7, "one matrix for each of 2 leaves, not 7"),
        (lambda found: [matrix.values for matrix in found], "must return a LeafMatrix for each leaf"),
        (lambda found: [matrix._replace(values=matrix.values[:1]) for matrix in found], "must return a LeafMatrix"),
        (lambda found: [matrix._replace(values=(np.eye(2), np.eye(3))) for matrix in found], r"\(3, 3\) for player 0"),
        (lambda found: [matrix._replace(values=(np.eye(3), np.ones(3))) for matrix in found], r"\(3, 3\) for player 1"),
        (lambda found: [matrix._replace(values=(np.eye(3), np.nan * np.eye(3))) for matrix in found], "not finite"),
        (lambda found: [matrix._replace(values=(np.eye(3), "none")) for matrix in found], "must be numbers"),
        (grouped((0, 1)), "number the groups of player 0's 3 hands 0, 1, ... without a gap"),
        (grouped((0, 1, 70000)), "number the groups of player 0's 3 hands"),
        (grouped((0, 1, -2)), "number the groups of player 0's 3 hands"),
        (grouped((0, 1, 2), (0, 0, 2)), "number the groups of player 1's 3 hands"),
        (grouped((0.0, 1.0, 2.0)), "number the groups of player 0's 3 hands"),
        (
            lambda found: [found[0], *grouped((1, 0, 2))(found[1:])],
            "the same groups of hands at all leaves on one board",
        ),
    ],
)
def test_wrong_matrices_are_refused(change, words):
    game = build_dense("kuhn_poker", cut=Cut(depth=1))
    Traverser(game, leaves=Matrices(lambda found: found)).root_values(Profile(game))
    with pytest.raises(InputError, match=words):
        Traverser(game, leaves=Matrices(change)).root_values(Profile(game))


def test_wrong_values_are_refused():
    game = build_dense("kuhn_poker", cut=Cut(depth=1))
    with pytest.raises(InputError, match="stops at 2 value leaves: say what they are worth"):
        Traverser(game)

    class Wrong:
        def __init__(self, found):
            self.found = found

        def values(self, batch):
            return self.found(batch), self.found(batch)

    for found, words in (
        (lambda batch: batch.reach[0][:1], r"shape \(2, 3\) for player 0, not shape \(1, 3\)"),
        (lambda batch: batch.reach[0] * np.nan, "not numbers that are not finite"),
    ):
        with pytest.raises(InputError, match=words):
            Traverser(game, leaves=Wrong(found)).root_values(Profile(game))
    with pytest.raises(InputError, match="depth"):
        Cut(depth=0)
    with pytest.raises(InputError, match="choices"):
        Cut(choices=(0, 1))


def test_hands_of_cut_games_are_those_of_the_whole():
    """A player who does not act before the leaves still has its hands there."""
    assert build_dense("kuhn_poker", cut=Cut(depth=1)).hand_counts == (3, 3)
