"""Check the lab in a real browser as a student uses it: first minute, keyboard, phone, languages, times; axe judges.

usage: python tools/lab_check.py [--parts minute,looks,times] [--quick] [--gross] [SCENE ...]

Pictures, and the table of times of all scenes (times.md), go to build/web. What could not be checked is said aloud. `--quick` looks
at every scene in two of four ways, light and on a dark Italian phone, and times every fourth scene. Times are held to the bar
itself on a machine at rest, to a multiple of it on a loaded one or with `--gross`, which is for machines whose load nobody knows:
there only a gross excess is a failure.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).parents[1]
WEB = ROOT / "web"
OUT = ROOT / "build" / "web"
PARTS = ("minute", "looks", "times")
READY_WITHIN = 2.0  # seconds
BUSY = 0.6  # of the cores, by others
LOADED_SLACK, GROSS_SLACK = 3.0, 5.0  # times the bar


class Lab(NamedTuple):
    """A server that runs."""

    address: str
    seconds: float  # until the address was printed
    busy: float  # seconds of a processor that it took until then
    process: int


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
        fetched = subprocess.run(["npm", "ci", "--silent", "--no-fund", "--no-audit"], cwd=WEB, check=False)
        return fetched.returncode == 0
    return True


def loaded() -> float:
    """Return how many times over the machine's cores are wanted by others."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


@contextmanager
def lab() -> Iterator[Lab]:
    """Run `novum lab`; yield what it is when its address has been printed."""
    started = time.perf_counter()
    command = [str(Path(sys.executable).with_name("novum")), "lab", "--no-browser", "--port", "0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=OUT, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    try:
        assert server.stdout is not None
        for line in server.stdout:
            if found := re.search(r"http://\S+", line):
                yield Lab(
                    found[0], time.perf_counter() - started, sum(psutil.Process(server.pid).cpu_times()[:2]), server.pid
                )
                return
        raise RuntimeError("novum lab printed no address")
    finally:
        server.terminate()
        server.wait(timeout=20)


def slack_of(gross: bool, load: float) -> float:
    """Return by how much limits of time are widened, and say so."""
    if gross:
        print(f"lab_check: times are reported; only {GROSS_SLACK:g} times the bar is a failure.")
        return GROSS_SLACK
    if load > BUSY:
        print(f"lab_check: loaded machine ({load:.1f} of its cores busy): limits {LOADED_SLACK:g} times as wide.")
        return LOADED_SLACK
    return 1.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", metavar="SCENE")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--gross", action="store_true")
    options = parser.parse_args()
    chromium = browser()
    if chromium is None or not modules():
        print("lab_check: SKIPPED, nothing of the lab's page was checked: it needs Chromium, Node and npm.")
        return 0
    OUT.mkdir(parents=True, exist_ok=True)
    load = loaded()
    slack = slack_of(options.gross, load)
    with lab() as running:
        print(f"  novum lab was ready {running.seconds:.2f} s after the command, {running.busy:.2f} s of them at work")
        if running.seconds > READY_WITHIN * slack and running.busy > READY_WITHIN:
            print(f"lab_check: novum lab must be ready within {READY_WITHIN:g} s")
            return 1
        told = {
            "parts": options.parts.split(","),
            "slack": slack,
            "load": load,
            "quick": options.quick,
            "server": running.process,
        }
        script = WEB / "tests" / "browser.mjs"
        command = ["node", str(script), chromium, running.address, str(OUT), json.dumps(told), *options.scenes]
        return subprocess.run(command, check=False, env={**os.environ, "NOVUM_PYTHON": sys.executable}).returncode


if __name__ == "__main__":
    sys.exit(main())
