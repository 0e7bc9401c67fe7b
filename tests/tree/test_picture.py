"""Pictures of games: figures against a walk over the rules, drawings that hold all of them, sizes that are refused."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

import counterpoise as cp
from counterpoise.plots.game_tree import DrawnNode, draw_game_tree

SVG = "{http://www.w3.org/2000/svg}"


def walked(game, strategy, state=None, reach=1.0, others=None, move=("", None)):
    """Yield every history in preorder with its figures, by recursion over the rules; regrets are summed afterwards."""
    state, others = (game.initial(), (1.0,) * game.players) if state is None else (state, others)
    who = game.player(state)
    here = {"action": move[0], "probability": move[1], "reach": reach, "player": who, "others": others, "key": None}
    yield here
    if who == cp.TERMINAL:
        here["values"] = tuple(map(float, game.payoffs(state)))
        return
    if who == cp.CHANCE:
        moves = list(game.chance(state))
    else:
        here["key"] = (who, game.infoset(state))
        moves = list(strategy[here["key"]].items())
    total, here["after"] = [0.0] * game.players, {}
    for name, probability in moves:
        seen = tuple(weight * (probability if seat != who else 1.0) for seat, weight in enumerate(others))
        below = list(walked(game, strategy, game.next(state, name), reach * probability, seen, (name, probability)))
        here["after"][name] = below[0]["values"]
        total = [sum_ + probability * value for sum_, value in zip(total, below[0]["values"], strict=True)]
        yield from below
    here["values"] = tuple(total)


def regrets_of(histories):
    """Return the sum over the histories of an infoset of the others' reach times what an action gains."""
    regrets = Counter()
    for history in histories:
        if history["key"] is not None:
            seat = history["player"]
            for action, values in history["after"].items():
                gain = values[seat] - history["values"][seat]
                regrets[history["key"], action] += history["others"][seat] * gain
    return regrets


@pytest.mark.parametrize("name", ["kuhn_poker", "coin_toss", "matching_pennies", "kuhn_poker(players=3)"])
def test_figures_are_those_of_a_walk_over_the_rules(name):
    run = cp.solve(name, "cfr", iterations=7, progress=False)
    depth = 4 if "players" in name else None
    picture = cp.draw_tree(name, run, depth=depth)
    histories = list(walked(cp.load(name), run.strategy))
    regrets = regrets_of(histories)
    assert picture.histories == len(histories)
    assert picture.exploitability == run.exploitability
    if depth is None:
        expected = histories
    else:
        expected, walk = [], iter(histories)
        for node in picture.nodes:
            expected.append(next(walk))
            for _ in range(node.left_out):
                next(walk)
        assert next(walk, None) is None
    for node, history in zip(picture.nodes, expected, strict=True):
        assert (node.player, node.action) == (history["player"], history["action"])
        assert node.reach == pytest.approx(history["reach"], abs=1e-12)
        assert node.values == pytest.approx(history["values"], abs=1e-12)
        assert node.probability == (None if node.parent < 0 else pytest.approx(history["probability"]))
        if history["key"]:
            assert (node.player, node.infoset) == history["key"]
        above = picture.nodes[node.parent]
        if node.parent >= 0 and above.player >= 0:
            assert node.regret == pytest.approx(regrets[(above.player, above.infoset), node.action], abs=1e-12)
        else:
            assert node.regret is None


def texts(drawing):
    return ["".join(text.itertext()) for text in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


def test_a_drawing_holds_every_decision_and_joins_what_cannot_be_told_apart(tmp_path: Path):
    picture = cp.draw_tree("kuhn_poker", cp.solve("kuhn_poker", "cfr+", iterations=1000, progress=False))
    drawing = picture.save(tmp_path / "kuhn.svg").read_text()
    assert drawing == picture._repr_svg_()
    root = ElementTree.fromstring(drawing)
    decisions = [node for node in picture.nodes if node.player >= 0]
    assert len(list(root.iter(f"{SVG}circle"))) == len(decisions) + 2  # and a legend of two players
    dashed = [path for path in root.iter(f"{SVG}path") if path.get("stroke-dasharray") == "4 3"]
    assert (
        len(dashed) == len(decisions) - 12 + 1
    )  # each of twelve infosets is joined by one line less than it has nodes
    widths = {float(path.get("stroke-width")) for path in root.iter(f"{SVG}path") if path.get("stroke-width")}
    assert max(widths) == 6.0
    words = texts(drawing)
    assert sum(word == "K:pb" for word in words) == 2
    assert "p  0.667" in words  # player 2 folds a queen to a bet two times in three
    assert any(
        "exploitability" in word and word.startswith("cfr+, 1,000 iterations: worth −0.056, +0.056") for word in words
    )
    bare = texts(cp.draw_tree("kuhn_poker")._repr_svg_())
    assert not any("regret" in word or "reach" in word for word in bare)
    assert {"JQ  0.167", "p", "b", "+2", "−2"} <= set(bare)


def test_words_of_a_game_are_text_and_nothing_else():
    nodes = [
        DrawnNode(-1, 0, "", "<b>&", None, None, None, None, 0),
        DrawnNode(0, -2, '<script>"', "", None, None, None, (1.0, -1.0), 0),
    ]
    assert {"<b>&", '<script>"', "a<b"} <= set(texts(draw_game_tree(nodes, title="a<b")))


def test_regrets_of_a_solver_can_be_shown_instead():
    solver = cp.solver("kuhn_poker", "cfr")
    solver.step(3)
    picture = cp.draw_tree("kuhn_poker", solver.current, regrets=solver.regrets, caption="iteration 3")
    table = solver.tree.table
    start = int(table.start[table.find((0, "J:"))])
    first = next(node for node in picture.nodes if node.infoset == "J:")
    shown = [node.regret for node in picture.nodes if node.parent == picture.nodes.index(first)]
    assert shown == solver.regrets[start : start + 2].tolist()
    with pytest.raises(cp.InputError, match="regrets of kuhn_poker are 26 numbers"):
        cp.draw_tree("kuhn_poker", solver.current, regrets=solver.regrets[1:])
    with pytest.raises(cp.InputError, match="regrets need the strategy"):
        cp.draw_tree("kuhn_poker", regrets=solver.regrets)


def test_larger_games_need_a_depth():
    with pytest.raises(
        cp.InputError, match=r"depth must be at most 5 for a picture of leduc_poker \(328\): it has 1,936"
    ):
        cp.draw_tree("leduc_poker")
    with pytest.raises(cp.InputError, match="depth must be a whole number"):
        cp.draw_tree("leduc_poker", depth=0)
    picture = cp.draw_tree("leduc_poker", depth=5)
    assert len(picture.nodes) == 328
    assert len(picture.nodes) + sum(node.left_out for node in picture.nodes) == 1936
    assert re.search(r"… \d+ more", picture._repr_svg_())

    class Wide:
        players, name = 1, "wide"

        def initial(self):
            return ""

        def player(self, state):
            return cp.TERMINAL if state else 0

        def actions(self, state):
            return [str(k) for k in range(500)]

        def next(self, state, action):
            return action

        def infoset(self, state):
            return "start"

        def payoffs(self, state):
            return (0.0,)

    with pytest.raises(cp.InputError, match="wide cannot be drawn: it has 501 histories"):
        cp.draw_tree(Wide(), depth=1)
