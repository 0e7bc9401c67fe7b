"""How good a result or a strategy is: estimators with little luck, verdicts, best responses.

Everything here reads records of hands (`counterpoise.logs`) and asks players whose strategy is known
(`counterpoise.games.known`). It knows neither the table nor how an agent thinks.
"""
