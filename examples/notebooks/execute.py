"""Run the notebooks and keep what they show; with --check only compare it with what is kept in the files.

    python examples/notebooks/execute.py [--check] [FILE.ipynb ...]

Every notebook runs in a kernel and in a folder of its own. Lines that only show progress are not kept, and of pictures
that Matplotlib draws, which differ from version to version, it is only compared that they are there.
"""

import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat

FOLDER = Path(__file__).parent
CELL_SECONDS = 600


def execute(path):
    """Return a notebook with the outputs of a run from top to bottom; an error in a cell is raised."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            startup_timeout=CELL_SECONDS,
            record_timing=False,
            resources={"metadata": {"path": folder}},
        ).execute()
    notebook.metadata.language_info = {"name": "python"}  # without the version that happened to run it
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = join_streams([output for output in cell.outputs if not is_progress(output)])
    return notebook


def join_streams(outputs):
    """Return outputs in which printed text that arrived in pieces is one text."""
    joined = []
    for output in outputs:
        if joined and output.output_type == "stream" == joined[-1].output_type and output.name == joined[-1].name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def is_progress(output):
    """Return whether an output is a line of progress: text that a cell has displayed on its way."""
    return output.output_type == "display_data" and set(output.data) == {"text/plain"}


def shown(notebook):
    """Return what a reader sees of a notebook, cell by cell, with the pictures of Matplotlib as a word."""
    return [
        (cell.source, [comparable(output) for output in cell.get("outputs", ())])
        for cell in nbformat.from_dict(notebook).cells
    ]


def comparable(output):
    """Return an output without the insides of a picture that another version may draw in another way."""
    if output.output_type == "stream":
        return output.text
    data = dict(output.data)
    return {kind: "a figure" if "matplotlib" in str(content) else content for kind, content in data.items()}


def main(words):
    """Run the named notebooks, or all, and keep or compare what they show."""
    check = "--check" in words
    named = [Path(word) for word in words if word != "--check"] or sorted(FOLDER.glob("*.ipynb"))
    for path in named:
        found = execute(path)
        if not check:
            nbformat.write(found, path)
            print(f"wrote {path}")
            continue
        for number, (now, kept) in enumerate(
            zip(shown(found), shown(nbformat.read(path, as_version=4)), strict=True), 1
        ):
            if now != kept:
                sys.exit(f"{path}, cell {number} shows\n{now[1]}\nand kept is\n{kept[1]}\nRun {__file__} to keep it.")
        print(f"{path} shows what is kept in it")


if __name__ == "__main__":
    main(sys.argv[1:])
