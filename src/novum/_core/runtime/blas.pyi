"""Threads of BLAS libraries."""

from collections.abc import Sequence


class BlasLimit:
    """
    BLAS libraries of process-wide thread pools, kept to one thread while anybody asks for it.
    """

    def __init__(self) -> None: ...

    def enter(self) -> bool:
        """
        Enter once more; return whether the known libraries are all that are loaded.
        """

    def leave(self) -> bool:
        """Leave; return whether the known libraries are all there is to restore."""

    def know(self, found: Sequence[tuple[int, int]], changes: int, all: bool) -> None:
        """
        Take the addresses of functions (threads, set threads) as the libraries loaded at a count of `library_changes`; `all`: no other kind is loaded.
        """

    def after_fork(self) -> None:
        """In a forked child: forget the threads that do not exist here."""

    @property
    def depth(self) -> int:
        """How often it was entered and not left."""

    @property
    def depth_here(self) -> int:
        """The same of this thread."""
