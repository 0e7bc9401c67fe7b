"""The command itself: `counterpoise upi` in a process of its own, alone and with public client libraries."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import counterpoise as cp
from tests.upi.talk import END, RIVER, RIVER_LINES, TURN, TURN_LINES, answer_in, at, spot_of, weights

COMMAND = [sys.executable, "-m", "counterpoise", "upi"]


def description(fields, lines):
    return [
        f"set_range OOP {weights(fields['oop'])}",
        f"set_range IP {weights(fields['ip'])}",
        f"set_board {fields['board'].replace(' ', '')}",
        f"set_eff_stack {fields['stack']}",
        f"set_pot 0 0 {fields['pot']}",
        "set_isomorphism 1 0",
        "clear_lines",
        *(f"add_line {' '.join(map(str, line))}" for line in lines),
        "build_tree",
    ]


@pytest.mark.slow
def test_a_session_of_a_script():
    """All commands are sent at once; every one is answered, in order, and nothing else is said on either stream."""
    commands = [
        "set_end_string END",
        *description(RIVER, RIVER_LINES),
        "set_threads 1",
        "go 50 steps",
        "wait_for_solver",
        "show_strategy r:0",
        "y" * 2**22 + "x",
        "\udcff bytes",
        "exit",
        "is_ready",
    ]
    text = "# a comment\n\n" + "\n".join(commands) + "\n"
    done = subprocess.run(COMMAND, input=text.encode("utf-8", "surrogateescape"), capture_output=True, timeout=300)
    assert done.returncode == 0
    assert done.stderr == b""
    said = done.stdout.decode().splitlines()
    assert said[0].startswith("Counterpoise ")
    assert len(said[:3]) == 3
    assert said[3:5] == ["set_end_string ok!", END]
    assert said.count(END) == len(commands) - 2  # neither exit nor what follows it
    errors = [line for line in said if line.startswith("ERROR")]
    assert len(errors) == 2
    assert errors[0].startswith("ERROR: a command may have 4,194,304 letters")
    assert errors[1].startswith("ERROR: unknown command '\ufffd'")
    rows = [line for line in said if len(line.split()) == 1326]
    other = cp.solve_spot(spot_of(RIVER, RIVER_LINES), iterations=50, threads=1, progress=False)
    expected = list(other.root.strategy("KdKc").values())[::-1]
    assert [float(row.split()[at("KdKc")]) for row in rows] == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
def test_a_run_is_stopped_by_the_end_of_the_input():
    text = "\n".join(["set_end_string END", *description(RIVER, RIVER_LINES), "go"]) + "\n"
    done = subprocess.run(COMMAND, input=text.encode(), capture_output=True, timeout=120)
    assert done.returncode == 0
    assert b"SOLVER: started" in done.stdout
    assert done.stderr == b""


@pytest.mark.slow
def test_stop_while_the_solver_runs():
    """A client that waits for each answer before it says more."""
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    def ask(line):
        stdin.write(line + "\n")
        said = []
        while True:
            said.append(stdout.readline().rstrip("\n"))
            try:
                return answer_in(said)
            except AssertionError:
                assert said[-1] or process.poll() is None

    try:
        assert ask("set_end_string END")[-1] == "set_end_string ok!"
        for line in description(TURN, TURN_LINES):
            assert ask(line)[0].endswith("ok!")
        assert ask("go") == ["go ok!"]
        assert ask("is_ready") == ["is_ready ok!"]
        assert len(ask("show_range IP r:0:c")[0].split()) == 1326
        assert ask("solver_state") == ["running"]
        while not int(ask("show_iters")[0]):
            time.sleep(0.05)
        assert ask("stop") == ["stop ok!"]
        assert ask("solver_state") == ["stopped"]
    finally:
        stdin.close()
        assert process.wait(60) == 0


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that clients start, without arguments, as they start PioSOLVER."""
    found = tmp_path / "program" / "solver.exe"
    found.parent.mkdir()
    found.write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    found.chmod(0o755)
    return found


@pytest.mark.slow
def test_pokersolverquery(program, tmp_path, monkeypatch):
    """The library pokersolverquery.py: it reads nodes without blank lines between them."""
    solver = pytest.importorskip("pokersolverquery.solver")
    program.write_text(program.read_text().replace('"$@"', "--no-blank-lines"))
    monkeypatch.chdir(tmp_path)  # the library changes it
    flop = TURN | {"board": "Ks 7d 4c"}
    lines = [[0, 50], [50, 150, 300], [0, 0, 0, 0, 100]]
    client = solver.UPISolver(solver_path=str(program))
    try:
        assert not client.tree_exists
        with pytest.raises(solver.SolverException, match="ERROR: unknown command 'nonsense'"):
            client.command("nonsense")
        client.commands([*description(flop, lines), "set_threads 1", "go 5 steps", "wait_for_solver"])
        assert client.tree_exists
        client.command(f'dump_tree "{tmp_path}/a tree.cfr"')
        tree = solver.LoadedTree(f"{tmp_path}/a tree.cfr", client)
        assert sorted(str(tree.flop).split(" | ")) == sorted(["K♠", "7♦", "4♣"])
        assert "KdQd" in tree.ip_range
        assert "AdAc" not in tree.ip_range
        assert tree.opp_range.range_[at("7s7c")] == 0.5
        assert tree.all_lines[:3] == ["r", "r:0", "r:0:c"]
        assert [line.line_text for line in tree.next_actions("r:0")] == ["r:0:b50", "r:0:c"]
        assert len(tree.next_actions("r:0:c:c")) == 49
        names = [row.split() for row in client.command("show_category_names")[:-1]]
        numbers = [row.split() for row in client.command("show_categories Ks7d4c")[:-1]]
        found = [own[int(row[at("KdQd")])] for own, row in zip(names, numbers, strict=True)]
        assert found == ["pair", "no_draw"]
        rows = client.command("show_strategy r:0")[:-1]
        expected = cp.load_solution(tmp_path / "a tree.cfr", resumable=False).root.strategy("AhKh")
        assert [float(row.split()[at("AhKh")]) for row in rows] == pytest.approx(
            list(expected.values())[::-1], abs=1e-8
        )
    finally:
        client.exit()


@pytest.mark.slow
def test_pious(program, capsys):
    """The library pious: it starts a program, builds, solves, locks and reads nodes, EVs and equities."""
    client = pytest.importorskip("pious.pio.solver")
    solver = client.Solver(str(program.parent), "solver")
    try:
        assert solver.version == [3, 0, 0]
        for line in description(TURN, TURN_LINES)[:2]:
            words = line.split()
            solver.set_range(words[1], " ".join(words[2:]))
        solver.set_board("Ks7d4cJd")
        solver.set_eff_stack(TURN["stack"])
        solver.set_pot(0, 0, TURN["pot"])
        solver.set_isomorphism(1, 0)
        solver.clear_lines()
        for line in TURN_LINES:
            solver.add_line(line)
        assert solver.build_tree() == "build_tree ok!"
        solver._run("set_threads", "1")
        solver.set_accuracy(0)  # the library begins with one of 20 chips
        told = solver.go(40, "steps", quiet=True)
        assert told.startswith("go ok!")
        assert told.endswith("SOLVER: stopped (steps done)")
        solution = cp.solve_spot(spot_of(TURN, TURN_LINES), iterations=40, threads=1, progress=False)
        root = solver.show_node("r:0")
        assert (root.node_type, root.board, root.pot, root.num_children) == (
            "OOP_DEC",
            ("Ks", "7d", "4c", "Jd"),
            (0, 0, 100),
            2,
        )
        assert solver.show_children_actions("r:0:c") == ["b100", "b50", "c"]
        assert [child.node_id for child in solver.show_children("r:0")] == ["r:0:b50", "r:0:c"]
        assert len(solver.show_children("r:0:c:c")) == 48
        strategy = np.array(solver.show_strategy("r:0:c"))
        expected = solution.node("r:0:c").strategy("KdQd")
        assert strategy[:, at("KdQd")] == pytest.approx(list(expected.values())[::-1], abs=1e-8)
        evs, matchups = solver.calc_ev("OOP", "r:0:c:b50")
        assert np.array_equal(np.isfinite(evs), matchups > 0)
        assert evs[at("AhKh")] == pytest.approx(solution.node("r:0:c:b50").ev("AhKh", "oop"), abs=1e-5)
        equities, _, total = solver.calc_eq_node("IP", "r:0")
        assert total == pytest.approx(solution.root.equity(player="ip"), abs=1e-8)
        assert equities[at("KdQd")] == pytest.approx(solution.root.equity("KdQd", "ip"), abs=1e-8)
        assert solver.calc_global_freq("r:0:b50") == pytest.approx(solution.root.frequencies["b50"], abs=1e-7)
        assert solver.show_all_lines()[:3] == ["r", "r:0", "r:0:c"]
        assert solver.show_effective_stack() == TURN["stack"]
        assert solver.show_tree_info()["Board"] == ["Ks", "7d", "4c", "Jd"]
        assert solver.show_board() == "Ks 7d 4c Jd"
        assert solver.show_hand_order()[0] == "2d2c"
        held = solver.show_range("OOP", "r:0")
        assert held is not None
        assert solver.lock_node("r:0") == "lock_node ok!"
        assert solver.unlock_node("r:0") == "unlock_node ok!"
        assert "Exploitable for" in solver.calc_results()
        assert solver.dump_tree(f'"{program.parent}/tree.cfr"', "full") == "dump_tree ok!"
        solver.load_tree(f"{program.parent}/tree.cfr")
        assert solver.root_node_info.node_id == "r:0"
        assert solver.load_all_nodes() == "load_all_nodes ok!"
        assert solver.rebuild_forgotten_streets() == "rebuild_forgotten_streets ok!"
    finally:
        solver.process.kill()
        solver.process.wait()
        for stream in (solver.process.stdin, solver.process.stdout, solver.process.stderr):
            stream.close()
