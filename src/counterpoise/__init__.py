"""Counterpoise: compute, play and judge strategies for adversarial games with hidden information.

>>> import counterpoise as cp
>>> run = cp.solve("kuhn_poker", "cfr+", iterations=1000)
>>> round(run.value[0], 3)  # -1/18
-0.056
"""

from typing import TYPE_CHECKING

from counterpoise.errors import Cancelled, InputError
from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.abstraction import CardAbstraction, abstraction
    from counterpoise.agents import Agent, Behaviour, KnownAgent, agent, make_agent
    from counterpoise.blueprint import Blueprint, Training, TrainSettings, load_blueprint, train
    from counterpoise.deep import NetworkTraining, load_networks, train_networks
    from counterpoise.evaluation import (
        AgentBestResponse,
        AgentEvaluation,
        ArenaResult,
        Judgement,
        LocalResponse,
        arena,
        best_response_to,
        estimate_best_response,
        evaluate_agent,
        judge,
        local_best_response,
    )
    from counterpoise.exploit import CounterStrategy, Frontier, counter_strategy, frontier
    from counterpoise.games import (
        CHANCE,
        TERMINAL,
        CoarseGame,
        Game,
        GameView,
        Observation,
        ObservedGame,
        ObservedRules,
        check_game,
        from_efg,
        from_openspiel,
        load,
        register,
        write_efg,
    )
    from counterpoise.logs import read_log
    from counterpoise.play import HandRecord, MatchResult, match
    from counterpoise.progress import CancelToken, NotebookProgress, Progress, SilentProgress, TerminalProgress
    from counterpoise.reproduce import experiment
    from counterpoise.search import leaf_evaluator, search_subgame
    from counterpoise.solvers import (
        Algorithm,
        RegretMatching,
        Run,
        Snapshot,
        Solver,
        TracePoint,
        algorithm,
        load_run,
        make_algorithm,
        make_solver as solver,
        solve,
    )
    from counterpoise.solvers.bet_sizes import (
        Ascent,
        OptimisedParameters,
        ParameterSweep,
        optimise_parameters,
        sweep_parameters,
    )
    from counterpoise.solvers.public.crosstable import Crosstable, crosstable
    from counterpoise.solvers.public.run import PublicRun
    from counterpoise.solvers.race import Race, race
    from counterpoise.solvers.saef import ContinuousLeduc, GrownAbstraction, Growth, grow_abstraction, load_growth
    from counterpoise.solvers.warm_start.warm_start import WarmStart, lift, warm_start
    from counterpoise.spots import (
        OptimisedSizes,
        SimplifiedSizes,
        Solution,
        Spot,
        SpotExploit,
        SpotSearch,
        estimate,
        exploit_spot,
        load_search,
        load_solution,
        optimise_sizes,
        search_spot,
        simplify_sizes,
        solve_spot,
    )
    from counterpoise.tree import (
        GameDescription,
        Strategy,
        Tree,
        best_response,
        describe_game,
        enumerate_game,
        exact,
        expected_value,
        exploitability,
        load_strategy,
        nash_conv,
    )
    from counterpoise.tree.evaluation import Evaluation, evaluate_strategy
    from counterpoise.tree.picture import TreePicture, draw_tree

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Agent",
    "AgentBestResponse",
    "AgentEvaluation",
    "Algorithm",
    "ArenaResult",
    "Ascent",
    "Behaviour",
    "Blueprint",
    "CancelToken",
    "Cancelled",
    "CardAbstraction",
    "CoarseGame",
    "ContinuousLeduc",
    "CounterStrategy",
    "Crosstable",
    "Evaluation",
    "Frontier",
    "Game",
    "GameDescription",
    "GameView",
    "GrownAbstraction",
    "Growth",
    "HandRecord",
    "InputError",
    "Judgement",
    "KnownAgent",
    "LocalResponse",
    "MatchResult",
    "NetworkTraining",
    "NotebookProgress",
    "Observation",
    "ObservedGame",
    "ObservedRules",
    "OptimisedParameters",
    "OptimisedSizes",
    "ParameterSweep",
    "Progress",
    "PublicRun",
    "Race",
    "RegretMatching",
    "Run",
    "SilentProgress",
    "SimplifiedSizes",
    "Snapshot",
    "Solution",
    "Solver",
    "Spot",
    "SpotExploit",
    "SpotSearch",
    "Strategy",
    "TerminalProgress",
    "TracePoint",
    "TrainSettings",
    "Training",
    "Tree",
    "TreePicture",
    "WarmStart",
    "abstraction",
    "agent",
    "algorithm",
    "arena",
    "best_response",
    "best_response_to",
    "check_game",
    "counter_strategy",
    "crosstable",
    "describe_game",
    "draw_tree",
    "enumerate_game",
    "estimate",
    "estimate_best_response",
    "evaluate_agent",
    "evaluate_strategy",
    "exact",
    "expected_value",
    "experiment",
    "exploit_spot",
    "exploitability",
    "from_efg",
    "from_openspiel",
    "frontier",
    "grow_abstraction",
    "judge",
    "leaf_evaluator",
    "lift",
    "load",
    "load_blueprint",
    "load_growth",
    "load_networks",
    "load_run",
    "load_search",
    "load_solution",
    "load_strategy",
    "local_best_response",
    "make_agent",
    "make_algorithm",
    "match",
    "nash_conv",
    "optimise_parameters",
    "optimise_sizes",
    "race",
    "read_log",
    "register",
    "search_spot",
    "search_subgame",
    "simplify_sizes",
    "solve",
    "solve_spot",
    "solver",
    "sweep_parameters",
    "train",
    "train_networks",
    "warm_start",
    "write_efg",
]

import_lazily(__name__)
