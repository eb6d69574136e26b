"""Pages that the package writes about itself: the reference from its modules, the benchmark table from its measurements.

Nothing of Sphinx is needed here, so the test suite can check the pages without building them.
"""

import inspect
import json
import re
import statistics
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import novum
from novum.base.discovery import public_modules

HEADS = (
    Path(__file__).parent / "heads"
)  # a picture and some lines of code for the page of a family, by the name of its module
RESULTS = Path(__file__).parents[1] / "benchmarks" / "results.json"
SMALL = "small: "  # how the names of cases on small tables begin
AHEAD = 1.5  # the least ratio that we are content with
EVEN = 0.9  # least ratio that counts as equally fast: the noise of the machines we measure on


def places() -> dict[str, str]:
    """Return where the public names of `novum` itself live: name to module, "." for a family."""
    found: dict[str, str] = vars(novum)["__getattr__"].homes
    return found


def families() -> Iterator[ModuleType]:
    """Yield the public modules that `novum` names, in its order, as far as they are there."""
    for name, module in places().items():
        if module == "." and find_spec(f"novum.{name}") is not None:
            yield import_module(f"novum.{name}")


def top_level() -> list[str]:
    """Return the public functions of `novum` itself, as far as they are there."""
    return sorted(name for name, module in places().items() if module != "." and find_spec(module) is not None)


def foundation() -> list[ModuleType]:
    """Return the modules of `novum.base`, which authors of estimators use, but for the doors to scikit-learn's classes."""
    names = [name for name in public_modules() if name.startswith("novum.base.")]
    found = [import_module(name) for name in names if not name.startswith("novum.base.sklearn_")]
    return [module for module in found if getattr(module, "__all__", ())]


def own_members(cls: type) -> list[str]:
    """Return the public methods and properties that novum itself defines or overrides, in the order of the source."""
    names = []
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("novum."):
            names += [name for name, value in vars(base).items() if not name.startswith("_") and is_member(value)]
    described = set(
        re.findall(r"^(\w+) : ", inspect.getdoc(cls) or "", re.MULTILINE)
    )  # attributes: the docstring lists them
    return [name for name in dict.fromkeys(names) if not name.endswith("_") and not is_described(cls, name, described)]


def is_described(cls: type, name: str, described: set[str]) -> bool:
    """Return whether a name is a property that the docstring of its class describes."""
    return name in described and isinstance(inspect.getattr_static(cls, name), property)


def is_member(value: Any) -> bool:
    """Return whether a class attribute is a method or a property."""
    return inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)


def inherited(cls: type) -> list[str]:
    """Return the public methods that come from scikit-learn."""
    foreign = {
        name
        for base in cls.__mro__
        if base.__module__.startswith("sklearn.")
        for name, value in vars(base).items()
        if not name.startswith("_") and is_member(value)
    }
    return sorted(foreign - set(own_members(cls)))


def prose(docstring: str) -> str:
    """Return a module docstring as Markdown: indented formulas become literal blocks, as they stand in the source."""
    lines, literal = [], False
    for line in inspect.cleandoc(docstring).splitlines():
        if line.startswith("    ") != literal and line.strip():
            lines.append("```" if literal else "```text")
            literal = not literal
        lines.append(line)
    return "\n".join(lines + ["```"] * literal)


def entry(module: str, name: str, value: Any) -> str:
    """Return the section of one public object."""
    kind = "class" if inspect.isclass(value) else "function" if callable(value) else "data"
    directive = (
        "py:data" if kind == "data" else f"auto{kind}"
    )  # data have the docstring of their type, which says nothing
    lines = [f"## {name}", "", "```{eval-rst}", f".. {directive}:: {module}.{name}"]
    if kind == "class" and not issubclass(value, Exception | tuple):
        lines += ["   :members: " + ", ".join(own_members(value))] if own_members(value) else []
    lines += ["```", ""]
    if kind == "class" and (names := inherited(value)):
        lines += ["From scikit-learn: " + ", ".join(f"`{n}`" for n in names) + ".", ""]
    home = inspect.getmodule(value)
    if home is not None and home.__name__ != module and "(1)" in (home.__doc__ or ""):
        lines += [f"The model, as stated at the head of `{home.__name__}`:", "", prose(home.__doc__ or ""), ""]
    return "\n".join(lines)


def head(name: str) -> list[str]:
    """Return what the page of a module begins with, as far as it has a head; its links lead from docs/api/generated."""
    path = HEADS / f"{name}.md"
    return [path.read_text(encoding="utf-8").replace("](../", "](../../")] if path.exists() else []


def module_page(module: ModuleType, title: str) -> str:
    """Return the page of one public module."""
    names = list(module.__all__)
    table = ["```{eval-rst}", f".. currentmodule:: {module.__name__}", "", ".. autosummary::", ""]
    table += [f"   {name}" for name in names] + ["```", ""]
    entries = [entry(module.__name__, name, getattr(module, name)) for name in names]
    return "\n".join([f"# {title}", "", *head(module.__name__), prose(module.__doc__ or ""), "", *table, *entries])


def top_page() -> str:
    """Return the page of the functions of `novum` itself."""
    entries = [entry("novum", name, getattr(novum, name)) for name in top_level()]
    return "\n".join(["# novum", "", prose(novum.__doc__ or ""), "", *entries])


def write_reference(folder: Path) -> None:
    """Write the pages of the reference; a page that did not change keeps its time, so that Sphinx skips it."""
    pages = {"novum.md": top_page()}
    pages |= {f"{m.__name__}.md": module_page(m, m.__name__) for m in (*families(), *foundation())}
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.md"):
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        write_changed(folder / name, text)


def benchmark_tables(results: dict) -> str:
    """Return every measured ratio: the losses first, then what is hardly ahead, then all cases, each in a table of its own."""
    rows = sorted(results["rows"], key=lambda row: row["ratio"])
    small = [row for row in rows if row["case"].startswith(SMALL)]
    lost = [row for row in rows if row["ratio"] < EVEN]
    close = [row for row in rows if EVEN <= row["ratio"] < AHEAD]
    middle, middle_small = (statistics.median(row["ratio"] for row in part) for part in (rows, small or rows))
    lines = [
        f"{len(rows)} comparisons; in {len(lost)} of them novum is slower (ratio below {EVEN}), in {len(close)} more less than"
        f" {AHEAD} times as fast. The median ratio is {middle:.1f}, on small tables {middle_small:.1f}.",
        "",
        "### Where novum is slower",
        "",
        *ratio_table(lost),
        f"### Where novum is less than {AHEAD} times as fast",
        "",
        *ratio_table(close),
    ]
    if small:
        lines += ["### Small tables: fit and predict", "", *machines_of(results, small), *ratio_table(small)]
    for case in dict.fromkeys(row["case"] for row in results["rows"] if not row["case"].startswith(SMALL)):
        measured = [row for row in results["rows"] if row["case"] == case]
        lines += [f"### {case}", "", *machines_of(results, measured)]
        if case in results.get("exponents", {}):
            lines += [f"Our time grows as rows to the power {results['exponents'][case]:.2f}.", ""]
        lines += [
            "| rows | peer | novum, ms | peer, ms | times faster | memory, peer/novum | quality, novum / peer |",
            "|---:|---|---:|---:|---:|---:|---|",
        ]
        for row in measured:
            slower = " **slower**" if row["ratio"] < EVEN else ""
            lines.append(
                f"| {row['rows']:,} | {row['peer']} | {row['ours_ms']:,.1f} | {row['peer_ms']:,.1f} | {row['ratio']:.2f}{slower}"
                f" | {row['memory_ratio']:,.1f} | {row['quality']:.6g} / {row['peer_quality']:.6g} |"
            )
        lines.append("")
    return "\n".join(lines)


def ratio_table(rows: list[dict]) -> list[str]:
    """Return rows of several cases as one table."""
    if not rows:
        return ["Nowhere.", ""]
    lines = ["| case | rows | peer | novum, ms | peer, ms | times faster |", "|---|---:|---|---:|---:|---:|"]
    for row in rows:
        name, times = row["case"].removeprefix(SMALL), f"{row['ours_ms']:,.4g} | {row['peer_ms']:,.4g}"
        lines.append(f"| {name} | {row['rows']:,} | {row['peer']} | {times} | {row['ratio']:.2f} |")
    return [*lines, ""]


def machines_of(results: dict, rows: list[dict]) -> list[str]:
    """Return a line that names where rows were measured, as far as it was noted."""
    named = sorted({results.get("machines", {}).get(row["case"]) for row in rows} - {None})
    return [f"Measured on {'; '.join(named)}.", ""] if named else []


def write_benchmarks(path: Path) -> None:
    """Write the tables of `benchmarks/results.json`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_changed(path, benchmark_tables(json.loads(RESULTS.read_text())))


def write_changed(path: Path, text: str) -> None:
    """Write a file unless it already says this."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
