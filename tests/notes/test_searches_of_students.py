"""Words as students ask for them, in Italian and in English: the right name within the first three answers."""

from pathlib import Path

import pytest

from novum.notes import find
from novum.notes.cognates import cognate
from novum.notes.entries import rarity
from novum.notes.italian import in_english
from novum.notes.terms import covered

SEARCHES = [
    line.split("\t")
    for line in (Path(__file__).parent / "searches_of_students.tsv").read_text(encoding="utf-8").splitlines()
]


def test_first_three_answers():
    missed = {asked: found[:3] for asked, name in SEARCHES if name not in (found := find(asked).answers)[:3]}
    assert not missed


def test_one_of_the_right_names_is_among_the_first_three():
    """Several names can be right where a word of the course has several senses."""
    lines = (Path(__file__).parent / "searches_of_the_course.tsv").read_text(encoding="utf-8").splitlines()
    searches = [line.split("\t") for line in lines]
    assert len({asked for asked, _ in searches}) == len(searches) == 300
    missed = {
        asked: found for asked, names in searches if not {*names.split("|")} & {*(found := find(asked).answers[:3])}
    }
    assert not missed


def test_a_term_that_a_question_holds_covers_the_share_of_its_words():
    weight = rarity()
    words = ["design", "matrix", "rank"]
    share = covered(words)
    of_design = (weight["design"] + weight["matrix"]) / sum(weight[word] for word in words)
    assert share["novum.linear_model.LinearRegression"] == pytest.approx(of_design, rel=1e-15)
    assert covered(["matrix", "design"])["novum.linear_model.LinearRegression"] == 1.0
    assert not covered(["xylophone"])


def test_italian_endings_lead_to_english_words_that_are_known():
    known = {"multivariate", "inference", "linearly", "polynomial", "hypothesis"}.__contains__
    pairs = {
        "multivariata": "multivariate",
        "inferenza": "inference",
        "linearmente": "linearly",
        "polinomio": "polynomial",
        "sedia": None,
        "rete": None,
    }
    assert {word: cognate(word, known) for word in pairs} == pairs


def test_a_question_in_italian_is_shown_in_english():
    assert repr(find("reti bayesiane")).splitlines()[0] == "In English: bayesian network."


@pytest.mark.parametrize("asked", ["decision trees", "media access", "test", "date", "kernel", "bayesian network"])
def test_english_stays_english(asked):
    known = {"decision", "trees", "media", "access", "test", "date", "kernel", "bayesian", "network"}
    assert in_english(asked, known.__contains__) is None


@pytest.mark.parametrize(
    "asked, english",
    [
        ("l'algoritmo di Viterbi", "viterbi"),
        ("come funziona la discesa del gradiente", "gradient descent"),
        ("probabilità a posteriori", "posterior"),
        ("PCA e varianza", "pca variance"),
    ],
)
def test_joining_words_and_accents_are_left_out(asked, english):
    assert in_english(asked, lambda word: False) == english


def test_unknown_words_are_left_out_with_a_remark():
    assert repr(find("kalman zzyzx filter")).splitlines()[0] == "No word here is 'zzyzx'; it is left out."
