"""Write docs/_static/lab.png: the lab as a browser shows it, with k-means after its third step, in light colors.

python tools/lab_picture.py        needs Chromium
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from novum.lab.registry import scenes
from novum.lab.server.export import scene_page

PICTURE = Path(__file__).parents[1] / "docs" / "_static" / "lab.png"
STATE = {"seed": 7}
STEP = 3
SIZE = (1100, 790)
COLORS = 96  # of the file, which is a third of the size then
PATIENCE = 15_000  # milliseconds until the page stands still


def browser() -> str:
    """Return where Chromium is."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    sys.exit("lab_picture: needs Chromium; install it (on Debian: apt-get install chromium) and run again.")


def main() -> None:
    """Write the page, look at it, keep the picture."""
    with tempfile.TemporaryDirectory() as folder:
        page, shot = Path(folder) / "lab.html", Path(folder) / "lab.png"
        page.write_text(scene_page(scenes()["kmeans"], STATE, STEP, "en", "novum lab"), encoding="utf-8")
        look = [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--timeout={PATIENCE}"]
        look += [f"--window-size={SIZE[0]},{SIZE[1]}", f"--screenshot={shot}", page.as_uri()]
        subprocess.run(look, check=True, capture_output=True, timeout=120)
        with Image.open(shot) as seen:
            seen.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
