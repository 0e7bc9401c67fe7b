"""The web application: pages and a REST API over the calls of the library, on this machine.

`serve` starts it. One `Server` holds everything that pages and API share: the `library` (a folder of saved spots,
solutions, runs and uploads), the `jobs` (long work in processes of their own) and the `solutions` that are open.

Pages live in `web/pages/`, one file per page, which `register(server)` hangs into the application:

    def register(server: Server) -> None:
        @page("/spot")
        async def spot_page(name: str = "") -> None: ...

`pages/__init__.py` lists the files in the order of the menu; parts that several pages use are in `web/components/`.
A page never computes for long by itself. Work goes to `server.jobs`:

    id = server.jobs.submit(SolveSpot(spot=spot, target=0.5))     # returns at once; refuses with InputError
    server.jobs.state(id)                                        # JobState: status, fraction, figure, trace, file
    async for event in server.jobs.subscribe(id): ...            # JobEvent: kind and the state after it
    server.jobs.stop(id); server.jobs.resume(id, target=0.1)

and results are read with `server.solutions.open(NAME)`, a name in the library such as `server.jobs.state(id).file`.
What takes more than some milliseconds (opening a solution, a report over all cards) belongs into
`await run.io_bound(...)` of NiceGUI. The extra [web] installs what all this needs.
"""

from typing import TYPE_CHECKING

from counterpoise.lazy import import_lazily

if TYPE_CHECKING:
    from counterpoise.web.client import ApiError as ApiError, Client as Client
    from counterpoise.web.serve import serve as serve
    from counterpoise.web.server import Server as Server, ServerSettings as ServerSettings

import_lazily(__name__)
