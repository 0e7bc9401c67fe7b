import pytest

from counterpoise.games import load

from .walk import best_response, outcome, tree


def _policy(**chances):
    return lambda infoset, labels: [chances.get(label, 0.0) for label in labels]


@pytest.mark.parametrize(
    ("h", "t", "f", "loss"),
    [
        (0.5, 0.25, 0.25, 0.5),
        (1, 0, 0, 0.75),
        (5 / 8, 3 / 8, 0, 0.375),
        (0.5, 0.5, 0, 0.25),
        (0.25, 0.75, 0, 0),
        (0, 1, 0, 0.25),
    ],
)
def test_exploitability_of_the_guesser(h, t, f, loss):
    """The value is 0, so a best reply earns what the guesser loses."""
    policy = _policy(heads=h, tails=t, forfeit=f)
    assert best_response(tree("coin_toss"), 0, policy) == pytest.approx(loss)
    mirrored = _policy(heads=t, tails=h, forfeit=f)
    assert best_response(tree("coin_toss(variant=mirror)"), 0, mirrored) == pytest.approx(loss)


@pytest.mark.parametrize(("d", "loss"), [(0, 0.25), (0.25, 0.125), (0.5, 0), (1, 0.25)])
def test_two_subgames(d, loss):
    """With d the chance of tails minus that of heads in both subgames."""
    policy = _policy(heads=(1 - d) / 2, tails=(1 + d) / 2)
    assert best_response(tree("coin_toss_two_subgames"), 0, policy) == pytest.approx(loss)


def test_sizes_and_infosets():
    assert set(tree("coin_toss").infosets) == {"P1:heads", "P1:tails", "P2:play"}
    assert tree("coin_toss").infosets["P2:play"] == (1, ("heads", "tails", "forfeit"))
    assert set(tree("coin_toss_two_subgames").infosets) == {"P1:heads", "P1:tails", "P2:S1", "P2:S2"}
    assert tree("coin_toss_two_subgames").infosets["P2:S1"] == (1, ("heads", "tails"))
    assert (tree("coin_toss").nodes, tree("coin_toss_two_subgames").nodes) == (13, 19)


@pytest.mark.parametrize(
    ("line", "payoffs"),
    [
        (("heads", "sell"), (0.5, -0.5)),
        (("tails", "sell"), (-0.5, 0.5)),
        (("heads", "play", "heads"), (-1, 1)),
        (("heads", "play", "tails"), (1, -1)),
        (("tails", "play", "forfeit"), (1, -1)),
    ],
)
def test_lines_of_play(line, payoffs):
    assert outcome(load("coin_toss"), *line) == payoffs
    if "sell" in line:
        assert outcome(load("coin_toss(variant=mirror)"), *line) == tuple(-payoff for payoff in payoffs)
