"""Trees in files, and commands from files."""

import numpy as np
import pytest

import counterpoise as cp
from counterpoise.store import write_cpz
from tests.upi.talk import RIVER, RIVER_LINES, TURN, TURN_LINES, Talk, weights


def test_a_saved_tree_is_loaded_looked_at_and_solved_on(tmp_path):
    talk = Talk().solve(TURN, TURN_LINES)
    before = talk.numbers("show_strategy r:0:c:c:2h")
    talk.do(f'dump_tree "{tmp_path}/my tree.cfr"')  # whatever a script calls it
    talk.do("free_tree")
    assert talk.ask("is_tree_present") == ["false"]
    talk.do(f'load_tree "{tmp_path}/my tree.cfr" fast')
    assert all(np.array_equal(*pair) for pair in zip(before, talk.numbers("show_strategy r:0:c:c:2h"), strict=True))
    talk.do("go 5")
    talk.do("wait_for_solver")
    assert talk.ask("show_iters") == ["45"]
    talk.do("build_tree")  # the parameters were loaded too
    assert talk.ask("show_iters") == ["0"]


def test_python_reads_what_is_saved(tmp_path):
    talk = Talk().solve(RIVER, RIVER_LINES)
    talk.do(f"dump_tree {tmp_path}/river")
    solution = cp.load_solution(tmp_path / "river.cpz")
    assert solution.iterations == 40
    assert solution.node("r:0:c").actions == ("c", "b60")


def test_a_tree_without_its_rivers(tmp_path):
    talk = Talk().solve(TURN, TURN_LINES)
    talk.do(f"dump_tree {tmp_path}/small.cpz no_rivers")
    talk.do(f"load_tree {tmp_path}/small.cpz")
    assert "INCOMPLETE_TREE" in talk.ask("show_node r")[5]
    stored = talk.session.tree.solution.stored
    assert len(talk.ask("show_children r:0:c:c")) == 48 * 8
    assert not stored.solved  # to show nodes needs no strategies
    assert len(talk.numbers("show_strategy r:0:c:c:2h:c")) == 2
    assert len(stored.solved) == 1
    assert talk.ask("go")[0].startswith("ERROR: the tree was saved without its rivers")
    assert talk.ask(f"set_strategy r:0 {'0.5 ' * 2652}")[0].startswith("ERROR: the tree was saved without its rivers")


def test_a_tree_without_its_rivers_is_rebuilt_and_solved_on(tmp_path):
    talk = Talk().solve(TURN, TURN_LINES)
    talk.do(f"dump_tree {tmp_path}/small small")
    info = talk.ask("show_tree_info")
    talk.do("free_tree")
    assert talk.ask(f"show_metadata {tmp_path}/small") == info
    talk.do(f"load_tree {tmp_path}/small")
    assert talk.ask("go 5")[0].startswith("ERROR: the tree was saved without its rivers: send rebuild")
    above = talk.numbers("show_strategy r:0")
    talk.do("rebuild_forgotten_streets")
    assert "INCOMPLETE_TREE" not in talk.ask("show_node r")[5]
    assert all(np.array_equal(*pair) for pair in zip(above, talk.numbers("show_strategy r:0"), strict=True))
    rebuilt = dict(line.split(": ") for line in talk.ask("calc_results"))
    assert talk.ask(f"dump_tree {tmp_path}/whole")[0].startswith("ERROR: the tree was rebuilt and not solved since")
    talk.do("go 200")
    talk.do("wait_for_solver")
    further = dict(line.split(": ") for line in talk.ask("calc_results"))
    assert float(further["Exploitable for"]) < float(rebuilt["Exploitable for"])
    talk.do(f"dump_tree {tmp_path}/whole")


def test_only_a_saved_tree_is_overwritten(tmp_path):
    """A name of another file is a mistake, whatever suffix it has; a tree that is saved again is not."""
    talk = Talk()
    talk.describe(RIVER, RIVER_LINES)
    talk.do("build_tree")
    notes, blueprint = tmp_path / "notes.txt", tmp_path / "other.cpz"
    notes.write_text("mine")
    write_cpz(blueprint, "blueprint", {}, {})
    before = blueprint.read_bytes()
    for file in (notes, blueprint):
        assert talk.ask(f"dump_tree {file}")[0].startswith(f"ERROR: {file} is not overwritten")
    assert (notes.read_text(), blueprint.read_bytes()) == ("mine", before)
    for _ in range(2):
        talk.do(f"dump_tree {tmp_path}/tree.cfr")


def test_solutions_of_bet_sizes_are_loaded(tmp_path):
    spot = cp.Spot(**RIVER, river={"bet": ["50%"], "raise": ["allin"]})
    cp.solve_spot(spot, iterations=10, threads=1, progress=False).save(tmp_path / "sizes.cpz")
    talk = Talk()
    talk.do(f"load_tree {tmp_path}/sizes.cpz")
    assert talk.ask("show_children r:0:b45")[1::8] == ["r:0:b45:b400", "r:0:b45:c", "r:0:b45:f"]
    assert talk.ask("build_tree") == ["ERROR: there are no lines: send add_line"]


@pytest.mark.parametrize("content", [b"", b"\x80\x04\x95cos\nsystem\n", b"PK\x03\x04 no zip"])
def test_other_files_are_refused(tmp_path, content):
    """Nothing is unpickled: a file is a zip with a header that is checked, or refused."""
    (tmp_path / "x.cfr").write_bytes(content)
    talk = Talk()
    (answer,) = talk.ask(f"load_tree {tmp_path}/x.cfr")
    assert answer.startswith("ERROR: ")
    assert talk.ask("is_tree_present") == ["false"]


def test_scripts(tmp_path):
    """As PioViewer writes them: comments first, then commands."""
    script = tmp_path / "tree.txt"
    lines = [f"add_line {' '.join(map(str, line))}" for line in RIVER_LINES]
    script.write_text(
        "\n".join(
            [
                "#Type#NoLimit",
                "",
                f"set_range OOP {weights(RIVER['oop'])}",
                f"set_range IP {weights(RIVER['ip'])}",
                "set_board QsJh2h8d3c",
                "set_eff_stack 400",
                "set_isomorphism 1 0",
                "set_pot 0 0 90",
                "clear_lines",
                *lines,
                "build_tree",
            ]
        )
    )
    talk = Talk()
    before = len(talk.said)
    talk.do(f'load_script_silent "{script}"')
    assert talk.said[before:] == ["load_script_silent ok!", "END"]
    assert talk.ask("is_tree_present") == ["true"]
    before = len(talk.said)
    talk.session.handle(f"load_script {script}")
    assert talk.said[before:].count("END") == 9 + len(lines)
    script.write_text("is_ready\nnonsense\nis_ready\n")
    (answer,) = talk.ask(f"load_script_silent {script}")
    assert answer.startswith("ERROR: unknown command 'nonsense'")
    script.write_text(f"load_script_silent {script}\n")
    assert "8 deep" in talk.ask(f"load_script_silent {script}")[0]
    script.write_text("is_ready\nnonsense\n")
    outer = tmp_path / "outer.txt"
    outer.write_text(f"load_script {script}\nis_ready\n")
    before = len(talk.said)
    (answer,) = talk.ask(f"load_script_silent {outer}")
    assert answer.startswith("ERROR: unknown command 'nonsense'")
    assert len(talk.said) == before + 2  # one answer, however many scripts
    script.write_text("exit\nis_ready\n")
    talk.session.handle(f"load_script_silent {script}")
    assert talk.session.ended
