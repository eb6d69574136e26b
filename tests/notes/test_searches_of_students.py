"""Words as students ask for them, in Italian and in English: the right name within the first three answers."""

from pathlib import Path

import pytest

from novum.notes import find
from novum.notes.italian import in_english

SEARCHES = [
    line.split("\t")
    for line in (Path(__file__).parent / "searches_of_students.tsv").read_text(encoding="utf-8").splitlines()
]


def test_first_three_answers():
    missed = {asked: found[:3] for asked, name in SEARCHES if name not in (found := find(asked).answers)[:3]}
    assert not missed


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
