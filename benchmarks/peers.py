"""The solvers under comparison behind one narrow interface: load a game, iterate, measure NashConv.

Each class imports its library in `__init__`, so that the memory and time of importing can be told from those of
solving. Every solver runs its own CFR+ (alternating updates, linear averaging), or one of the samplings of Monte Carlo
CFR, on the same game: Leduc with suits told apart, and Liar's Dice with one six-sided die each. Ours runs Liar's Dice
as a public tree, whose rows are all six rolls of a player at once; `LIARS_DICE_ENUMERATED` is the same game history by
history, as any game can be solved.
"""

from __future__ import annotations

from typing import Any, Protocol

OURS, OPENSPIEL, LITEEFG = "Counterpoise", "OpenSpiel C++", "LiteEFG"
LEDUC, LEDUC_MERGED = "leduc", "leduc_merged"
LIARS_DICE, LIARS_DICE_ENUMERATED = "liars_dice", "liars_dice_enumerated"
CFR_PLUS, EXTERNAL, OUTCOME = "cfr+", "es-mccfr", "os-mccfr"
EXPLORATION = 0.6
"""Of outcome sampling, for everybody."""

COUNTERPOISE_GAMES = {
    LEDUC: "leduc_poker(merge_suits=False)",
    LEDUC_MERGED: "leduc_poker",
    LIARS_DICE: "liars_dice(dice=1, faces=6)",
    LIARS_DICE_ENUMERATED: "liars_dice(dice=1, faces=6)",
}
PUBLIC_TREES = {LIARS_DICE}
"""Games that ours solves as public trees."""
OPENSPIEL_GAMES = {LEDUC: "leduc_poker", LIARS_DICE: "liars_dice"}


class Peer(Protocol):
    """One library with one game at a time."""

    def load(self, game: str, algorithm: str = CFR_PLUS, seed: int = 0) -> None:
        """Make the solver ready to iterate."""

    def infosets(self) -> int:
        """Number of information sets of both players, to see that it is the same game."""

    def iterate(self, iterations: int) -> None:
        """Run so many iterations further."""

    def nash_conv(self) -> float:
        """Exact NashConv of the average strategy, in the game's unit."""


class Counterpoise:
    def __init__(self) -> None:
        import counterpoise
        from counterpoise.public import build_dense
        from counterpoise.solvers.public.solver import PublicSolver

        self.cp, self.build, self.public = counterpoise, build_dense, PublicSolver
        for public in (True, False):  # load the kernels of both representations
            self._make("kuhn_poker", public)
            self.iterate(1)
            self.nash_conv()

    def load(self, game: str, algorithm: str = CFR_PLUS, seed: int = 0) -> None:
        self._make(COUNTERPOISE_GAMES[game], game in PUBLIC_TREES, algorithm, seed)

    def _make(self, name: str, public: bool, algorithm: str = CFR_PLUS, seed: int = 0) -> None:
        self.game = self.cp.load(name)
        self.solver: Any
        if public:
            self.solver = self.cp.make_algorithm(algorithm).on(self.build(self.game))
        else:
            settings = f"{OUTCOME}(exploration={EXPLORATION})" if algorithm == OUTCOME else algorithm
            self.solver = self.cp.solver(self.game, settings, seed=seed)

    def infosets(self) -> int:
        enumerated = not isinstance(self.solver, self.public)
        return len((self.solver.tree if enumerated else self.solver.game).table)

    def iterate(self, iterations: int) -> None:
        self.solver.step(iterations)

    def nash_conv(self) -> float:
        if isinstance(self.solver, self.public):
            return 2 * float(self.solver.exploitability())
        return float(self.cp.nash_conv(self.game, self.solver.average))


class OpenSpiel:
    def __init__(self) -> None:
        import pyspiel

        self.pyspiel = pyspiel

    def load(self, game: str, algorithm: str = CFR_PLUS, seed: int = 0) -> None:
        self.game = self.pyspiel.load_game(OPENSPIEL_GAMES[game])
        self.solver: Any
        if algorithm == EXTERNAL:
            self.solver = self.pyspiel.ExternalSamplingMCCFRSolver(self.game, seed)
        elif algorithm == OUTCOME:
            self.solver = self.pyspiel.OutcomeSamplingMCCFRSolver(self.game, EXPLORATION, seed)
        else:
            self.solver = self.pyspiel.CFRPlusSolver(self.game)
        self.sampling = algorithm in (EXTERNAL, OUTCOME)

    def infosets(self) -> int:
        return len(self.solver.tabular_average_policy().policy_table())

    def iterate(self, iterations: int) -> None:
        step = self.solver.run_iteration if self.sampling else self.solver.evaluate_and_update_policy
        for _ in range(iterations):
            step()

    def nash_conv(self) -> float:
        return float(self.pyspiel.nash_conv(self.game, self.solver.average_policy(), self.sampling))


class LiteEFG:
    def __init__(self) -> None:
        import LiteEFG
        import LiteEFG.baselines.CFRplus
        import pyspiel

        self.pyspiel = pyspiel
        self.liteefg = LiteEFG

    def load(self, game: str, algorithm: str = CFR_PLUS, seed: int = 0) -> None:
        rules = self.pyspiel.load_game(OPENSPIEL_GAMES[game])
        self.environment: Any = self.liteefg.OpenSpielEnv(rules, traverse_type="Enumerate")
        self.graph = self.liteefg.baselines.CFRplus.graph()
        self.environment.set_graph(self.graph)

    def infosets(self) -> int:
        return len(self.environment.state_lookup)

    def iterate(self, iterations: int) -> None:
        graph, environment = self.graph, self.environment
        for _ in range(iterations):
            graph.update_graph(environment)
            environment.update_strategy(graph.current_strategy())

    def nash_conv(self) -> float:
        return float(sum(self.environment.exploitability(self.graph.current_strategy(), "linear-avg-iterate")))


PEERS: dict[str, type[Peer]] = {OURS: Counterpoise, OPENSPIEL: OpenSpiel, LITEEFG: LiteEFG}
INSTALL = {OURS: "pip install -e .", OPENSPIEL: "pip install open_spiel", LITEEFG: "pip install LiteEFG"}
