"""Where things are and what they are called: rooms, plots, no underscores, no words for everything, arguments by name."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "novum"
FILES = sorted(SOURCE.rglob("*.py"))
MOST_FILES = 25  # of one folder; beyond that a reader needs rooms
MOST_LINES = 350  # of one file; beyond that a part of it has a name
MOST_BY_POSITION = 7
SAY_NOTHING = {
    *("words", "texts", "answers", "questions", "reading", "beginning", "things", "kinds", "parts"),
    *("machine", "misc", "util", "utils", "helpers", "common", "stuff"),
}
PLOTS_BY_OTHER_NAMES = {
    *("pictures", "picture", "drawing", "drawings", "sketches", "displays", "figures", "plot", "diagram", "diagrams"),
}
NAMES_OF_ANYTHING = {
    *("Task", "Machine", "Found", "Asked", "Given", "Gathered", "Wanted", "Kept", "Learned", "Drawn", "Part", "Parts"),
}
TAKES_ANY_NUMBER = {"Choice"}  # a list of options, not arguments with meanings


DIALECT = {
    "law",
    "laws",
    "told",
    "asked",
    "chance",
    "chances",
    "spread",
    "spreads",
}  # words that the field has others for
IN_THE_SENSE_OF_THE_FIELD = {
    "plot_chance_level",  # scikit-learn's
    "chance_level_kw",
    "by_chance",
    "error_by_chance",
    "explained_by_chance",
    "spread",  # of what a generator makes, which model files hold
    "spread_rows",  # over blocks
    "law",  # of a group or a vector space, in teaching/linear_algebra/axioms.py
}


def name_of(file: Path) -> str:
    return file.relative_to(SOURCE).as_posix()


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def test_a_folder_has_few_files():
    sizes = Counter(file.parent for file in FILES)
    full = {name_of(folder): size for folder, size in sizes.items() if size > MOST_FILES}
    assert full == {}, f"more than {MOST_FILES} files: put those of one idea into a folder of their own"


def test_a_file_is_one_idea():
    sizes = {name_of(file): len(file.read_text(encoding="utf-8").splitlines()) for file in FILES}
    long = {name: lines for name, lines in sizes.items() if lines > MOST_LINES}
    assert long == {}, f"more than {MOST_LINES} lines: a part has a name, give it a file"


def test_no_module_begins_with_an_underscore():
    assert [name_of(file) for file in FILES if file.stem.startswith("_") and not file.stem.startswith("__")] == []


def test_pictures_are_in_plots():
    found = [name_of(file) for file in FILES if {file.stem, file.parent.name} & PLOTS_BY_OTHER_NAMES]
    assert found == [], "pictures of a folder are in plots.py, or in plots/ where there are several"


def test_names_of_modules_say_what_they_hold():
    found = [name_of(file) for file in FILES if file.stem in SAY_NOTHING]
    assert found == [], "name them by what they hold; SAY_NOTHING above lists words that fit anything"


def test_classes_are_named_for_what_they_are():
    found = [
        f"{name_of(file)}: {node.name}"
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.ClassDef) and node.name in NAMES_OF_ANYTHING
    ]
    assert found == [], "name them by what they are; NAMES_OF_ANYTHING above lists names that fit anything"


def test_calls_of_many_arguments_name_them():
    found = [
        f"{name_of(file)}:{node.lineno} {ast.unparse(node.func)} takes {len(node.args)} by position"
        for file in FILES
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and len(node.args) > MOST_BY_POSITION
        if getattr(node.func, "id", "") not in TAKES_ANY_NUMBER
    ]
    assert found == []


def test_names_are_words_of_the_field():
    found = []
    for file in FILES:
        names = [file.stem]
        for node in ast.walk(tree_of(file)):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                    names.append(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                    names.append(name)
        for name in set(names) - IN_THE_SENSE_OF_THE_FIELD:
            words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_")
            found += [f"{name_of(file)}: {name}"] if DIALECT & set(words) else []
    assert found == [], "say distribution, returned, requested, random state or probability, variance or scale"
