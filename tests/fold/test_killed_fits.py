"""A fit that is killed while it has data in the temporary folder leaves nothing there, whatever killed it."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import novum

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at the open files of a process")

FIT = """
import os, sys
import numpy as np
import novum
from novum.ensemble import HistGradientBoostingRegressor
from novum.fold.homes.array_store import ArrayStore

written = ArrayStore._write

def write(self, key, array):
    written(self, key, array)
    if len(self.there) == 12:  # in the middle of a fit, with data on the disk
        print(self.file.end, flush=True)
        sys.stdin.read()

ArrayStore._write = write
rng = np.random.default_rng(0)
np.save(sys.argv[1], rng.normal(size=(20_000, 5)))
HistGradientBoostingRegressor(max_iter=3).fit(novum.scan(sys.argv[1], target=4, batch_rows=5000))
"""


def held_files(process, folder):
    """Return the files without a name that a process has open in a folder, and their bytes."""
    found = {}
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        name = os.readlink(link)
        if name.startswith(str(folder)) and name.endswith("(deleted)"):
            found[name] = os.stat(link).st_size
    return found


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT], ids=lambda by: by.name)
def test_nothing_stays(tmp_path, by):
    folder = tmp_path / "temporary"
    folder.mkdir()
    environment = {**os.environ, "TMPDIR": str(folder), "NOVUM_CACHE_MEMORY": "0"}
    environment["PYTHONPATH"] = str(Path(novum.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(FIT), str(tmp_path / "x.npy")],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    size = int(process.stdout.readline())
    assert size > 100_000 and sum(held_files(process, folder).values()) >= size
    assert list(folder.iterdir()) == []  # the system has it, under no name, and frees it with the process
    process.send_signal(by)
    assert process.wait(20) != 0
    process.stdin.close()
    process.stdout.close()
    assert list(folder.iterdir()) == []
