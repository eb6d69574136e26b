"""Pages that can be read without building: docs/pictures (a small picture of every script of the gallery), and names.py's.

python tools/pictures.py            draws the scripts of examples/ whose picture is missing, and writes the pages
python tools/pictures.py --all      draws all of them again (some minutes; those with PyTorch only where it is installed)
python tools/pictures.py --pages    writes the pages only
"""

import ast
import runpy
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import names

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
WIDTH = 640  # pixels of a picture
COLORS = 64
COLUMNS = 3
HEAD = "<!-- Written by tools/pictures.py; run it after a change. -->\n"


def title_of(script: Path) -> str:
    """Return the title that a script's docstring begins with."""
    return (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or script.stem).splitlines()[0]


def draw(script: Path) -> None:
    """Run a script and keep its last figure, small."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    pyplot.close("all")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runpy.run_path(str(script))
    figure = pyplot.gcf()
    path = FOLDER / f"{script.stem.removeprefix('plot_')}.png"
    figure.savefig(path, dpi=WIDTH / figure.get_figwidth())
    shrink(path)
    pyplot.close("all")


def shrink(path: Path) -> None:
    """Write a picture again with as few colors as the eye needs."""
    from PIL import Image  # matplotlib brings it

    with Image.open(path) as image:
        small = image.convert("RGB").quantize(COLORS)
    small.save(path, optimize=True)


def pictures_page(scripts: list[Path]) -> str:
    """Return the page of the pictures that are there, three in a row, each with a link to its script."""
    cells = [
        f"[![{title_of(script)}]({name}.png)](../../examples/{script.parent.name}/{script.name})<br>{title_of(script)}"
        for script in scripts
        if (FOLDER / f"{(name := script.stem.removeprefix('plot_'))}.png").exists()
    ]
    rows = [cells[at : at + COLUMNS] for at in range(0, len(cells), COLUMNS)]
    lines = [f"| {' | '.join([*row, *[''] * (COLUMNS - len(row))])} |" for row in rows]
    return "\n".join(
        [
            HEAD,
            "# Pictures",
            "",
            "A click leads to the script that draws it.",
            "",
            "| | | |",
            "|---|---|---|",
            *lines,
            "",
        ]
    )


def main(arguments: list[str]) -> None:
    """Draw what is asked for and write the pages."""
    FOLDER.mkdir(exist_ok=True)
    scripts = sorted((ROOT / "examples").glob("*/plot_*.py"))
    for script in scripts if "--pages" not in arguments else []:
        there = (FOLDER / f"{script.stem.removeprefix('plot_')}.png").exists()
        needs_torch = "import torch" in script.read_text(encoding="utf-8")
        if ("--all" in arguments or not there) and (find_spec("torch") or not needs_torch):
            draw(script)
    (FOLDER / "README.md").write_text(pictures_page(scripts), encoding="utf-8")
    names.write()


if __name__ == "__main__":
    main(sys.argv[1:])
