"""The program of a session's process: ``python -m counterpoise.web.play.worker FOLDER``.

One JSON object per line is asked on standard input, and one is answered per line on what was standard output. The end
of standard input means that the server is gone, or that nobody plays any more: the process ends, also one that thinks.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import traceback
from pathlib import Path
from typing import IO, Any

from counterpoise.errors import InputError
from counterpoise.web.jobs.worker import bound_memory
from counterpoise.web.processes import obey


def main(folder: Path) -> None:
    """Play a session."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print belongs into the log
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    obey(sys.stdin, lines.put, lambda: lines.put(""))
    try:
        session = _begin(folder)
    except (InputError, MemoryError) as error:
        _reply(out, {"error": str(error) or "the memory does not suffice for these agents"})
        return
    except Exception as error:
        traceback.print_exc()
        _reply(out, {"error": f"the session cannot begin ({type(error).__name__}: {error})"[:300]})
        return
    _reply(out, {"answer": session.look().model_dump(mode="json")})
    for line in iter(lines.get, ""):
        try:
            _reply(out, {"answer": _do(session, json.loads(line))})
        except InputError as error:
            _reply(out, {"error": str(error)})
        except Exception as error:
            traceback.print_exc()
            _reply(out, {"error": f"the session failed ({type(error).__name__}: {error})"[:300]})


def _begin(folder: Path) -> Any:
    from counterpoise.web.play.models import SessionOrder
    from counterpoise.web.play.session import PlaySession

    order = SessionOrder.load(folder)
    bound_memory(order.memory_mb)
    return PlaySession(order.request, order.game, order.agents, order.seed, folder, Path(order.library))


def _do(session: Any, command: dict[str, Any]) -> Any:
    from counterpoise.web.play.models import Answer

    what, wait = command["do"], float(command.get("wait", 0.0))
    if what == "look":
        return session.look(command.get("version"), wait).model_dump(mode="json")
    if what == "answer":
        return session.answer(Answer.model_validate(command["answer"]), wait).model_dump(mode="json")
    if what == "next":
        return session.next_hand(wait).model_dump(mode="json")
    if what == "history":
        return [row.model_dump(mode="json") for row in session.history()]
    if what == "score":
        return _score(session)
    if what == "thoughts":
        return _thoughts(session, int(command["hand"]))
    raise InputError(f"a session cannot {what!r}")


def _score(session: Any) -> dict[str, Any]:
    """Return the score raw and by AIVAT."""
    from counterpoise.web.play.models import Score
    from counterpoise.web.play.scoring import estimate_of

    tally, scale = session.tally, session.scale
    aivat, judged, missing = session.scorer.look(list(session.records), scale)
    score = Score(
        unit=session.unit,
        hands=tally.count,
        total=scale * tally.total,
        money=estimate_of(tally, scale),
        aivat=aivat,
        judged=judged,
        missing=missing,
    )
    return score.model_dump(mode="json")


def _thoughts(session: Any, number: int) -> dict[str, Any]:
    from counterpoise.web.play.thoughts import thoughts_of

    if not 1 <= number <= len(session.records):
        raise InputError(f"hand must be from 1 to {len(session.records)}, those that are over, not {number}")
    if session.view.status not in ("hand over", "ended"):
        raise InputError("agents are asked what they thought when no hand is being played")
    table = session.tables[(number - 1) % len(session.tables)]
    record, you = session.records[number - 1], session.seats[number - 1]
    answer: dict[str, Any] = thoughts_of(session.game, table, record, you, number).model_dump(mode="json")
    return answer


def _reply(out: IO[str], answer: dict[str, Any]) -> None:
    print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
