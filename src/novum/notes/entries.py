"""What a question is asked of: rows of the notes, public names and those that scikit-learn has beside, by their words."""

from functools import lru_cache
from math import log
from typing import NamedTuple

from novum.notes.public_names import PublicName, public_names
from novum.notes.tables import Row, chapters, ledger, names_of, served, table
from novum.notes.word_forms import joined, strong, words_of

__all__ = [
    "Entry",
    "elsewhere",
    "everything",
    "holders",
    "index",
    "library",
    "phrases",
    "rarity",
    "shown_path",
    "subjects",
    "terms",
]

IN_NAME, IN_API, IN_TITLE = 1.0, 0.8, 0.3  # what a word is worth by where it stands
IN_PATH, IN_SUMMARY, IN_TERM, IN_REST = 0.95, 0.7, 0.5, 0.4  # the same for the names of the library


class Entry(NamedTuple):
    """Something to be found: a row, a public name or a name of scikit-learn's, with its words."""

    found: Row | PublicName | str
    worth: dict[str, float]
    title: frozenset[str]
    called: frozenset[str]


def shown_path(found: Row | PublicName | str) -> str:
    """Return what an entry is shown by: a name that can be imported."""
    if isinstance(found, Row):
        return next(iter(names_of(found)), "computed in its test" if found.key in served() else "not built yet")
    return found.path if isinstance(found, PublicName) else found


def entry_of_row(row: Row, title: str) -> Entry:
    """Return the words of a row of the notes and what each is worth."""
    worth: dict[str, float] = {}
    for text, value in (
        (title, IN_TITLE),
        (row.capability, IN_API),
        (" ".join(name.removeprefix("novum.") for name in names_of(row)), IN_API),
        (row.api.replace("novum.", ""), IN_API),
        (row.item, IN_NAME),
        (row.name, IN_NAME),
    ):
        worth.update(dict.fromkeys(words_of(text), value))
    return Entry(row, worth, frozenset(words_of(row.name)), frozenset())


Known = dict[str, tuple[tuple[str, ...], ...]]


@lru_cache(maxsize=1)
def subjects() -> Known:
    """Return the phrases that lead to a name, each as its words, by the name."""
    return phrases_of("subjects.tsv")


@lru_cache(maxsize=1)
def terms() -> Known:
    """Return the terms that a course says when it speaks of a name, each as its words, by the name."""
    return phrases_of("terms.tsv")


def phrases_of(file: str) -> Known:
    """Return the phrases of a table, each as its words, by the name they lead to."""
    return {row["name"]: tuple(tuple(words_of(phrase)) for phrase in row["phrases"].split(";")) for row in table(file)}


Phrases = dict[
    tuple[str, ...], tuple[str, ...]
]  # the words of a phrase in alphabetical order, and the names it leads to


@lru_cache(maxsize=1)
def phrases() -> tuple[Phrases, Phrases]:
    """Return the names that each phrase of the subjects leads to, by all its words and by its strong ones."""
    by_words: Phrases = {}
    by_strong: Phrases = {}
    for name, known in subjects().items():
        for phrase in known:
            for made, words in ((by_words, phrase), (by_strong, strong(list(phrase)))):
                key = tuple(sorted(words))
                made[key] = (*made.get(key, ()), name)
    return by_words, by_strong


def entry_of_name(name: PublicName) -> Entry:
    """Return the words of a public name: of its docstring, of itself, and of the subjects that lead to it."""
    own = name.path.split(".")[1:]
    worth = dict.fromkeys(words_of(name.rest), IN_REST)
    worth |= {word: IN_TERM for phrase in terms().get(name.path, ()) for word in strong(list(phrase))}
    worth |= dict.fromkeys(words_of(name.summary), IN_SUMMARY)
    worth |= {word: IN_PATH for phrase in subjects().get(name.path, ()) for word in strong(list(phrase))}
    worth |= dict.fromkeys(words_of(" ".join(own)), IN_PATH)
    return Entry(name, worth, frozenset(words_of(" ".join(own[1:]) or own[0])), spellings(own[-1]))


def spellings(name: str) -> frozenset[str]:
    """Return a name written as one, and without what kind of estimator it is."""
    words = words_of(name)
    short = [word for word in words if word not in ("classifier", "regressor", "cv")]
    return frozenset({joined(words), joined(short or words)})


@lru_cache(maxsize=1)
def index() -> tuple[Entry, ...]:
    """Return every row of the notes with its words and what each is worth."""
    titles = {(c.notes, c.chapter): c.title for c in chapters()}
    return tuple(entry_of_row(row, titles[row.notes, row.chapter]) for row in ledger())


@lru_cache(maxsize=1)
def library() -> tuple[Entry, ...]:
    """Return every public name with the words of its docstring and what each is worth; inherited methods by the subjects."""
    names = public_names()
    known = {name.path for name in names}
    rows = {name: row.name for row in ledger() for name in names_of(row)}
    inherited_terms = (path for path in terms() if path not in subjects() and path.startswith("novum."))
    inherited = (
        PublicName(path, rows.get(path, ""), "") for path in (*subjects(), *inherited_terms) if path not in known
    )
    return tuple(map(entry_of_name, (*names, *inherited)))


@lru_cache(maxsize=1)
def elsewhere() -> tuple[Entry, ...]:
    """Return the names that scikit-learn has and novum has not."""
    ours = {name.path.split(".")[-1] for name in public_names()}
    made = []
    for row in table("scikit_learn.tsv"):
        own = row["name"].split(".")[-1]
        if own not in ours:
            phrases = [strong(words) for phrase in row["phrases"].split(";") if (words := words_of(phrase))]
            words = [word for phrase in phrases for word in phrase]
            title = frozenset(words_of(own))
            worth = dict.fromkeys([*words, *title], IN_PATH)
            made.append(Entry(row["name"], worth, title, spellings(own) | {joined(phrase) for phrase in phrases}))
    return tuple(made)


@lru_cache(maxsize=1)
def everything() -> tuple[Entry, ...]:
    """Return the entries of all indexes."""
    return (*index(), *library(), *elsewhere())


@lru_cache(maxsize=1)
def holders() -> dict[str, set[int]]:
    """Return the places in `everything` that hold a word, by the word."""
    found: dict[str, set[int]] = {}
    for place, entry in enumerate(everything()):
        for word in entry.worth:
            found.setdefault(word, set()).add(place)
    return found


@lru_cache(maxsize=1)
def rarity() -> dict[str, float]:
    """Return how much each word of the indexes tells: the log of one over the share of entries that have it."""
    return {word: log(1 + len(everything()) / len(places)) for word, places in holders().items()}
