"""The score of a session: as paid, and by AIVAT, whose hands are judged one after another in a thread.

See Brown 2020, section 6.3.2.

The judge asks agents of its own, so that it never disturbs those at the table.
"""

from __future__ import annotations

import math
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from counterpoise.agents.base import Agent
from counterpoise.errors import InputError
from counterpoise.evaluation.judging import judge
from counterpoise.games import Game
from counterpoise.games.base import game_name
from counterpoise.intervals import Tally
from counterpoise.logs import Heading, log_format
from counterpoise.logs.record import HandRecord
from counterpoise.web.play.models import Estimate

AIVAT = "aivat"


class Scorer:
    """Judges hands as they are over, once somebody has asked for the score."""

    def __init__(self, game: Game, you: str, names: tuple[str, ...], opponents: Mapping[str, Callable[[], Agent]]):
        self.game, self.you, self.names, self._make = game, you, names, opponents
        self._judged, self._tally, self._missing = 0, Tally(), ""
        self._lock, self._busy = threading.Lock(), False
        self._agents: dict[str, Agent] | None = None

    def look(self, records: list[HandRecord], scale: float) -> tuple[Estimate | None, int, str | None]:
        """Return AIVAT's estimate, the number of hands that it has judged, and why there is none; and judge on."""
        with self._lock:
            if not self._missing and not self._busy and self._judged < len(records):
                self._busy = True
                threading.Thread(target=self._judge, args=(records[self._judged :],), daemon=True).start()
            if self._missing:
                return None, self._judged, self._missing
            if not self._tally.count:
                return None, 0, "the hands are being judged" if records else "no hand is over"
            return estimate_of(self._tally, scale), self._judged, None

    def _judge(self, records: list[HandRecord]) -> None:
        """Judge hands that are over."""
        try:
            values = self._values(records)
        except InputError as error:
            values, missing = [], str(error)
        except Exception as error:  # an agent that cannot be asked costs the estimate, not the session
            values, missing = [], f"the hands cannot be judged ({type(error).__name__}: {error})"[:200]
        else:
            missing = ""
        with self._lock:
            self._missing, self._busy = missing, False
            self._judged += len(records)
            for value in values:
                self._tally.add(1, value, value * value)

    def _values(self, records: list[HandRecord]) -> list[float]:
        if self._agents is None:
            self._agents = {name: make() for name, make in self._make.items()}
        form = log_format("hands.jsonl")
        numbered = [one._replace(hand=place) for place, one in enumerate(records)]  # a log begins with hand 0
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "hands.jsonl"
            heading = form.format_heading(Heading(game_name(self.game), self.names, self.names))
            log.write_text(heading + "".join(form.format_hand(self.game, one, one.hand) for one in numbered))
            found = judge(log, self.game, known=self._agents, evaluate={self.you: None}, progress=False)[self.you]
        series = found.found.series.get(AIVAT)
        if series is None:
            raise InputError(found.missing.get(AIVAT, "the opponents do not say what they would do with other hands"))
        return [float(value) for value in series.values if math.isfinite(value)]


def estimate_of(tally: Tally, scale: float) -> Estimate:
    """Return the mean and its interval; None for what is not known."""
    mean, half = scale * tally.mean, scale * tally.ci95
    return Estimate(mean=mean if math.isfinite(mean) else None, ci95=half if math.isfinite(half) else None)
