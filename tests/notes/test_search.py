"""Searches of students and of scikit-learn's users: what each finds first, that it imports, what is not there."""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from novum.notes import find, search
from novum.notes.public_names import ROOT, Sources, names_in, prepare, public_names
from novum.notes.tables import table
from novum.notes.word_forms import words_of

SEARCHES = [
    line.split("\t") for line in (Path(__file__).parent / "searches.tsv").read_text(encoding="utf-8").splitlines()
]
FIND = """
import sys
sys.argv = ["novum", "find", "svm", "--limit", "1"]
from novum.cli import main
try:
    main()
except SystemExit:
    print([name for name in ("sklearn", "scipy", "pandas", "matplotlib", "novum._core") if name in sys.modules])
"""
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
    assert len(SEARCHES) == len({searched for searched, _ in SEARCHES}) >= 250


def test_first_answers():
    wrong = {}
    for searched, name in SEARCHES:
        lines = [line for line in repr(find(searched)).splitlines() if not line.startswith("No word here")]
        right = lines[0] == ELSEWHERE.format(name) if name.startswith("sklearn") else lines[0].startswith(f"{name} ")
        wrong |= {} if right else {searched: lines[0]}
    assert not wrong


def test_every_name_of_the_tables_imports():
    """What `find` and `notes` can show is in these tables (rows of the notes: test_names.py) and nowhere else."""
    from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer  # noqa: F401

    names = [row["name"] for file in ("subjects.tsv", "terms.tsv", "scikit_learn.tsv") for row in table(file)]
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


@pytest.mark.parametrize(
    "searched", ["genetic algorithm", "fuzzy logic", "particle swarm", "quantum annealing", "arima"]
)
def test_a_word_of_the_field_is_not_taken_for_another(searched):
    nothing = find(searched)
    assert not nothing.answers and repr(nothing).startswith(
        f"Nothing in the notes or the library is called {searched!r}."
    )


def test_what_the_build_prepared_says_what_the_sources_say(tmp_path):
    """Of a module that changed since, the source counts."""
    prepare(tmp_path / "names.json")
    ready = json.loads((tmp_path / "names.json").read_text(encoding="utf-8"))
    fresh = names_in(Sources(ROOT))
    assert len(ready) > 300 and fresh == public_names() == names_in(Sources(ROOT, tmp_path / "names.json"))
    check, *facts = ready["novum.naive_bayes.gaussian"]
    facts[2]["GaussianNB"][0][1] = "changed"
    for stamp, said in ((check, True), (check + 1, False)):
        (tmp_path / "old.json").write_text(json.dumps(ready | {"novum.naive_bayes.gaussian": [stamp, *facts]}))
        summaries = {name.path: name.summary for name in names_in(Sources(ROOT, tmp_path / "old.json"))}
        assert (summaries["novum.naive_bayes.GaussianNB"] == "changed") == said


def test_the_command_loads_no_learner():
    run = subprocess.run(
        [sys.executable, "-c", FIND], capture_output=True, text=True, check=True, encoding="utf-8", timeout=120
    )
    assert run.stdout.startswith("novum.svm.SVC") and run.stdout.splitlines()[-1] == "[]"


def test_weak_words_do_not_matter():
    first = find("lasso").answers[0]
    for searched in ("the lasso", "lasso method", "LASSO algorithm", "lasso model", "how to fit a lasso in Python"):
        assert find(searched).answers[0] == first


def test_a_name_is_shown_once():
    answers = find("linear regression", limit=1000).answers
    assert len(answers) == len(set(answers)) > 20
