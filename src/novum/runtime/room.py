"""How much memory may be used to save time: one budget per process, a share of what machine, container and user leave.

    budget = SHARE * (held + left),    left = min(free memory, limit of the cgroups - use, limit of the address space - use)     (1)

What is held under it can be made again or lies on disk as well, so to be refused costs time and nothing else. All fits of a process
share the budget: three at once hold no more than one. It is looked at anew as it is used, since other processes grow, too.
A second budget bounds what is written to the temporary folder. `NOVUM_CACHE_MEMORY` and `NOVUM_CACHE_DISK` set either in
bytes (0, 500MB, 2GB) instead of as a share of what is left.
"""

import os
import re
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from novum.exceptions import ParameterError

__all__ = ["Budget", "budget", "disk_budget", "memory_left"]

SHARE = 0.25  # of what is left: a fit needs room beside, and other processes look at the same free memory
DISK_SHARE = 0.5  # likewise, of the free disk
MEMORY, DISK = "NOVUM_CACHE_MEMORY", "NOVUM_CACHE_DISK"
IN_MEMORY = {"tmpfs", "ramfs"}
LOOK_EVERY = 2**25  # bytes granted between two looks at (1), which take up to a millisecond in nested cgroups
PATIENCE = 0.2  # seconds that a refusal stands: what is asked for block by block would look for each
CGROUPS = Path("/sys/fs/cgroup")
UNKNOWN = 2**31  # bytes assumed to be left where the system does not tell


def free_memory() -> int:
    """Return the bytes that the machine can give without swapping."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN


def number_in(path: Path) -> int | None:
    """Return the number that a file of the system holds, None where it holds none."""
    try:
        text = path.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def cgroup_left(root: Path = CGROUPS, own: Path = Path("/proc/self/cgroup")) -> int | None:
    """Return the bytes that the cgroups of this process leave, of either version; None without a limit."""
    try:
        lines = own.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    left: list[int] = []
    for line in lines:
        _, controllers, place = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top = root / "memory" if controllers else root
        limit, used = (
            ("memory.limit_in_bytes", "memory.usage_in_bytes") if controllers else ("memory.max", "memory.current")
        )
        folder = top / place.lstrip("/")
        for group in (folder, *folder.parents):
            bound, use = number_in(group / limit), number_in(group / used)
            if bound is not None and use is not None:
                left.append(bound - use + reclaimable(group))
            if group == top:
                break
    return max(0, min(left)) if left else None


def reclaimable(group: Path) -> int:
    """Return the bytes of cached files that a cgroup gives back on demand."""
    try:
        with open(group / "memory.stat", encoding="ascii") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith("inactive_file "))
    except (OSError, ValueError):
        return 0


def address_space_left() -> int | None:
    """Return the bytes of address space that `ulimit -v` leaves, None without a limit."""
    try:
        import resource

        bound = resource.getrlimit(resource.RLIMIT_AS)[0]
        if bound == resource.RLIM_INFINITY:
            return None
        with open("/proc/self/statm", encoding="ascii") as file:
            return max(0, bound - int(file.read().split()[0]) * resource.getpagesize())
    except (ImportError, AttributeError, OSError):
        return None


def memory_left() -> int:
    """Return the bytes that this process may still take, as (1) says.

    Examples
    --------
    >>> from novum.runtime.room import memory_left
    >>> memory_left() > 0
    True
    """
    limits = (free_memory(), cgroup_left(), address_space_left())
    return min(limit for limit in limits if limit is not None)


def disk_left() -> int:
    """Return the free bytes of the temporary folder; one that lies in memory gives no more than memory does."""
    try:
        folder = tempfile.gettempdir()
        state = os.statvfs(folder)
    except (AttributeError, OSError):  # no folder that can be written to is a FileNotFoundError
        return 0
    free = state.f_bavail * state.f_frsize
    return min(free, memory_left()) if lies_in_memory(folder) else free


def lies_in_memory(folder: str, mounts: Path = Path("/proc/self/mounts")) -> bool:
    """Return whether a folder belongs to a file system that is held in memory."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    place, within = os.path.realpath(folder) + "/", [line.split() for line in lines]
    found = [words for words in within if len(words) > 2 and place.startswith(words[1].rstrip("/") + "/")]
    return bool(found) and max(reversed(found), key=lambda words: len(words[1]))[2] in IN_MEMORY


def bytes_of(text: str, variable: str) -> int:
    """Return the bytes that the value of a variable of the environment stands for."""
    matched = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kMGT]?i?)B?\s*", text, re.IGNORECASE)
    if matched is None:
        raise ParameterError(
            f"{variable}={text!r} in the environment is no number of bytes. Write 0, 500MB or 2GB, or leave it out."
        )
    number, unit = matched.groups()
    power = " kmgt".index(unit[0].lower()) if unit[:1].strip("iI") else 0
    return int(float(number) * (1024 if unit.lower().endswith("i") else 1000) ** power)


class Budget:
    """Bytes that may be held, (1), or what a variable of the environment sets instead of the share."""

    def __init__(self, left: Callable[[], int] = memory_left, share: float = SHARE, variable: str = MEMORY) -> None:
        self.left_outside, self.share, self.variable = left, share, variable
        self.held, self.room, self.looked = 0, 0, 0
        self.bound: str | None = None  # the value of the variable when last looked at
        self.refused_until = 0.0  # by the clock of time.monotonic
        self.lock = threading.Lock()

    def _look(self) -> None:
        self.bound, self.looked = os.environ.get(self.variable), self.held
        whole = self.held + self.left_outside()
        own = int(self.share * whole) if not self.bound else bytes_of(self.bound, self.variable)
        self.room = min(own, whole)

    def take(self, size: int) -> bool:
        """Return whether `size` more bytes may be held, and count them if so."""
        with self.lock:
            after = self.held + size
            changed = os.environ.get(self.variable) != self.bound
            short = after > self.room and time.monotonic() >= self.refused_until
            if changed or short or abs(after - self.looked) > LOOK_EVERY:
                self._look()
                self.refused_until = time.monotonic() + PATIENCE if after > self.room else 0.0
            if after > self.room:
                return False
            self.held = after
            return True

    def hold(self, size: int) -> None:
        """Count `size` bytes that have to be held, whether there is room for them or not."""
        with self.lock:
            self.held += size

    def give(self, size: int) -> None:
        """Say that `size` bytes are no longer held."""
        with self.lock:
            self.held -= size

    def left(self) -> int:
        """Return the bytes that may be held beyond those that are."""
        with self.lock:
            self._look()
            return max(0, self.room - self.held)

    def after_fork(self) -> None:
        """Be usable in the child, whatever threads of the parent were doing."""
        self.lock = threading.Lock()


budget = Budget()
disk_budget = Budget(disk_left, DISK_SHARE, DISK)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=budget.after_fork)
    os.register_at_fork(after_in_child=disk_budget.after_fork)
