"""The tables agree with each other, with the tests and with the pages made from them; the lists print."""

import csv
import re
from pathlib import Path

import pytest
from marks import marks

from novum import notes
from novum.exceptions import ParameterError
from novum.notes import run, search
from novum.notes.entries import index
from novum.notes.pages import pages
from novum.notes.tables import SETS, page_name, table

ROOT = Path(__file__).parents[2]


def test_ledger_is_whole():
    rows = notes.ledger()
    assert (len(table("ledger.tsv")), len(table("supplements.tsv"))) == (1053, 3)
    assert len(rows) == len({row.key for row in rows}) == 1053 + 3
    assert {row.notes for row in rows} == set(SETS)
    assert {(row.notes, row.chapter) for row in rows} == {c[:2] for c in notes.chapters()}
    for row in rows:
        assert all(row) and (row.section == row.chapter or row.section.startswith((f"{row.chapter}.", "A.", "B.")))


def test_every_mark_is_an_item_of_the_notes():
    unknown = marks().keys() - {row.key for row in notes.ledger()}
    assert not unknown, f"no such rows in src/novum/notes/ledger.tsv: {sorted(unknown)}"


def test_served_names_only_tests_that_are_there():
    found = marks()
    for key, tests in notes.served().items():
        assert set(tests) <= found.get(key, set()), f"served.json is out of date about {key}; run make notes-coverage"


def test_pages_are_what_the_tables_say():
    made = pages()
    for name, text in made.items():
        path = ROOT / "docs" / name
        assert path.exists() and path.read_text(encoding="utf-8") == text, (
            f"docs/{name} is out of date; run make notes-coverage"
        )
    assert {f"notes/{path.name}" for path in (ROOT / "docs" / "notes").glob("*.md")} <= set(made)


def test_links_of_the_pages_lead_somewhere():
    anchors = set(re.findall(r'<a id="([^"]+)"', (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")))
    assert anchors == {e.id for e in notes.errata()}
    for name in pages():
        path = ROOT / "docs" / name
        for target in re.findall(r"\]\(([^)]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).resolve().exists()


def test_errata_name_their_tests():
    everything = notes.errata()
    assert len({e.id for e in everything}) == len(everything) > 250
    written = set()
    for path in Path(__file__).parent.glob("test_errata*.py"):
        written |= set(re.findall(r"^def (test_\d{3}_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert {e.test for e in everything if e.test} == written
    for e in everything:
        assert e.printed and e.right and e.place and (e.notes, e.chapter) in {c[:2] for c in notes.chapters()}


@pytest.mark.parametrize("name", ["ledger.tsv", "supplements.tsv", "chapters.tsv", "errata.tsv"])
def test_tables_have_no_stray_cells(name):
    text = (ROOT / "src" / "novum" / "notes" / name).read_text(encoding="utf-8")
    rows = list(csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert {len(row) for row in rows} == {len(rows[0])} and len(table(name)) == len(rows) - 1
    assert all(cell == cell.strip() for row in rows for cell in row)


@pytest.mark.parametrize(
    "chapter", [c for c in notes.chapters() if run.example(*c[:2])], ids=lambda c: page_name(*c[:2])
)
def test_examples_of_the_chapters_run(chapter):
    assert run.check(page_name(*chapter[:2]), run.example(*chapter[:2])) == []


def test_lists(monkeypatch):
    whole = repr(notes.notes())
    assert all(f"{number}  {title}" in whole for number, title in SETS.items()) and "Bayesian Networks" in whole
    eight = notes.notes("8")
    assert repr(eight).startswith("Chapter 8 is in 3 places of your files:\n  000  Bayesian Networks")
    assert "novum notes 004 8" in repr(eight) and len(eight.rows) == 41
    chapter = notes.notes("000", 8)
    first = repr(chapter).splitlines()[0]
    assert first.startswith("000 chapter 8, Bayesian Networks -> novum.graphical") and "docs/notes/000-08.md" in first
    assert "test_networks.py::test_fuel_gauge_explains_away" in repr(chapter)
    with monkeypatch.context() as without:
        without.setattr("novum.notes.listing.served", dict)
        assert "not yet" in repr(notes.notes("000", 16))
    assert "misprints: 000-8" in repr(chapter)
    assert "P1.3" in repr(notes.notes("002")) and notes.notes("002", "p1.3").rows
    assert {row.notes for row in notes.notes(3).rows} == set(SETS)  # 002 has a third chapter in both parts
    assert notes.notes("003")._repr_html_().startswith("<pre>")
    for arguments, words in (
        (("99",), "no set is called so and no set has such a chapter"),
        (("000", "44"), "the chapters of 000 are 1, 2, 3"),
        (("8", "2"), "the sets are 000, 001"),
    ):
        with pytest.raises(ParameterError, match=words):
            notes.notes(*arguments)


def test_every_word_of_the_names_is_found():
    words = {}
    for row in notes.ledger():
        for word in search.words_of(row.name):
            words.setdefault(word, row)
    assert len(words) > 1000
    worth = {entry.found: entry.worth for entry in index()}
    assert all(search.score([word], worth[row]) == 1 for word, row in words.items())
    for word in list(words)[::100]:
        assert words[word] in notes.find(word).rows


def test_find_understands_synonyms_and_misspellings():
    for searched, item in (
        ("explaining away", "explaining-away"),
        ("viterbi", "viterbi"),
        ("fuel gauge", "ex-fuel-gauge"),
        ("play tennis", "play-tennis"),
        ("naive bays", "naive-bayes"),
        ("knn", "knn"),
        ("candy", "candy-bags"),
    ):
        keys = [row.item for row in notes.find(searched).rows[:12]]
        assert any(item in key for key in keys), (searched, keys)
    assert any("kalman" in row.item or row.capability == "seq.lds" for row in notes.find("kalman filter").rows[:5])
    nothing = notes.find("xylophone")
    assert not nothing.rows and "Nearest words" in repr(nothing)
    few = repr(notes.find("kernel", limit=3)).splitlines()
    assert len(few) == 4 and few[3].startswith("and ")


def test_run_an_example(capsys):
    assert run.main("000", "8") == 0 and "every line as shown" in capsys.readouterr().out
    assert run.main("000", "19") == 0 and "has no example yet" in capsys.readouterr().out
    with pytest.raises(ParameterError, match="no such chapter"):
        run.main("000", "88")
    assert run.check("wrong", ">>> 1 + 1\n3\n")
