"""Keep BLAS to one thread while blocks run, cheaply enough to do it for every pass.

A product inside a block must not start threads of its own: it would compete with the threads over blocks, and its
sums would depend on their number. Process-wide libraries (OpenBLAS on pthreads, MKL, BLIS) are limited when the
first caller enters and restored when the last leaves; OpenMP builds keep the number per thread and are limited per
thread.
"""

import ctypes
import os
import threading
from typing import Any

from threadpoolctl import OpenBLASController, ThreadpoolController

from novum import _core

__all__ = ["libraries", "openmp_threads", "single_blas"]


class _Libraries:
    """The thread pools of native libraries, found again whenever a library has been loaded since."""

    def __init__(self) -> None:
        self.changes = -1
        self.found: dict[str, list[Any]] = {"blas": [], "openmp": []}

    def get(self, user_api: str) -> list[Any]:
        changes = _core.runtime.threads.library_changes()
        if changes != self.changes:
            found = ThreadpoolController().lib_controllers
            self.found = {api: [library for library in found if library.user_api == api] for api in ("blas", "openmp")}
            self.changes = changes
        return self.found[user_api]


_libraries = _Libraries()


def libraries(user_api: str) -> list[Any]:
    """Return threadpoolctl's controllers of the loaded "blas" or "openmp" libraries."""
    return _libraries.get(user_api)


class _Saved(dict[str, tuple[Any, int]]):
    """Libraries that were limited, by path, with the number of threads they had before."""

    def limit(self, found: list[Any]) -> None:
        for library in found:
            if library.filepath not in self and (before := library.num_threads) not in (None, 1):
                self[library.filepath] = (library, before)
                library.set_num_threads(1)

    def restore(self) -> None:
        while self:
            _, (library, before) = self.popitem()
            library.set_num_threads(before)


class _InThread(threading.local):
    def __init__(self) -> None:
        self.saved = _Saved()
        self.openmp: list[int | None] | None = (
            None  # threads of the OpenMP libraries before a BLAS took them down with it
        )


def _addresses(library: Any) -> tuple[int, int] | None:
    """Return where the functions lie that read and set the threads of an OpenBLAS on pthreads, None of any other library.

    They are called directly: threadpoolctl takes twenty times as long, and lets one thread at a time control OpenBLAS.
    """
    if not isinstance(library, OpenBLASController) or getattr(library, "threading_layer", None) != "pthreads":
        return None
    found = []
    for name in ("openblas_get_num_threads", "openblas_set_num_threads"):
        spellings = (f"{before}{name}{after}" for before in ("", "scipy_") for after in ("", "64_", "_64"))
        function = next(filter(None, (getattr(library.dynlib, spelling, None) for spelling in spellings)), None)
        if function is None:
            return None
        found.append(ctypes.cast(function, ctypes.c_void_p).value or 0)
    return found[0], found[1]


class _SingleBlas:
    """The context manager behind `single_blas`: one object, re-entrant, shared by all threads.

    `limit` counts who is inside and keeps OpenBLAS on pthreads, what NumPy's and SciPy's wheels bring, to one thread in compiled
    code; other libraries are limited here.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()  # garbage collected while it is held may close a generator that leaves here
        self.limit = _core.runtime.blas.BlasLimit()
        self.others: list[Any] = []  # loaded libraries of other kinds
        self.changes = -1
        self.saved = _Saved()
        self.thread = _InThread()

    def __enter__(self) -> None:
        if not self.limit.enter():
            self._limit_others()

    def __exit__(self, *_: object) -> None:
        if not self.limit.leave():
            self._restore_others()

    def _limit_others(self) -> None:
        with self.lock:
            found = libraries("blas")  # looked up at every level: a library may have been loaded since the outermost
            if self.changes != _libraries.changes:
                addresses = [_addresses(library) for library in found]
                self.others = [library for library, pair in zip(found, addresses, strict=True) if pair is None]
                self.changes = _libraries.changes
                self.limit.know([pair for pair in addresses if pair], self.changes, not self.others)
            on_openmp = [lib for lib in self.others if getattr(lib, "threading_layer", None) == "openmp"]
            self.saved.limit([library for library in self.others if library not in on_openmp])
            if on_openmp and self.limit.depth_here == 1:
                self.thread.openmp = openmp_threads()
            self.thread.saved.limit(on_openmp)

    def _restore_others(self) -> None:
        with self.lock:
            if self.limit.depth_here == 0:
                self.thread.saved.restore()
                self.thread.openmp = None
            if self.limit.depth == 0:
                self.saved.restore()

    def after_fork(self) -> None:
        """Count in the child only what its one thread has entered; the others will never leave."""
        self.lock = threading.RLock()
        self.limit.after_fork()
        if self.limit.depth == 0:
            self.saved.restore()


def openmp_threads() -> list[int | None]:
    """Return how many threads each OpenMP library may use in this thread, whatever `single_blas` has made of them.

    A BLAS on OpenMP is limited through its OpenMP, so within `single_blas` that says 1 of the threads over blocks too.
    """
    if _single_blas.thread.openmp is not None:
        return _single_blas.thread.openmp
    return [library.num_threads for library in libraries("openmp")]


_single_blas = _SingleBlas()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_single_blas.after_fork)


def single_blas() -> _SingleBlas:
    """Return a context manager under which BLAS uses one thread; what it was before is restored at the outermost exit.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.runtime.blas import single_blas
    >>> with single_blas():
    ...     float(np.eye(2).dot(np.ones(2)).sum())
    2.0
    """
    return _single_blas
