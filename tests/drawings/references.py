"""Reference images: small gray pictures of the items of the notes, a sheet for each set of notes, and their comparison.

A picture is like its reference when every pixel of either lies between the darkest and the lightest of the other's nine pixels
around it, but for a few levels of gray and a few pixels: it may be shifted by a pixel, as fonts and versions of matplotlib do,
and a line may not be missing, moved or added. `python tools/contact_sheets.py --freeze` writes the sheets anew.
"""

import io
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from scipy.ndimage import maximum_filter, minimum_filter

__all__ = ["FOLDER", "differing", "freeze", "image_of", "reference"]

FOLDER = Path(__file__).parent / "references"
WIDTH = 300  # pixels of a picture
ACROSS = 4  # pictures in a row of a sheet
GRAYS = 16  # of a sheet
TOLERANCE = 30  # levels of 256: the rounding of GRAYS on both sides, and the smoothing of edges
MOST = 6  # pixels that may differ


def image_of(figure: Any) -> np.ndarray:
    """Return a figure as grays of 256 levels, (height, WIDTH)."""
    stream = io.BytesIO()
    figure.savefig(stream, dpi=WIDTH / figure.get_figwidth(), facecolor="white")
    image = Image.open(stream).convert("L")
    return np.asarray(image.crop((0, 0, WIDTH, image.height)))


def differing(one: np.ndarray, other: np.ndarray) -> int:
    """Return how many pixels of two pictures differ; all of them where their heights differ by more than a pixel."""
    if abs(one.shape[0] - other.shape[0]) > 1:
        return one.size
    high = min(one.shape[0], other.shape[0])
    a, b = (part[:high].astype(int) for part in (one, other))
    wrong = np.zeros(a.shape, bool)
    for shown, against in ((a, b), (b, a)):
        wrong |= shown < minimum_filter(against, 3) - TOLERANCE
        wrong |= shown > maximum_filter(against, 3) + TOLERANCE
    return int(wrong.sum())


@cache
def places() -> dict[str, list[Any]]:
    """Return where every reference stands: name to sheet, left, top, height."""
    found: dict[str, list[Any]] = json.loads((FOLDER / "places.json").read_text(encoding="utf-8"))
    return found


@cache
def sheet(name: str) -> np.ndarray:
    """Return a sheet as grays of 256 levels."""
    with Image.open(FOLDER / name) as image:
        return np.asarray(image.convert("L"))


def reference(name: str) -> np.ndarray:
    """Return the reference of an item of the notes."""
    where, left, top, height = places()[name]
    return sheet(where)[top : top + height, left : left + WIDTH]


def freeze(images: Iterable[tuple[str, np.ndarray]]) -> None:
    """Write sheets that hold the images."""
    FOLDER.mkdir(exist_ok=True)
    index: dict[str, list[Any]] = {}
    sheets: dict[str, list[tuple[str, np.ndarray]]] = {}
    for name, image in images:
        sheets.setdefault(f"{name.partition('/')[0]}.png", []).append((name, image))
    for where, held in sheets.items():
        rows = [held[at : at + ACROSS] for at in range(0, len(held), ACROSS)]
        heights = [max(image.shape[0] for _, image in row) for row in rows]
        whole = np.full((sum(heights), ACROSS * WIDTH), 255, np.uint8)
        for row, top in zip(rows, np.cumsum([0, *heights[:-1]]).tolist()):
            for k, (name, image) in enumerate(row):
                whole[top : top + image.shape[0], k * WIDTH : (k + 1) * WIDTH] = image
                index[name] = [where, k * WIDTH, top, image.shape[0]]
        step = 255 // (GRAYS - 1)
        levels = Image.fromarray(np.rint(whole / step).astype(np.uint8), mode="P")
        levels.putpalette([step * level for level in range(GRAYS) for _ in "rgb"])
        levels.save(FOLDER / where, optimize=True, bits=4)
    (FOLDER / "places.json").write_text(json.dumps(index, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    places.cache_clear()
    sheet.cache_clear()
