"""The public names of the library with what their docstrings say, read from the sources, so that nothing has to be imported.

A family's `__init__` says which module each name of its `__all__` comes from. The docstring stands there, at the class or
function of that name; public methods of classes are names too. Words of the first line count more than words further on. The build
writes all this into a file, from which modules that have not changed since are taken: parsing them takes a second.
"""

import ast
import json
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

__all__ = ["PublicName", "public_names"]

Definition = ast.ClassDef | ast.FunctionDef
PREPARED = "prepared_names.json"
FORM = 2  # of `Facts`; a file prepared for another form counts as changed
ROOT = Path(__file__).parents[1]


class PublicName(NamedTuple):
    """A name that can be imported, the first line of its docstring, and the rest."""

    path: str
    summary: str
    rest: str


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
    """Return where the names of a module come from, imported at once or when first used: name to (module, name there)."""
    found: dict[str, tuple[str, str]] = {}
    for node in (*tree.body, *for_type_checkers(tree)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("novum"):
            found |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    return found


def for_type_checkers(tree: ast.Module) -> list[ast.stmt]:
    """Return the statements under `if TYPE_CHECKING:`, where a lazy package names what it imports (novum.runtime.lazy)."""
    tests = (node for node in tree.body if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING")
    return [inner for node in tests for inner in node.body]


class ModuleNames(NamedTuple):
    """What one module says of names."""

    listed: list[str]  # in its `__all__`
    imported: dict[str, list[str]]  # name to module and name there
    defined: dict[
        str, list[list[str]]
    ]  # by name: ending of the path, first line, rest; of a class also its public methods


def facts_in(text: str) -> ModuleNames:
    """Return what the source of a module says of names."""
    tree = ast.parse(text)
    passed = {name: list(place) for name, place in imported(tree).items()}
    defined = {node.name: described(node) for node in tree.body if isinstance(node, Definition)}
    return ModuleNames(listed(tree), passed, defined)


def described(node: Definition) -> list[list[str]]:
    """Return a name with its docstring in two parts, and the public methods of a class."""
    made = [["", *parts_of(node)]]
    if isinstance(node, ast.ClassDef):
        own = (part for part in node.body if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"))
        once = {method.name: method for method in reversed(list(own))}  # a property before its setter
        made += [[f".{method.name}", *parts_of(method)] for method in reversed(once.values())]
    return made


def parts_of(node: Definition) -> tuple[str, str]:
    """Return the first line of a docstring, and what stands above its examples."""
    first, _, rest = (ast.get_docstring(node) or "").partition("\n\n")
    return " ".join(first.split()), rest.partition("Examples\n----")[0]


class Sources:
    """The modules of the library: what was prepared of those that have not changed since, the others read now."""

    def __init__(self, root: Path, prepared: Path | None = None) -> None:
        self.root = root
        self.prepared: dict[str, list] = json.loads(prepared.read_bytes()) if prepared and prepared.is_file() else {}
        self.read: dict[str, tuple[int, ModuleNames] | None] = {}

    def facts(self, module: str) -> ModuleNames | None:
        """Return what a module says of names, None where it was not written in Python."""
        if module not in self.read:
            path = file_of(module, self.root)
            self.read[module] = self.look(module, path.read_bytes()) if path.is_file() else None
        found = self.read[module]
        return found[1] if found else None

    def look(self, module: str, text: bytes) -> tuple[int, ModuleNames]:
        """Return the sum over a source, by which a change is noticed, and its facts."""
        check, (before, *facts) = crc32(text, FORM), self.prepared.get(module, [None])
        return check, ModuleNames(*facts) if before == check else facts_in(text.decode("utf-8"))

    def definition(self, module: str, name: str, depth: int = 5) -> list[list[str]] | None:
        """Return what is said where a name is defined, through at most `depth` modules that only pass it on."""
        facts = self.facts(module)
        if facts is None or depth == 0:
            return None
        if name in facts.defined:
            return facts.defined[name]
        passed = facts.imported.get(name)
        return self.definition(passed[0], passed[1], depth - 1) if passed else None


def names_of(module: str, sources: Sources) -> Iterator[PublicName]:
    """Yield the public names of a family and the public methods of its classes."""
    facts = sources.facts(module)
    if facts is None:
        return
    for name in facts.listed:
        found = sources.definition(module, name)
        if found is None:
            if file_of(f"{module}.{name}", sources.root).is_file():  # a module, as feature_extraction.text
                yield from names_of(f"{module}.{name}", sources)
            continue
        yield from (PublicName(f"{module}.{name}{end}", summary, rest) for end, summary, rest in found)


def names_in(sources: Sources) -> tuple[PublicName, ...]:
    """Return every public name of the library: the functions of the top, then families in alphabetical order."""
    top = sources.facts("novum")
    assert top is not None
    families = [name for name in top.listed if top.imported[name][0] == "novum"]
    found = [name for family in families for name in names_of(f"novum.{family}", sources)]
    tops = {name: sources.definition("novum", name) for name in top.listed if name not in families}
    return (*(PublicName(f"novum.{name}", *said[0][1:]) for name, said in tops.items() if said), *found)


def prepared_file() -> Path | None:
    """Return where the build put what it prepared: beside the compiled core."""
    core = find_spec("novum._core")
    return Path(core.origin).parent / "notes" / PREPARED if core and core.origin else None


@lru_cache(maxsize=1)
def public_names() -> tuple[PublicName, ...]:
    """Return every public name of the library, families in alphabetical order."""
    return names_in(Sources(ROOT, prepared_file()))


def prepare(target: Path) -> None:
    """Write what the modules say of names, so that a search need not read their sources."""
    sources = Sources(ROOT)
    names_in(sources)
    kept = {module: [found[0], *found[1]] for module, found in sources.read.items() if found}
    target.write_text(json.dumps(kept, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":  # the build calls it so: nothing of novum is installed yet
    prepare(Path(sys.argv[1]))
