"""Low-variance estimators of an agent's winnings from records of hands, hand by hand and in the mean.

These are formulas, which agents and tables also use: they read records of hands (`counterpoise.logs`) and ask players
whose strategy is known (`counterpoise.games.known`), and know neither the table nor how an agent decides.

`estimate(game, records, agent, known={name: [player of each seat]})` returns `Estimates` of one agent: a `Series` of
values, hand by hand, for every estimator that the records and the known strategies allow, by name:

    money                              always
    divat, bc-divat                    money minus luck; need all cards
    all-in                             all-in equity: run-outs at their mean
    ge, ac, ac+ge (+bc-divat, +divat)  if the agent itself is known; ac+ge+divat is called io-divat
    is (+...)                          instead of money if another strategy is `evaluated` on the agent's hands
    ac, ef, ef-text                    where cards are hidden after a fold
    aivat                              if any player is known

    found = estimate(game, records, "probe", known={"probe": players})
    found["aivat"].mean, found["aivat"].ci95     # Estimate: in found.unit per hand, over deals with all their rooms
    found.series["aivat"].values                 # one value per hand in the game's unit; .hand and .room name the deal
    found.series["aivat"].running()              # deals, running means, half widths: what a plot needs
    found.series["ac"].minus(found.series["money"]).estimate()   # paired differences
    found.to_json()

A player of a seat is anything with `seat` and `probabilities(public)`, as `agent.sit(game, seat, random)` returns for
known agents. `make_judge(game, settings)` judges single hands, for callers that stream them. Estimators are the same
functions for all games: sums over imagined histories in layers (`layers.py`), which are made by enumeration
(`enumerated.py`) or, in hold'em, hand by hand (`holdem_hands.py`).
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.evaluation.estimators.baselines import Thresholds as Thresholds
    from counterpoise.evaluation.estimators.enumerated import EnumeratedHands as EnumeratedHands
    from counterpoise.evaluation.estimators.estimate import (
        Judge as Judge,
        estimate as estimate,
        make_judge as make_judge,
    )
    from counterpoise.evaluation.estimators.series import (
        AgentEstimate as AgentEstimate,
        Estimates as Estimates,
        Series as Series,
    )
    from counterpoise.evaluation.estimators.settings import JudgeSettings as JudgeSettings

import_lazily(__name__)
