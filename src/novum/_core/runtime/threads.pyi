"""Forks and loaded libraries."""



class Flag:
    """Raised by one thread to stop the kernels of others."""

    def __init__(self) -> None: ...

    def lift(self) -> None:
        """Stop the kernels of the threads that follow this flag."""

def follow(flag: Flag | None) -> None:
    """
    Let the kernels of this thread stop when a flag is raised; None: no longer. The caller keeps the flag alive.
    """

def poll() -> None:
    """Raise if this thread's kernels shall stop."""

class Signal:
    """Counts posts; a waiter spins for a moment before it sleeps."""

    def __init__(self) -> None: ...

    def post(self) -> None:
        """Let one waiter go on."""

    def asleep(self) -> int:
        """Return how many waiters sleep, and take long to wake."""

    def wait(self, seconds: float) -> bool:
        """
        Wait for a post and use it up; give up after `seconds`. Return whether there was one.
        """

class Team:
    """
    Threads that share the items of short jobs; they sleep when idle and end with the object.
    """

    def __init__(self, threads: int) -> None: ...

    @property
    def size(self) -> int:
        """How many threads there are, the caller among them."""

def rehearse(on: bool) -> float:
    """
    Let teams of threads made from now on do all items in the caller's thread and note their times; or end that. Return the seconds that reading the clock takes, once for every item.
    """

def rehearsed() -> list[list[float]]:
    """
    Return the seconds (time.thread_time) of every item, for every job of a team since the last call.
    """

def team_seconds(threads: int, items: int, item_seconds: float, rounds: int) -> float:
    """
    Return the seconds of one job of a team: `items` items that each keep a thread busy for `item_seconds`; mean of `rounds` jobs.
    """

def forked() -> bool:
    """Return whether this process was forked after the core was loaded."""

def processor() -> int:
    """
    Return the processor that runs the calling thread, or -1 where the system does not tell.
    """

def library_changes() -> int:
    """
    Return a number that changes whenever a shared library is loaded or unloaded.
    """
