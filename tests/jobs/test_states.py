"""A job's state can be sent elsewhere: another object of the same job continues from it to the same end."""

import pickle
from dataclasses import replace

import pytest

from counterpoise.agents.make import distinct_names, make_agent
from counterpoise.games import as_game
from counterpoise.play.blocks import MatchSetup, seatings_of
from counterpoise.play.match import MatchFiles, MatchPlan, _Match
from counterpoise.play.rules import TableRules
from counterpoise.progress import CancelToken, SilentProgress


def new_match() -> _Match:
    agents = tuple(make_agent(name) for name in ("random", "always-call"))
    game = as_game("leduc_poker")
    setup = MatchSetup(
        game, agents, distinct_names(agents), 3, True, seatings_of(2, True), TableRules(None, None, None), None
    )
    return _Match(setup, MatchPlan(120, 10, 1, None, "width"), MatchFiles(None, None), wants_aivat=False)


class StoppedAfter(SilentProgress):
    """Stops a match after some steps."""

    def __init__(self, token: CancelToken, steps: int) -> None:
        self.token, self.steps = token, steps

    def show(self, share: float | None, figure: str) -> None:
        self.steps -= 1
        if self.steps <= 0:
            self.token.cancel()


@pytest.mark.parametrize("steps", [1, 4])
def test_a_match_continues_from_a_state_that_was_sent(steps: int) -> None:
    whole = new_match().run(SilentProgress(), None)
    first, token = new_match(), CancelToken()
    early = first.run(StoppedAfter(token, steps), token)
    assert 0 < early.hands < whole.hands
    second = new_match()
    second.restore(pickle.loads(pickle.dumps(first.state())))
    assert second.iteration == early.hands
    ended = second.run(SilentProgress(), None)
    times = {"seconds": 0.0}
    assert [replace(one, **times) for one in ended.agents] == [replace(one, **times) for one in whole.agents]
    assert ended.hands == whole.hands
