"""Every name that lists, search and pages show can be imported, and what is built is shown."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from novum import notes
from novum.notes.pages import pages
from novum.notes.public_names import public_names
from novum.notes.tables import names_of, shown_names

ROOT = Path(__file__).parents[2]
BARE = re.compile(r"(Return|Yield|Decide)?\s*(eq\. )?\(\d+\)[^a-z]*((or|and|for|of|every|row|query)[^a-z]*)*")
DOTTED = re.compile(r"\b(?:novum|sklearn)(?:\.[A-Za-z_]\w*)+")


@cache
def fault_of(path: str) -> str:
    """Return what is wrong with a public dotted name: nothing where it can be imported and is meant to be."""
    parts = path.split(".")
    found = import_module(parts[0])
    for at, part in enumerate(parts[1:], 1):
        if part.startswith("_"):
            return "is private"
        if isinstance(found, ModuleType):
            answered = getattr(
                vars(found).get("__getattr__"), "homes", ()
            )  # what results are, reached by what returns them
            listed = [*getattr(found, "__all__", [part]), *answered]
            try:
                inside = getattr(found, part, None)
                found = import_module(".".join(parts[: at + 1])) if inside is None else inside
            except ImportError:
                return "does not exist"
            if parts[0] == "novum" and part not in listed and at > 1:
                return f"is not in __all__ of {'.'.join(parts[:at])}"
        elif hasattr(found, part):
            found = getattr(found, part)
        else:
            return "does not exist"
    return ""


def test_the_table_has_every_row_once():
    lines = (ROOT / "src" / "novum" / "notes" / "names.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert [line.split("\t")[0] for line in lines] == [row.key for row in notes.ledger()]


def test_names_of_the_rows_can_be_imported():
    wrong = {}
    for row in notes.ledger():
        for name in names_of(row):
            fault = ("" if (ROOT / name).exists() else "is no page") if "/" in name else fault_of(name)
            if fault:
                wrong[f"{row.key}: {name}"] = fault
    assert not wrong, "mend src/novum/notes/names.tsv"


def test_the_check_finds_what_cannot_be_imported():
    assert fault_of("novum.graphical.d_separated") == "does not exist"
    assert fault_of("novum.graphical.networks.lint") == "is not in __all__ of novum.graphical"
    assert fault_of("novum.graphical.BayesianNetwork._tables") == "is private"
    assert fault_of("novum.nothing.at_all") == "does not exist"
    assert fault_of("novum.graphical.BayesianNetwork.lint") == fault_of("novum.load") == ""


def test_served_rows_have_names_and_planned_names_that_exist_are_shown():
    unnamed = [row.key for row in notes.ledger() if row.key in notes.served() and not names_of(row)]
    assert not unnamed
    for row in notes.ledger():
        for name in (part.strip().rstrip("*") for part in row.api.split(",")):
            if not fault_of(name):
                assert name in names_of(row), f"{name} is built: add it to the row {row.key} of names.tsv"
    assert all(shown_names(row) for row in notes.ledger())


def test_every_name_in_lists_and_pages_can_be_imported():
    texts = {name: text for name, text in pages().items() if name.startswith("notes/")}
    texts |= {f"notes {c.notes} {c.chapter}": repr(notes.notes(c.notes, c.chapter)) for c in notes.chapters()}
    for where, text in texts.items():
        shown = set(DOTTED.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)))
        shown = {name for name in shown if not name.startswith("novum.notes")}
        assert not {name: fault_of(name) for name in shown if fault_of(name)}, where
    for chapter in notes.chapters():  # the lists show whole names only
        for line in repr(notes.notes(*chapter[:2])).splitlines()[1:]:
            assert not re.search(r"\w\.\.\.  \S+\.[a-z_]+\.\.\.", line)


def test_names_of_the_library_are_found_without_importing_it():
    names = public_names()
    assert len(names) > 1000 and len({name.path for name in names}) == len(names)
    assert not {name.path: fault_of(name.path) for name in names if fault_of(name.path)}
    for path in ("novum.cluster.KMeans.fit", "novum.evaluation.compare", "novum.linear_model.Lasso"):
        assert any(name.path == path and name.summary for name in names)


@pytest.mark.parametrize(
    "searched, name",
    [
        ("wilcoxon", "novum.evaluation.paired_test"),
        ("friedman", "novum.evaluation.compare"),
        ("mcnemar", "novum.evaluation.paired_test"),
        ("bonferroni", "novum.evaluation.compare"),
        ("odds ratio", "novum.linear_model.LogisticInference.odds_ratios"),
        ("anova", "novum.evaluation.f_test"),
        ("t-test", "novum.evaluation.t_test"),
        ("lasso", "novum.linear_model.Lasso"),
        ("heteroscedasticity", "novum.linear_model.LinearRegression.inference"),
        ("isolation forest", "novum.ensemble.IsolationForest"),
        ("bootstrap", "novum.evaluation.bootstrap"),
        ("do operator", "novum.graphical.BayesianNetwork.do"),
        ("back door", "novum.causal.backdoor_sets"),
    ],
)
def test_find_knows_what_the_docstrings_say(searched, name):
    found = notes.find(searched)
    shown = repr(found).split()
    assert name in shown, repr(found)
    assert not {word: fault_of(word) for word in shown if DOTTED.fullmatch(word) and fault_of(word)}


def test_find_says_what_is_not_built(monkeypatch):
    for module in ("entries", "search"):
        monkeypatch.setattr(f"novum.notes.{module}.served", dict)  # as if nothing were
    monkeypatch.setattr("novum.notes.entries.names_of", lambda row: ())
    lines = repr(notes.find("convolution")).splitlines()
    assert any(line.startswith("not built yet") and line.endswith("not yet") for line in lines)


def test_nothing_is_left_to_build():
    lines = repr(notes.find("convolution")).splitlines()
    assert lines and not any(line.startswith("not built yet") for line in lines)


def test_docstrings_that_name_a_formula_show_it():
    """`help(entropy)` is read far from the top of its module: a number in brackets needs its formula beside it."""
    elsewhere = re.compile(r"\(\d+\) of `")  # a formula of another module, named
    dangling = []
    for name in public_names():
        bare = BARE.fullmatch(name.summary)
        if bare and not re.search(r"\(\d+\)\s*$", name.rest, re.MULTILINE) and not elsewhere.search(name.summary):
            dangling.append(name.path)
    assert not dangling
