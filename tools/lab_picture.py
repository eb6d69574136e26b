"""Write docs/_static/lab.gif: the lab as a browser shows it, with every half-step of a run of k-means.

python tools/lab_picture.py        needs Chromium, Node and npm
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import lab_check
from PIL import Image

from novum.lab.protocol.events import events_of
from novum.lab.registry import scenes
from novum.lab.server.export import scene_page

PICTURE = Path(__file__).parents[1] / "docs" / "_static" / "lab.gif"
SCENE, STATE = "kmeans", {"seed": 7}
SIZE = (1100, 790)
COLORS = 96  # of all frames
STILL = 700  # milliseconds after a step until the page stands still
PAUSE, REST = 900, 3000  # milliseconds of a frame, and of the last one
MOST_BYTES = 1_000_000


def seen(page: Path, count: int, folder: Path) -> list[Image.Image]:
    """Return what a browser shows of the frames of a page, one step after the other."""
    shots = [folder / f"{place}.png" for place in range(count)]
    acts = [act for shot in shots for act in (f"wait={STILL}", f"shot={shot}", "key=ArrowRight")]
    tool = ["node", str(lab_check.WEB / "tests" / "shot.mjs"), page.as_uri(), str(folder / "end.png"), "light"]
    environment = {**os.environ, "CHROMIUM": str(lab_check.browser())}
    subprocess.run([*tool, *map(str, SIZE), *acts], check=True, env=environment)
    return [Image.open(shot).convert("RGB") for shot in shots]


def main() -> None:
    """Write the page, look at its frames, keep them as one picture."""
    if lab_check.browser() is None or not lab_check.modules():
        sys.exit(
            "lab_picture: needs Chromium, Node and npm; install them (on Debian: chromium nodejs npm) and run again."
        )
    events = list(events_of(scenes()[SCENE], STATE))
    count = sum(kind == "frame" for kind, _ in events)
    with tempfile.TemporaryDirectory() as name:
        page = Path(name) / "lab.html"
        page.write_text(scene_page(scenes()[SCENE], STATE, 0, "en", "novum lab"), encoding="utf-8")
        pictures = seen(page, count, Path(name))
    palette = pictures[-1].quantize(COLORS, dither=Image.Dither.NONE)
    first, *others = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    pauses = [*[PAUSE] * (count - 1), REST]
    first.save(PICTURE, save_all=True, append_images=others, duration=pauses, loop=0, optimize=True)
    size = PICTURE.stat().st_size
    print(f"{PICTURE}: {size / 1000:.0f} kB")
    if size > MOST_BYTES:
        sys.exit(f"lab_picture: the picture is larger than {MOST_BYTES:,} bytes.")


if __name__ == "__main__":
    main()
