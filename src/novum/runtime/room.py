"""How much memory may be used to save time: one budget per process, a share of what machine, container and user leave.

    budget = SHARE * (held + left),    left = min(free memory, limit of the cgroups - use, limit of the address space - use)     (1)

What is held under it can be made again or lies on disk as well, so to be refused costs time and nothing else. All fits of a process
share the budget: three at once hold no more than one. It is looked at anew as it is used, since other processes grow, too.
"""

import os
import threading
from pathlib import Path

__all__ = ["Budget", "budget", "memory_left"]

SHARE = 0.25  # of what is left: a fit needs room beside, and other processes look at the same free memory
LOOK_EVERY = 2**25  # bytes granted between two looks at (1), which take some 50 microseconds
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


class Budget:
    """Bytes that may be held, (1)."""

    def __init__(self, share: float = SHARE) -> None:
        self.share, self.held, self.room, self.looked = share, 0, 0, 0
        self.lock = threading.Lock()

    def take(self, size: int) -> bool:
        """Return whether `size` more bytes may be held, and count them if so."""
        with self.lock:
            if abs(self.held + size - self.looked) > LOOK_EVERY or self.held + size > self.room:
                self.room, self.looked = int(self.share * (self.held + memory_left())), self.held
            if self.held + size > self.room:
                return False
            self.held += size
            return True

    def give(self, size: int) -> None:
        """Say that `size` bytes are no longer held."""
        with self.lock:
            self.held -= size

    def left(self) -> int:
        """Return the bytes that may be held beyond those that are."""
        with self.lock:
            return max(0, int(self.share * (self.held + memory_left())) - self.held)

    def after_fork(self) -> None:
        """Be usable in the child, whatever threads of the parent were doing."""
        self.lock = threading.Lock()


budget = Budget()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=budget.after_fork)
