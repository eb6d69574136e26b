"""The public names of the library with what their docstrings say, read from the sources, so that nothing has to be imported.

A family's `__init__` says which module each name of its `__all__` comes from. The docstring stands there, at the class or
function of that name; public methods of classes are names too. Words of the first line count more than words further on.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["PublicName", "public_names"]

Definition = ast.ClassDef | ast.FunctionDef


class PublicName(NamedTuple):
    """A name that can be imported, the first line of its docstring, and the rest."""

    path: str
    summary: str
    rest: str


def parsed(path: Path) -> ast.Module | None:
    """Return the syntax tree of a module, None where it was not written in Python."""
    return ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else None


def file_of(module: str, root: Path) -> Path:
    """Return the file of a module of the library."""
    place = root.joinpath(*module.split(".")[1:])
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def listed(tree: ast.Module) -> list[str]:
    """Return the strings of a module's `__all__`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return [e.value for e in ast.walk(node.value) if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    return []


def imported(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """Return where the names of a module come from: name to (module, name there)."""
    found: dict[str, tuple[str, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("novum"):
            found |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    return found


def answered(tree: ast.Module, module: str) -> dict[str, str]:
    """Return the names that a family answers without listing them, and the module of each (novum.runtime.moved_names)."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__getattr__":
            places = ast.literal_eval(node.value.args[1]) if isinstance(node.value, ast.Call) else {}
            full = {place: f"{module}{place}" if place.startswith(".") else place for place in places}
            return {name: full[place] for place, names in places.items() for name in names.split()}
    return {}


class Sources:
    """The modules of the library, each parsed once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.trees: dict[str, ast.Module | None] = {}

    def tree(self, module: str) -> ast.Module | None:
        """Return the syntax tree of a module."""
        if module not in self.trees:
            self.trees[module] = parsed(file_of(module, self.root))
        return self.trees[module]

    def definition(self, module: str, name: str, depth: int = 5) -> Definition | None:
        """Return where a name is defined, through at most `depth` modules that only pass it on."""
        tree = self.tree(module)
        if tree is None or depth == 0:
            return None
        for node in tree.body:
            if isinstance(node, Definition) and node.name == name:
                return node
        passed = imported(tree).get(name)
        return self.definition(*passed, depth - 1) if passed else None


def described(path: str, node: Definition) -> PublicName:
    """Return a name with its docstring in two parts."""
    first, _, rest = (ast.get_docstring(node) or "").partition("\n\n")
    return PublicName(path, " ".join(first.split()), rest.partition("Examples\n----")[0])


def names_of(module: str, sources: Sources) -> Iterator[PublicName]:
    """Yield the public names of a family and the public methods of its classes."""
    tree = sources.tree(module)
    if tree is None:
        return
    places = {**dict.fromkeys(listed(tree), module), **answered(tree, module)}
    for name, place in places.items():
        node = sources.definition(place, name)
        if node is None:
            if file_of(
                f"{module}.{name}", sources.root
            ).is_file():  # a module of the family, as feature_extraction.text
                yield from names_of(f"{module}.{name}", sources)
            continue
        yield described(f"{module}.{name}", node)
        if isinstance(node, ast.ClassDef):
            own = (part for part in node.body if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"))
            once = {method.name: method for method in reversed(list(own))}  # a property before its setter
            yield from (described(f"{module}.{name}.{method.name}", method) for method in reversed(once.values()))


def top_level(sources: Sources) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the families of `novum` and its functions with the module of each, from the two constants of its `__init__`."""
    tree = sources.tree("novum")
    assert tree is not None
    assigned = {getattr(node.targets[0], "id", ""): node.value for node in tree.body if isinstance(node, ast.Assign)}
    return ast.literal_eval(assigned["_FAMILIES"]), ast.literal_eval(assigned["_NAMES"])


@lru_cache(maxsize=1)
def public_names() -> tuple[PublicName, ...]:
    """Return every public name of the library, families in alphabetical order."""
    root = Path(__file__).parents[1]
    sources = Sources(root)
    families, functions = top_level(sources)
    homes = sorted([*families, "notes"])
    found = [name for home in homes for name in names_of(f"novum.{home}", sources)]
    definitions = {f"novum.{name}": sources.definition(module, name) for name, module in functions.items()}
    return (*(described(path, node) for path, node in definitions.items() if node), *found)
