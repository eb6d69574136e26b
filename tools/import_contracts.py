"""Contracts of the import linter that are ours: no private module across packages, no upward import by string."""

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


class PrivateStaysPrivate(Contract):
    """A module whose name begins with an underscore is imported within its own package only; what two share moves down.

    The compiled core is one of them by name only: it is the layer below all packages.
    """

    type_name = "private_stays_private"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        broken = sorted(
            f"{importer} imports {imported}"
            for imported in graph.modules
            if any(part.startswith("_") for part in imported.split(".")[1:]) and package_of(imported) != "novum._core"
            for importer in graph.find_modules_that_directly_import(imported)
            if package_of(importer) != package_of(imported)
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


def named_modules(module: str) -> Iterator[str]:
    """Yield the modules of novum that calls of import_module in a module name in full."""
    path = ROOT / "src" / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if file.exists() else ():
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "import_module":
            for given in node.args:
                if isinstance(given, ast.Constant) and str(given.value).startswith("novum."):
                    yield str(given.value)
