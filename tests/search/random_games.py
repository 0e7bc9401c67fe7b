"""Small random games of public actions, to try promises on that hold in all of them."""

import zlib

import numpy as np

from counterpoise.games import CHANCE, TERMINAL


class RandomGame:
    """Two players get private hands, act in public, see a public event, and act again; payoffs are drawn at random.

    Hands are not independent of each other, some never meet, and the event depends on the hands, as cards do. Who acts,
    with how many actions (`fewest` or more), and where the game ends early is drawn too.
    """

    players = 2

    def __init__(self, seed, fewest=2):
        self.seed = seed
        draw = np.random.default_rng([7, seed])
        counts = draw.integers(2, 5, size=2)
        chances = draw.dirichlet(np.ones(counts.prod())) * (draw.random(counts.prod()) < 0.8)
        chances[:: counts[1] + 1] += 0.05  # at least these hands meet
        chances /= chances.sum()
        self.deals = {
            f"{hand // counts[1]}{hand % counts[1]}": float(likely) for hand, likely in enumerate(chances) if likely > 0
        }
        self.events = {}
        for deal in self.deals:
            likely = draw.dirichlet(np.ones(2)) if draw.random() < 0.7 else np.eye(2)[draw.integers(2)]
            self.events[deal] = [(f"E{k}", float(each)) for k, each in enumerate(likely) if each > 0]
        self.before = _shape(draw, 3, ["end", "event"], fewest)
        self.after = _shape(draw, 3, ["end"], fewest)

    def __str__(self):
        return f"random game {self.seed}"

    def initial(self):
        return None

    def player(self, state):
        if state is None:
            return CHANCE
        shape = state[2]
        return {"end": TERMINAL, "event": CHANCE}[shape] if isinstance(shape, str) else shape[0]

    def chance(self, state):
        return list(self.deals.items()) if state is None else self.events[state[0]]

    def actions(self, state):
        return [f"a{k}" for k in range(len(state[2][1]))]

    def next(self, state, action):
        if state is None:
            return action, (), self.before
        deal, path, shape = state
        return deal, (*path, action), self.after if shape == "event" else shape[1][int(action[1:])]

    def infoset(self, state):
        deal, path, shape = state
        return f"{deal[shape[0]]}:{' '.join(path)}"

    def payoffs(self, state):
        words = zlib.crc32(" ".join((state[0], *state[1])).encode())
        value = float(np.random.default_rng([self.seed, words]).uniform(-3, 3))
        return value, -value


def _shape(draw, depth, ends, fewest):
    """A public tree: (who acts, what follows each action), or how it ends; the last action always leads to its end."""
    after = []
    for _ in range(draw.integers(fewest, 4)):
        deeper = depth > 1 and draw.random() < 0.6
        after.append(_shape(draw, depth - 1, ends, fewest) if deeper else str(draw.choice(ends)))
    after[-1] = ends[-1]
    return int(draw.integers(2)), after
