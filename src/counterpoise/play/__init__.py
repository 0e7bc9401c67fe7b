"""The table: seats, deals, matches and clocks, whatever the agents do inside.

`match` plays agents against each other and returns a `MatchResult`; `read_log` reads what it has logged.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.logs.record import HandRecord as HandRecord
    from counterpoise.play.match import match as match
    from counterpoise.play.result import MatchResult as MatchResult
    from counterpoise.play.rules import TableRules as TableRules
    from counterpoise.play.table import MatchTable as MatchTable

__all__ = ["HandRecord", "MatchResult", "MatchTable", "TableRules", "match"]

import_lazily(__name__)
