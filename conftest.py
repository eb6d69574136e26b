"""For every test: pictures are drawn in memory and closed afterwards; layers wait for PyTorch, narrow kernels for all levels."""

import os
import re
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")


def pytest_configure():
    """Let tests hear Ctrl-C although a shell started them in the background, where it is ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Skip tests of narrow kernels in a build that has one instruction level."""
    from novum import _core

    levels = _core.runtime.build.levels()
    if len(levels) > 1:
        return
    reason = f"this build has kernels of one instruction level alone, {levels[0]}; make test-levels builds all"
    for item in items:
        if item.get_closest_marker("levels"):
            item.add_marker(pytest.mark.skip(reason=reason))


NEEDS = re.compile(r"^(?:import|from) (torch|triton)\b", re.MULTILINE)


def pytest_ignore_collect(collection_path):
    """Pass over modules that import PyTorch (layers) or Triton (kernels) at their top where that is not installed."""
    package = Path(find_spec("novum").origin).parent  # not any folder of that name: a clone is called so too
    if collection_path.suffix != ".py" or package not in collection_path.parents:
        return None
    needed = NEEDS.findall(collection_path.read_text(encoding="utf-8"))
    return True if any(find_spec(name) is None for name in needed) else None
