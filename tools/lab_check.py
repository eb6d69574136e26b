"""Check the lab in a real browser as a student uses it: the first minute, keyboard, phone, both languages; axe judges every scene.

usage: python tools/lab_check.py [SCENE ...]      pictures go to build/web; says aloud what it could not check
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
WEB = ROOT / "web"
OUT = ROOT / "build" / "web"
READY_WITHIN = 2.0


def browser() -> str | None:
    """Return where Chromium is, or None."""
    return next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )


def modules() -> bool:
    """Say whether the packages of web/ are there, after fetching them once."""
    if shutil.which("npm") is None:
        return False
    if not (WEB / "node_modules" / "axe-core").exists():
        subprocess.run(["npm", "ci", "--silent", "--no-fund", "--no-audit"], cwd=WEB, check=True)
    return True


def loaded() -> float:
    """Return how many times over the machine's cores are wanted by others."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


@contextmanager
def lab() -> Iterator[tuple[str, float]]:
    """Run `novum lab`; yield its address and the seconds until it was printed."""
    started = time.perf_counter()
    command = [str(Path(sys.executable).with_name("novum")), "lab", "--no-browser", "--port", "0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=OUT, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    try:
        assert server.stdout is not None
        for line in server.stdout:
            if found := re.search(r"http://\S+", line):
                yield found[0], time.perf_counter() - started
                return
        raise RuntimeError("novum lab printed no address")
    finally:
        server.terminate()
        server.wait(timeout=20)


def main() -> int:
    chromium = browser()
    if chromium is None or not modules():
        print("lab_check: SKIPPED, nothing of the lab's page was checked: it needs Chromium, Node and npm.")
        return 0
    OUT.mkdir(parents=True, exist_ok=True)
    slack = 1.0
    if (load := loaded()) > 0.6:
        slack = 3.0
        print(
            f"lab_check: loaded machine ({load:.1f} of its cores busy): limits of time are three times as wide, no figure counts."
        )
    with lab() as (address, seconds):
        print(f"  novum lab was ready {seconds:.2f} s after the command")
        if seconds > READY_WITHIN * slack:
            print(f"lab_check: novum lab must be ready within {READY_WITHIN:g} s")
            return 1
        script = WEB / "tests" / "browser.mjs"
        command = ["node", str(script), chromium, address, str(OUT), str(slack), *sys.argv[1:]]
        return subprocess.run(command, check=False, env={**os.environ, "NOVUM_PYTHON": sys.executable}).returncode


if __name__ == "__main__":
    sys.exit(main())
