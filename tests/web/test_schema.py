"""Schemathesis: whatever the schema allows, and much that it does not, never ends in an error of the server."""

from __future__ import annotations

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error

import counterpoise as cp
from counterpoise.web.application import make_application
from counterpoise.web.jobs.jobs import JobLimits
from counterpoise.web.server import Server, ServerSettings
from tests.web.conftest import SOLVED, TURN

LONG_CASES = 5000
SHORT_CASES = 2
OWN_HOST = {"Host": "127.0.0.1:8642"}


@pytest.fixture
def schema(tmp_path: Path, solved_bytes: bytes, request: pytest.FixtureRequest):
    processes = 1 if request.node.get_closest_marker("long") else 0  # jobs and tables that may run
    limits = JobLimits(at_once=processes, queued=2, memory_mb=100.0, seconds=5.0)
    server = Server(tmp_path, ServerSettings(limits=limits, sessions=processes))
    server.library.path(SOLVED, must_exist=False).write_bytes(solved_bytes)
    cp.Spot(**TURN).save(Path(server.library.root) / "spots" / "turn.toml")
    app = make_application(server, pages=False)
    yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers=OWN_HOST)
    server.close()


def check(operation, examples: int, number: int) -> int:
    """Send examples to one operation; return how many there were."""
    done = 0

    @seed(number)
    @given(case=operation.as_strategy())
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
    )
    def send(case):
        nonlocal done
        done += 1
        response = case.call(headers=OWN_HOST, timeout=60)
        case.validate_response(response, checks=[not_a_server_error])

    send()
    return done


@pytest.mark.slow
def test_no_server_error_in_some_cases(schema):
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 40
    assert sum(check(operation, SHORT_CASES, 0) for operation in operations) >= len(operations)


@pytest.mark.long
def test_no_server_error_in_five_thousand_cases(schema):
    """Operations without parameters have one case each; the others get more, until there are enough."""
    operations = [found.ok() for found in schema.get_all_operations()]
    done = number = 0
    while done < LONG_CASES:
        number += 1
        examples = -(-(LONG_CASES - done) // len(operations))
        done += sum(check(operation, examples, number) for operation in operations)
    assert done >= LONG_CASES
