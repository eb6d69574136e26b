"""Searches of students and of scikit-learn's users: what each finds first, that it imports, what is not there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from novum.notes import find, search
from novum.notes.public_names import public_names
from novum.notes.tables import table
from novum.notes.words import words_of

SEARCHES = [
    line.split("\t") for line in (Path(__file__).parent / "searches.tsv").read_text(encoding="utf-8").splitlines()
]
ELSEWHERE = "not in novum; scikit-learn has {}, which works in the same pipelines"


def imports(path):
    """Return whether a dotted name can be reached by an import and attributes."""
    module, _, name = path.partition(".")
    found = import_module(module)
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            found = import_module(f"{found.__name__}.{part}")
    return found is not None


def test_there_are_enough_searches():
    assert len(SEARCHES) == len({asked for asked, _ in SEARCHES}) >= 250


def test_first_answers():
    wrong = {}
    for asked, name in SEARCHES:
        lines = [line for line in repr(find(asked)).splitlines() if not line.startswith("No word here")]
        right = lines[0] == ELSEWHERE.format(name) if name.startswith("sklearn") else lines[0].startswith(f"{name} ")
        wrong |= {} if right else {asked: lines[0]}
    assert not wrong


def test_every_name_of_the_tables_imports():
    """What `find` and `notes` can show is in these tables (rows of the notes: test_names.py) and nowhere else."""
    from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer  # noqa: F401

    names = [row["name"] for file in ("subjects.tsv", "scikit_learn.tsv") for row in table(file)]
    names += [name.path for name in public_names()]
    assert len(names) > 2000 and all(map(imports, names))
    shown = {entry.found for entry in search.elsewhere()}
    ours = {name.path.split(".")[-1] for name in public_names()}
    assert not {name for name in shown if name.split(".")[-1] in ours}  # what novum has is not said to be elsewhere


def test_subjects_lead_to_one_name_each():
    seen = {}
    for name, phrases in search.subjects().items():
        for phrase in phrases:
            key = tuple(sorted(phrase))
            assert seen.setdefault(key, name) == name, (phrase, seen[key], name)
            assert find(" ".join(phrase)).answers[0] == name


@pytest.mark.parametrize(
    "spellings",
    [
        ("neighbour", "neighbours", "neighbor", "neighbors"),
        ("regularise", "regularize"),
        ("regularisation", "regularization"),
        ("matrix", "matrices"),
        ("hypothesis", "hypotheses"),
        ("policy", "policies"),
        ("loss", "losses"),
        ("modelling", "modeling"),
        ("centre", "center"),
        ("labelled", "labeled"),
        ("GAN", "GANs"),
        ("quadratic programme", "quadratic programs"),
    ],
)
def test_spellings_and_numbers_of_a_word_are_one(spellings):
    assert len({tuple(words_of(word)) for word in spellings}) == 1


def test_words_that_nobody_knows():
    assert repr(find("gaussain mixture")).startswith(
        "No word here is 'gaussain'; this is for 'gaussian'.\nnovum.mixture.Gau"
    )
    nothing = find("xylophone")
    assert not nothing.answers and not nothing.rows and re.search(r"Nearest words: \w+, \w+", repr(nothing))
    assert "these have some of them" in repr(find("perceptron mistake bound logistic"))


def test_weak_words_do_not_matter():
    first = find("lasso").answers[0]
    for asked in ("the lasso", "lasso method", "LASSO algorithm", "lasso model", "how to fit a lasso in Python"):
        assert find(asked).answers[0] == first


def test_a_name_is_shown_once():
    answers = find("linear regression", limit=1000).answers
    assert len(answers) == len(set(answers)) > 20
