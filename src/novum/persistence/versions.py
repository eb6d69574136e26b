"""What is installed and what it runs on: the first thing a report of a problem needs."""

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TextIO

from novum import __version__, _core
from novum.runtime.blas import libraries
from novum.runtime.threads import thread_count

__all__ = ["installed_version", "show_versions", "versions"]

REQUIRED = ("numpy", "scipy", "scikit-learn", "narwhals", "skops", "joblib", "threadpoolctl")
OPTIONAL = (
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "rich",
    "typer",
    "jinja2",
    "dask",
    "distributed",
    "torch",
    "networkx",
    "gymnasium",
    "arviz",
)


def installed_version(package: str) -> str:
    """Return the version of a package without importing it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def describe(pool: dict[str, Any]) -> str:
    """Return what threadpoolctl knows of a thread pool in one line."""
    known = [str(pool[key]) for key in ("internal_api", "version", "architecture", "threading_layer") if pool.get(key)]
    return f"{pool['user_api']}: {' '.join(known)}, {pool['num_threads']} threads"


def versions() -> dict[str, dict[str, str]]:
    """Return what `show_versions` prints, by section."""
    pools = [library.info() for library in [*libraries("blas"), *libraries("openmp")]]
    return {
        "novum": {"novum": __version__, "python": sys.version.split()[0], "executable": sys.executable},
        "machine": {
            "system": platform.platform(),
            "processor": platform.machine(),
            "processors": str(os.cpu_count()),
        },
        "core": {
            "compiler": _core.runtime.build.compiler(),
            "instructions": _core.runtime.build.simd_level(),
            "levels": ", ".join(_core.runtime.build.levels()),
            "sanitized": str(_core.runtime.build.sanitized()),
            "threads": str(thread_count()),
        },
        "required": {package: installed_version(package) for package in REQUIRED},
        "optional": {package: installed_version(package) for package in OPTIONAL},
        "thread pools": {os.path.basename(pool["filepath"]): describe(pool) for pool in pools},
    }


def show_versions(file: TextIO | None = None) -> None:
    """Print versions of novum, of what it uses and of what it runs on.

    Parameters
    ----------
    file : text file or None, default=None
        Where to print; None: standard output.

    Examples
    --------
    >>> import novum
    >>> novum.show_versions()  # doctest: +ELLIPSIS
    novum
      novum         0...
    """
    for section, entries in versions().items():
        print(section, file=file)
        for name, value in entries.items():
            print(f"  {name:<13} {value}", file=file)
