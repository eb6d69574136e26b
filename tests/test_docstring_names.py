"""A name in backticks in a docstring of ours exists: as a module, an identifier, a word of a string, or in the library it names."""

import ast
import builtins
import re
from pathlib import Path

import novum

ROOT = Path(novum.__file__).parent
ELSEWHERE = re.compile(r"(sklearn|torch|joblib|pandas|pyarrow|numpy|scipy|networkx|matplotlib|dask)\.")
# classes and functions of other libraries, fields of C++ structures, what users write, and forms that are explained
OTHERS = {
    "Control",
    "PT1H30M",
    "RANSACRegressor",
    "TransformerDecoderLayer",
    "from_cv_results",
    "locally_linear_embedding",
    "name__parameter",
    "pdist",
    "progression",
    "take_places",
}


def trees():
    for path in ROOT.rglob("*.py"):
        yield path.relative_to(ROOT), ast.parse(path.read_text(encoding="utf-8"))


def names_in(tree):
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.keyword(arg=str(name)):
                yield name
            case ast.alias(name=name):
                yield from name.split(".")
            case ast.Constant(value=str(text)) if len(text) < 60:
                yield from re.findall(r"\w+", text)


def test_names_in_docstrings_exist():
    parsed = dict(trees())
    known = OTHERS | set(dir(builtins)) | {name for tree in parsed.values() for name in names_in(tree)}
    known |= {part for path in parsed for part in path.with_suffix("").parts}
    stale = []
    for path, tree in parsed.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                for name in re.findall(r"`([A-Za-z_][\w.]*)`", text):
                    if not ELSEWHERE.match(name) and not set(filter(None, name.split("."))) <= known:
                        stale.append((str(path), getattr(node, "name", "module"), name))
    assert stale == []
