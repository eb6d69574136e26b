"""Write docs/_static/lab.png, the lab as a browser shows it with k-means after its third step, and lab.gif, every half-step of the run.

python tools/lab_picture.py        needs Chromium
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from novum.lab.protocol.events import events_of, frame_place
from novum.lab.registry import scenes
from novum.lab.server.export import offline_page

FOLDER = Path(__file__).parents[1] / "docs" / "_static"
SCENE, STATE, STEP = "kmeans", {"seed": 7}, 3
SIZE = (1100, 790)
COLORS = 96  # of a file, which is a third of the size then
PATIENCE = 3000  # milliseconds of the page's own clock until it is looked at
PAUSE, REST = 900, 3000  # milliseconds of a frame, and of the last one
MOST_BYTES = 1_000_000  # of the moving picture


def browser() -> str:
    """Return where Chromium is."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    sys.exit("lab_picture: needs Chromium; install it (on Debian: apt-get install chromium) and run again.")


def seen(events: list[Any], place: int, folder: Path) -> Image.Image:
    """Return what a browser shows of a frame, in few colors."""
    page, shot = folder / "lab.html", folder / "lab.png"
    scene = scenes()[SCENE]
    shown = [content for kind, content in events if kind == "frame"][place]
    script = scene.script(scene.state(STATE), shown["n"], shown["part"])
    meta = {"frame": place, "part": shown["part"], "lang": "en", "python": script, "command": "novum lab"}
    page.write_text(offline_page(events, meta), encoding="utf-8")
    look = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--virtual-time-budget={PATIENCE}"]
    look += [f"--window-size={SIZE[0]},{SIZE[1]}", f"--screenshot={shot}", page.as_uri()]
    subprocess.run(look, check=True, capture_output=True, timeout=120)
    with Image.open(shot) as image:
        return image.convert("RGB")


def main() -> None:
    """Write the pages, look at them, keep the pictures."""
    events = list(events_of(scenes()[SCENE], STATE))
    count = sum(kind == "frame" for kind, _ in events)
    with tempfile.TemporaryDirectory() as folder:
        pictures = [seen(events, place, Path(folder)) for place in range(count)]
    still, moving = FOLDER / "lab.png", FOLDER / "lab.gif"
    pictures[frame_place(events, STEP)].quantize(COLORS, dither=Image.Dither.NONE).save(still, optimize=True)
    palette = pictures[-1].quantize(COLORS, dither=Image.Dither.NONE)
    first, *others = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    pauses = [*[PAUSE] * (count - 1), REST]
    first.save(moving, save_all=True, append_images=others, duration=pauses, loop=0, optimize=True)
    for file in (still, moving):
        print(f"{file}: {file.stat().st_size / 1000:.0f} kB")
    if moving.stat().st_size > MOST_BYTES:
        sys.exit(f"lab_picture: {moving.name} is larger than {MOST_BYTES:,} bytes.")


if __name__ == "__main__":
    main()
