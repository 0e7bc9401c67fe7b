"""`counterpoise serve`: the web application."""

from __future__ import annotations

from pathlib import Path

from counterpoise.cli.app import command
from counterpoise.cli.options import argument, flag, option, whole_number


@command(
    """
    serve
    serve turn.cpz
    serve --headless --port 8700 --library ~/solutions
    serve --host 0.0.0.0 --headless
    """
)
def serve(
    file: Path | None = argument("FILE", "A solution, spot, run or game to open; it stays where it is."),
    port: int | None = option("--port P", "Where to listen. Default: 8642, or a free port.", whole_number),
    host: str = option(
        "--host H",
        "The address to listen at. All but those of this machine itself (127.0.0.0/8, ::1, localhost) demand a token.",
        default="127.0.0.1",
    ),
    token: str | None = option("--token T", "What every request must know. Default: made up where it is demanded."),
    library: Path | None = option("--library DIR", "The folder of saved work. Default: ~/.counterpoise."),
    headless: bool = flag("--headless", "Open no browser."),
) -> None:
    """Serve pages to explore spots, play and race algorithms in a browser, and a REST API for programs.

    It listens to this machine only, unless --host says otherwise, and ends with Ctrl-C: running jobs save their work.
    """
    from counterpoise.web import serve as start

    start(file, host=host, port=port, token=token, library=library, headless=headless)
