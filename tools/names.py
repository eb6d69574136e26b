"""Write docs/names.md, every public name by the package that lists it, and docs/teaching.md, the map of `novum.teaching`.

python tools/names.py
"""

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"
HEAD = "<!-- Written by tools/names.py; run it after a change. -->\n"


def public_packages(module: ModuleType) -> Iterator[ModuleType]:
    """Yield a module and the modules among its public names, and theirs."""
    yield module
    for name in module.__all__:
        if isinstance(value := getattr(module, name), ModuleType):
            yield from public_packages(value)


def summary_of(value: Any) -> str:
    """Return the first sentence or line of a docstring, that of its class for an object of ours; nothing for a constant."""
    named = inspect.isclass(value) or inspect.isroutine(value) or isinstance(value, ModuleType)
    ours = type(value).__module__.startswith("novum.")
    text = inspect.getdoc(value if named else type(value)) if named or ours else ""
    return " ".join((text or "").partition("\n\n")[0].split())


def line_of(package: ModuleType, name: str) -> str:
    """Return the line of one name."""
    said = summary_of(getattr(package, name))
    return f"- `{package.__name__}.{name}`" + (f": {said}" if said else "")


def names_page() -> str:
    """Return the page of all public names with the first lines of their docstrings."""
    import novum

    lines = [HEAD, "# Every public name", "", "`help(name)` tells the rest; `make docs` builds the full reference.", ""]
    for package in public_packages(novum):
        lines += [f"## `{package.__name__}`", "", *(line_of(package, name) for name in package.__all__), ""]
    return "\n".join(lines)


def teaching_page() -> str:
    """Return the page of the demonstrations, drawings and games, by chapter of the notes."""
    from novum import teaching
    from novum.teaching.chapters import CHAPTERS

    lines = [HEAD, "# Teaching, by chapter", "", summary_of(teaching), ""]
    for title, names in CHAPTERS.items():
        lines += [f"## {title}", "", *(line_of(teaching, name) for name in names.split()), ""]
    return "\n".join(lines)


def write() -> None:
    """Write both pages."""
    (DOCS / "names.md").write_text(names_page(), encoding="utf-8")
    (DOCS / "teaching.md").write_text(teaching_page(), encoding="utf-8")


if __name__ == "__main__":
    write()
