"""docs/upi.md lists every command as the table of commands does, and its conversation can be held."""

from pathlib import Path

import counterpoise as cp
from counterpoise.upi import Session
from counterpoise.upi.commands import GROUPS, all_commands

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "upi.md"


def rows():
    """The tables of the page, made of the commands themselves."""
    lines = []
    for group, title in GROUPS.items():
        lines += [f"### {title}", "", "| command | what it does |", "|---|---|"]
        for one in all_commands().values():
            if one.group == group:
                name = f"{one.name} {one.arguments}".strip().replace("|", "\\|")
                lines.append(f"| `{name}` | {one.help} |")
        lines.append("")
    return "\n".join(lines)


def test_the_page_lists_all_commands():
    assert rows() in PAGE.read_text()


def test_the_conversation_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spot = cp.Spot.load(ROOT / "examples" / "spots" / "turn.toml")
    cp.solve_spot(spot, iterations=1, threads=1, progress=False).save("turn.cpz")
    shown = next(block for block in PAGE.read_text().split("```") if block.startswith("\n> "))
    said: list[str] = []
    session = Session(said.append)
    for line in (line for line in shown.splitlines() if line.startswith("> ")):
        said.append(f"{line}\n")
        session.handle(line.removeprefix("> "))
    assert "".join(said) == shown.removeprefix("\n")
