"""The budgets of memory and disk: what systems tell about their limits, who gets what, and what a user may set."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from novum.exceptions import ParameterError
from novum.runtime import room
from novum.runtime.room import Budget, budget, bytes_of, cgroup_left, disk_budget, lies_in_memory, memory_left


@pytest.fixture
def clean(monkeypatch):
    monkeypatch.delenv("NOVUM_CACHE_MEMORY", raising=False)


def write_group(folder: Path, limit: str, used: str, names=("memory.max", "memory.current"), cached: int = 0):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in zip(names, (limit, used)):
        (folder / name).write_text(text + "\n")
    (folder / "memory.stat").write_text(f"anon 5\ninactive_file {cached}\n")


def test_the_tightest_cgroup_above_counts(tmp_path):
    """Version 2: no limit of its own, one above it; cached files come back on demand."""
    own = tmp_path / "cgroup"
    own.write_text("0::/slice/job\n")
    root = tmp_path / "root"
    write_group(root / "slice" / "job", "max", "100")
    write_group(root / "slice", "1000", "700", cached=50)
    assert cgroup_left(root, own) == 1000 - 700 + 50
    write_group(root / "slice" / "job", "400", "380")
    assert cgroup_left(root, own) == 20
    write_group(root / "slice" / "job", "400", "900")
    assert cgroup_left(root, own) == 0


def test_cgroups_of_the_first_version(tmp_path):
    own, names = tmp_path / "cgroup", ("memory.limit_in_bytes", "memory.usage_in_bytes")
    own.write_text("5:cpu,cpuacct:/other\n4:memory:/job\n")
    write_group(tmp_path / "root" / "memory" / "job", "600", "100", names)
    assert cgroup_left(tmp_path / "root", own) == 500


def test_no_limit_and_no_cgroups(tmp_path):
    own = tmp_path / "cgroup"
    assert cgroup_left(tmp_path, own) is None
    own.write_text("0::/\n")
    assert cgroup_left(tmp_path, own) is None


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs the address space in use")
def test_the_limit_of_the_address_space_counts():
    code = (
        "import resource; from novum.runtime.room import address_space_left, memory_left\n"
        "assert address_space_left() is None\n"
        "import os; used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, -1))\n"
        "assert 2**27 < address_space_left() <= 2**28 and memory_left() <= 2**28"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_memory_left_is_what_the_machine_has():
    assert 0 < memory_left() <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_a_share_of_what_is_left(clean):
    total = [1000]
    own = Budget(lambda: total[0] - own.held, 0.25)  # what is held is no longer left
    assert own.take(250) and not own.take(1) and own.left() == 0
    own.give(100)
    assert own.left() == 100 and own.take(100)
    total[0] = 2000
    assert own.left() == 250


def test_other_processes_that_grow_are_noticed(clean, monkeypatch):
    monkeypatch.setattr(room, "LOOK_EVERY", 10)
    left = [1000]
    own = Budget(lambda: left[0], 0.5)
    assert own.take(100)
    left[0] = 50
    assert not own.take(11)


def test_a_refusal_stands_for_a_moment(clean, monkeypatch):
    """Refused block by block, nobody looks at the system for each; what is freed is noticed soon."""
    now, looks = [0.0], []
    monkeypatch.setattr(room.time, "monotonic", lambda: now[0])
    own = Budget(lambda: looks.append(1) or 100 * len(looks), 0.5)
    assert not own.take(60) and not own.take(60) and len(looks) == 1
    now[0] += 2 * room.PATIENCE
    assert own.take(60) and len(looks) == 2


def test_threads_share_one_budget(clean):
    own, got = Budget(lambda: 10_000 - own.held, 1.0), []
    threads = [threading.Thread(target=lambda: got.extend(own.take(7) for _ in range(1000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert own.held == 7 * sum(got) and sum(got) == 10_000 // 7


@pytest.mark.parametrize(
    "text, size",
    [("0", 0), ("1500", 1500), ("2kB", 2000), ("500MB", 5 * 10**8), ("1.5 GiB", 3 * 2**29), ("2g", 2 * 10**9)],
)
def test_bytes_as_people_write_them(text, size):
    assert bytes_of(text, "X") == size


@pytest.mark.parametrize("text", ["much", "-1", "5 apples", "1e9", "GB"])
def test_what_is_no_number_of_bytes_is_refused(text, monkeypatch):
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", text)
    with pytest.raises(
        ParameterError, match=f"NOVUM_CACHE_MEMORY={text!r} in the environment is no number of bytes. Write"
    ):
        Budget().take(1)


def test_the_environment_sets_the_bound_at_once(monkeypatch):
    own = Budget(lambda: 10**6, 0.5)
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "100")
    assert own.take(100) and not own.take(1)
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "800kB")
    assert own.take(799_000)  # more than the share
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "5GB")
    assert own.left() == 10**6  # and never more than there is
    monkeypatch.setenv("NOVUM_CACHE_MEMORY", "0")
    assert not own.take(1)


def test_a_folder_in_memory_is_known_as_such(tmp_path):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\ntmpfs {tmp_path} tmpfs rw 0 0\n/dev/sdb {tmp_path}/disk xfs rw 0 0\n")
    assert lies_in_memory(str(tmp_path / "some"), mounts) and lies_in_memory(str(tmp_path), mounts)
    assert not lies_in_memory(str(tmp_path / "disk" / "some"), mounts)
    assert not lies_in_memory("/elsewhere", mounts) and not lies_in_memory("/", tmp_path / "none")


def test_the_disk_gives_no_more_than_is_free(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    state = os.statvfs(tmp_path)
    assert room.disk_left() <= state.f_blocks * state.f_frsize
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    assert room.disk_left() == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_while_a_thread_looks_leaves_a_budget_that_works():
    with budget.lock, disk_budget.lock:
        child = os.fork()
        if child == 0:
            os._exit(0 if budget.take(1) and disk_budget.left() >= 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
