"""Plant a fault in a module that is imported already, for the life of a forked process.

A function keeps its identity and gets the code of the faulty source, so that whoever imported it by name, wrapped it in a cache
or holds it as a method runs the fault too. Functions are matched by their qualified name, and by their order where several share
one. Nothing is written into the tree.
"""

import contextlib
import gc
import importlib
import os
import pickle
import pkgutil
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

__all__ = ["functions_by_file", "import_all", "in_fork", "plant"]

CRASHED = "the child ended without an answer"
PAUSE = 0.005  # seconds between two looks at a child


def in_fork(work: Callable[[], Any], seconds: float) -> Any:
    """Return what `work` returns in a forked child; None when it ran out of time, `CRASHED` when it ended otherwise."""
    inlet, outlet = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.close(inlet)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(null, stream)
        try:
            with os.fdopen(outlet, "wb") as pipe:
                pipe.write(pickle.dumps(work()))
        finally:
            os._exit(0)
    os.close(outlet)
    os.set_blocking(inlet, False)
    answer, waited, over = b"", 0.0, False
    while not over and waited < seconds:
        try:
            part = os.read(inlet, 1 << 20)
            answer, over = answer + part, not part
        except BlockingIOError:
            before = time.monotonic()
            time.sleep(PAUSE)
            waited += min(time.monotonic() - before, 10 * PAUSE)  # who was stopped meanwhile has not used its time
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # the child's own group: it may have children itself
    os.close(inlet)
    os.waitpid(pid, 0)
    if not over:
        return None
    return pickle.loads(answer) if answer else CRASHED


def import_all(package: ModuleType) -> list[str]:
    """Import every module of a package, so that a fork finds it loaded; returns those that could not be."""
    missing: list[str] = []
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".", onerror=missing.append):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ImportError:
            missing.append(module.name)
    return missing


def functions_by_file(root: str) -> dict[str, list[FunctionType]]:
    """Return every function whose code stands in a file below `root`, closures and methods included."""
    found: dict[str, list[FunctionType]] = defaultdict(list)
    for value in gc.get_objects():
        if type(value) is FunctionType and value.__code__.co_filename.startswith(root):
            found[value.__code__.co_filename].append(value)
    return found


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all that lie in it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from codes(part)


def numbered(code: CodeType) -> dict[tuple[str, int], CodeType]:
    """Return the code of every function of a module by its qualified name and its number among those of that name."""
    found: dict[tuple[str, int], CodeType] = {}
    seen: dict[str, int] = defaultdict(int)
    for part in codes(code):
        found[part.co_qualname, seen[part.co_qualname]] = part
        seen[part.co_qualname] += 1
    return found


def plant(path: str, before: Any, after: Any, functions: dict[str, list[FunctionType]]) -> int:
    """Give the functions of a file the code of another source (text or syntax tree); returns how many changed."""
    old, new = (numbered(compile(source, path, "exec")) for source in (before, after))
    place = {(part.co_qualname, part.co_firstlineno): key for key, part in old.items()}
    changed = 0
    for function in functions[path]:
        key = place.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
        if key is None or key not in new or new[key] == function.__code__:
            continue
        if new[key].co_freevars != function.__code__.co_freevars:
            new[key] = new[key].replace()  # a cell that the fault no longer needs cannot be taken away
            raise ValueError(f"{function.__qualname__} would lose a variable of the function around it")
        function.__code__ = new[key]
        changed += 1
    return changed
