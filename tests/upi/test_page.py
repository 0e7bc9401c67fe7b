"""docs/upi.md lists every command as the table of commands does."""

from pathlib import Path

from counterpoise.upi.commands import GROUPS, all_commands

PAGE = Path(__file__).parents[2] / "docs" / "upi.md"


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
