"""Contact sheets: every picture of the notes, drawn by one call, beside what it shows.

python tools/contact_sheets.py [FOLDER] [--only WORD ...] [--style STYLE]     sheets to look at
python tools/contact_sheets.py --freeze                                        the references of the suite, written anew
"""

import argparse
import io
import sys
import textwrap
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

ACROSS, DOWN = 3, 3  # pictures on a sheet
CELL = (560, 470)  # pixels
FOOT = 44  # of them for the caption


def image_of(figure, width, height):
    """Return a figure as an image that fits a cell."""
    from PIL import Image

    stream = io.BytesIO()
    figure.savefig(stream, dpi=110)
    image = Image.open(stream).convert("RGB")
    image.thumbnail((width, height))
    return image


def cell_of(name, style):
    """Return one picture above its caption; a call that fails shows its error."""
    from drawings.rows import PICTURES, drawn
    from matplotlib import pyplot
    from PIL import Image, ImageDraw

    cell = Image.new("RGB", CELL, "white")
    write = ImageDraw.Draw(cell)
    caption = f"{name}: {PICTURES[name][0]}"
    try:
        figure = drawn(name, style)
        image = image_of(figure, CELL[0] - 10, CELL[1] - FOOT - 10)
        cell.paste(image, ((CELL[0] - image.width) // 2, (CELL[1] - FOOT - image.height) // 2))
    except Exception as error:  # the sheet shows what failed
        write.text((10, 10), "\n".join(textwrap.wrap(f"{type(error).__name__}: {error}", 80)), fill="red")
    pyplot.close("all")
    write.rectangle((0, 0, CELL[0] - 1, CELL[1] - 1), outline="#dddddd")
    write.text((8, CELL[1] - FOOT + 6), "\n".join(textwrap.wrap(caption, 88)), fill="black")
    return cell


def frozen():
    """Yield the name and the small image of every picture."""
    from drawings.references import image_of
    from drawings.rows import PICTURES, drawn
    from matplotlib import pyplot

    for name in sorted(PICTURES):
        yield name, image_of(drawn(name))
        pyplot.close("all")


def main(arguments=None):
    """Write the sheets."""
    import matplotlib

    matplotlib.use("agg")
    from drawings.rows import PICTURES
    from PIL import Image

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "contact")
    parser.add_argument("--only", nargs="*", default=[""], help="names that hold one of these words")
    parser.add_argument("--style", default="default", help="a style of matplotlib's, such as dark_background")
    parser.add_argument("--freeze", action="store_true", help="write tests/drawings/references")
    given = parser.parse_args(arguments)
    if given.freeze:
        from drawings.references import freeze

        freeze(frozen())
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    names = [name for name in sorted(PICTURES) if any(word in name for word in given.only)]
    for first in range(0, len(names), ACROSS * DOWN):
        sheet = Image.new("RGB", (ACROSS * CELL[0], DOWN * CELL[1]), "white")
        for k, name in enumerate(names[first : first + ACROSS * DOWN]):
            sheet.paste(cell_of(name, given.style), (k % ACROSS * CELL[0], k // ACROSS * CELL[1]))
        path = given.folder / f"sheet-{1 + first // (ACROSS * DOWN):02d}.png"
        sheet.save(path, optimize=True)
        print(path)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
