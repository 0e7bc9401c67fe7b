"""How quickly the web application answers: nodes of a solved turn and flop, and 50 clients while a solve runs.

    python benchmarks/serve.py [--no-flop] [--library DIR] [--json FILE]

Bars: the square of a node within 100 ms of a click on a solved turn, within 300 ms on a solved flop of 400 MB, with EV;
of 50 clients at the same time, while a solve uses all cores, none waits more than a second.

- *grid* and *values*: a node that was not looked at before, strategy only and with EV and equity, from a fresh server
  that has just opened the solution. Wall clock at the client, on one connection, until the whole answer is there.
- *browser*: from a click on an action until the square of the next node is painted, in Chromium if it is there; nodes
  that were not looked at before, a second after the click before. Another copy of the solution warms the browser up.
- *crowd*: what 50 clients wait for nodes, lines, the job and the library.

`cpu_ms` is the server's CPU time per answer or click and `browser_cpu_ms` the browser's, all its processes together,
which a busy machine does not change much; wall times are those of a quiet machine only if `load` is below one.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil

import counterpoise as cp
from counterpoise.web import Client

SPOTS = Path(__file__).parent.parent / "examples" / "spots"
CLIENTS, ROUNDS = 50, 6
CLICKS, PAUSE_MS = 30, 1000


def start(library: Path) -> tuple[subprocess.Popen[str], str]:
    """Start a server; return its process and address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "counterpoise", "serve", "--headless", "--port", "0", "--library", str(library)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"Counterpoise is at (http://[^/]+)/", line):
            return process, found[1]
    raise SystemExit("the server did not start")


def connect(address: str) -> Client:
    """Return a client once the server answers."""
    client = Client(address, timeout=600)
    for _ in range(600):
        try:
            client.jobs()
            return client
        except Exception:
            time.sleep(0.1)
    raise SystemExit("the server does not answer")


def solve(library: Path, name: str, **options: Any) -> str:
    """Return the name of a solved spot in the library, solved now unless it is there."""
    path = library / "solutions" / f"{name}.cpz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        cp.solve_spot(next(SPOTS.glob(f"{name}.*")), checkpoint=path, **options)
    return f"solutions/{name}.cpz"


def walk(client: Client, name: str, count: int) -> list[str]:
    """Return decisions of a solution, found by walking at random through its lines."""
    chance, found = random.Random(1), dict[str, None]()
    for _ in range(20 * count):
        node = client.figures(name).first
        while True:
            lines = client.lines(name, node)
            if lines.player != "chance":
                found[node] = None
            open_lines = [child for child in lines.children if child.after != "end"]
            if not open_lines or chance.random() < 0.15:
                break
            node = chance.choice(open_lines).node
        if len(found) >= count:
            break
    return list(found)[:count]


def seconds_of(call: Any, *words: Any, **more: Any) -> float:
    """Return how long a call takes."""
    begun = time.perf_counter()
    call(*words, **more)
    return time.perf_counter() - begun


def click(name: str, library: Path) -> dict[str, Any]:
    """Measure clicks: nodes in a fresh server, so that none was looked at before."""
    process, address = start(library)
    client = connect(address)
    opened = seconds_of(client.figures, name)
    client.node(name)  # the first answer loads kernels
    nodes = walk(connect(address), name, CLICKS)
    process.terminate()
    process.wait()
    process, address = start(library)
    client = connect(address)
    client.figures(name)
    client.node(name)  # with EV: it waits until the first street is computed
    measured = {
        what: clicks(client, process.pid, name, nodes, what == "values")  # the grid first, as pages do
        for what in ("grid", "values")
    }
    process.terminate()
    process.wait()
    return {"open": opened, "nodes": len(nodes), **measured}


def clicks(client: Client, server: int, name: str, nodes: list[str], values: bool) -> dict[str, float]:
    """Return how long nodes take, each asked for once."""
    before = cpu_seconds(psutil.Process(server))
    times = [seconds_of(ask_node, client, name, node, values) for node in nodes]
    used = cpu_seconds(psutil.Process(server)) - before
    return spread(times) | {"cpu_ms": 1e3 * used / len(nodes)}


def ask_node(client: Client, name: str, node: str, values: bool = True) -> None:
    """Ask for a node and read the whole answer, without making a record of it."""
    client._http.get("/solutions/node", params={"name": name, "node": node, "values": values}).raise_for_status()


WATCH = """(node) => new Promise((resolve) => {
  const begun = performance.now();
  const shown = () => document.querySelector('.cp-strategy [role=grid]').ariaLabel.endsWith(" at " + node);
  const look = () => shown() ? setTimeout(() => resolve(performance.now() - begun)) : requestAnimationFrame(look);
  document.querySelector(`.cp-option[data-node="${node}"]`).click();
  requestAnimationFrame(look);
})"""
"""Click on an action; the milliseconds until the square of the node after it is painted."""


def browse(name: str, library: Path) -> dict[str, Any] | None:
    """Measure clicks on actions in a browser; None if there is none."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or importlib.util.find_spec("playwright") is None:
        return None
    from playwright.sync_api import sync_playwright

    other = "solutions/warm_up.cpz"
    shutil.copy(library / name, library / other)
    process, address = start(library)
    client = connect(address)

    def decisions(node: str) -> list[str]:
        return [child.node for child in client.lines(other, node).children if child.after == "decision"]

    first = client.figures(other).first
    ways = [way for child in decisions(first) for way in (child, *decisions(child))]
    server = psutil.Process(process.pid)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(60_000)
        for shown in (other, name):
            page.goto(f"{address}/solution?name={shown}")
            page.locator(f'.cp-option[data-node="{ways[0]}"]').wait_for()
            page.wait_for_function("window.socket?.connected")
            before, times = (cpu_seconds(server), browser_seconds()), list[float]()
            for way in ways:
                page.wait_for_timeout(PAUSE_MS)
                times.append(page.evaluate(WATCH, way) / 1e3)
            used = cpu_seconds(server) - before[0], browser_seconds() - before[1]
        browser.close()
    process.terminate()
    process.wait()
    per_click = {"cpu_ms": 1e3 * used[0] / len(ways), "browser_cpu_ms": 1e3 * used[1] / len(ways)}
    return spread(times) | {"clicks": len(ways)} | per_click


def cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU seconds that a process has used."""
    return float(sum(process.cpu_times()[:2]))


def browser_seconds() -> float:
    """Return the CPU seconds that the browser started by this program has used."""
    return sum(cpu_seconds(one) for one in psutil.Process().children(recursive=True) if "chrom" in one.name())


def crowd(library: Path, name: str) -> dict[str, Any]:
    """Let 50 clients ask at the same time, again and again, while a solve runs."""
    process, address = start(library)
    client = connect(address)
    client.node(name)
    nodes = walk(client, name, CLICKS)
    spot = client.spot("solutions/turn_srp.cpz").spot
    job = client.solve(spot, iterations=10**9).id
    while not client.job(job).trace:
        time.sleep(0.2)
    waits: dict[str, list[float]] = {"node": [], "lines": [], "job": [], "library": []}
    errors: list[str] = []
    together = threading.Barrier(CLIENTS)

    def ask(number: int) -> None:
        chance, own = random.Random(number), connect(address)
        together.wait()  # making a client takes this program longer than an answer: none is made while others wait
        try:
            for _ in range(ROUNDS):
                calls = {
                    "node": lambda: ask_node(own, name, chance.choice(nodes)),
                    "lines": lambda: own.lines(name, chance.choice(nodes)),
                    "job": lambda: own._http.get(f"/jobs/{job}").raise_for_status(),
                    "library": lambda: own._http.get("/library").raise_for_status(),
                }
                what = chance.choice(list(calls))
                waits[what].append(seconds_of(calls[what]))
                time.sleep(chance.random())  # a person looks at an answer before asking again
        except Exception as error:
            errors.append(str(error))

    clients = [threading.Thread(target=ask, args=(number,)) for number in range(CLIENTS)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    running = client.job(job).status == "running"
    client.stop(job)
    client.wait(job)
    process.terminate()
    process.wait()
    all_waits = [seconds for times in waits.values() for seconds in times]
    told = {"clients": CLIENTS, "asked": len(all_waits), "errors": errors, "solve ran": running}
    return told | {"wait": spread(all_waits)} | {f"wait, {what}": spread(times) for what, times in waits.items()}


def spread(times: list[float]) -> dict[str, float]:
    """Return median, 95th percentile and the longest, in milliseconds."""
    ordered = sorted(times)
    return {
        "median_ms": 1e3 * statistics.median(ordered),
        "p95_ms": 1e3 * ordered[int(0.95 * (len(ordered) - 1))],
        "longest_ms": 1e3 * ordered[-1],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-flop", action="store_true")
    parser.add_argument("--library", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    library = options.library or Path(tempfile.mkdtemp())
    turn = solve(library, "turn_srp", iterations=30)
    results = {"load": os.getloadavg()[0], "turn": click(turn, library), "browser": browse(turn, library)}
    results["crowd"] = crowd(library, turn)
    if not options.no_flop:
        flop = solve(library, "flop_srp", iterations=20, bits=16)
        results["flop"] = click(flop, library)
    print(json.dumps(results, indent=1))
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
