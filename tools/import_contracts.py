"""Contracts of the import linter that are ours: only listed names across packages, no upward import by string."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

ROOT = Path(__file__).parents[1]


def package_of(module: str) -> str:
    """Return the package directly below novum that a module lies in."""
    return ".".join(module.split(".")[:2])


class OnlyListedNames(Contract):
    """What one package imports from a module of another stands in the `__all__` of that module; the rest is its own affair.

    Modules have no underscores: a module is internal because its package does not export it, a name because its module does not
    list it. The compiled core and modules without `__all__`, or that answer to names as they are asked, hide nothing; `novum`
    itself is the door of all.
    """

    type_name = "only_listed_names"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        listed = {module: listed_names(module) for module in graph.modules}
        broken = sorted(
            f"{importer} imports {name} from {module}, which does not list it"
            for importer in graph.modules - {"novum"}
            for module, name in imported_names(importer)
            if package_of(module) != package_of(importer)
            and f"{module}.{name}" not in graph.modules
            and name not in (listed.get(module) or {name})
        )
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        output.print_error("\n".join(check.metadata["broken"]))


class StringsPointDown(Contract):
    """Modules that are named in a string, to be imported later, lie in the layers that the importer may import."""

    type_name = "strings_point_down"
    doors = fields.ListField(subfield=fields.StringField())  # modules whose task is to import by name, whatever it is

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        level = {name: place for place, layer in enumerate(layers()) for name in re.findall(r"\w+", layer)}
        broken = [
            f"{importer} names {named}, which lies above it"
            for importer in sorted(graph.modules)
            if importer not in self.doors
            for named in named_modules(importer)
            if level.get(named.split(".")[1], 0) < level.get(f"{importer}.".split(".")[1], 0)
        ]
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: ContractCheck) -> None:
        output.print_error("\n".join(check.metadata["broken"]))


def layers() -> list[str]:
    """Return the layers of the contract in pyproject.toml, from the top down."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    return next(contract["layers"] for contract in contracts if contract["type"] == "layers")


def source_of(module: str) -> ast.Module:
    """Return the syntax tree of a module; empty where it has no Python source."""
    path = ROOT / "src" / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8") if file.exists() else "")


def listed_names(module: str) -> set[str]:
    """Return the strings of a module's `__all__`, wherever they stand in it; none if the module answers to others as well."""
    body = source_of(module).body
    if any(isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in body):
        return set()
    return {
        part.value
        for node in body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
        for part in ast.walk(node.value)
        if isinstance(part, ast.Constant)
    }


def imported_names(module: str) -> Iterator[tuple[str, str]]:
    """Yield (module of novum, name) for what a module imports from modules inside the packages."""
    for node in ast.walk(source_of(module)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("novum."):
            yield from ((str(node.module), name.name) for name in node.names)


def named_modules(module: str) -> Iterator[str]:
    """Yield the modules of novum that calls of import_module in a module name in full."""
    for node in ast.walk(source_of(module)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "import_module":
            for given in node.args:
                if isinstance(given, ast.Constant) and str(given.value).startswith("novum."):
                    yield str(given.value)
