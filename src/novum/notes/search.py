"""From any word of the notes, of a textbook or of scikit-learn to the name that serves it.

Three indexes are searched together and a line is shown for every name, best first:

- the rows of the notes, by what they are called, and the public names, by their docstrings: every strong word of the question has
  to match; a rare word counts more, and so does a word of the name than one of the first line or further on;
- `subjects.tsv`, as the index at the end of a book: a phrase of it, searched as a whole, is the first answer;
- `scikit_learn.tsv`: what scikit-learn has and novum has not is named as such.

`synonyms.tsv` holds groups of phrases that mean the same; a query that contains one is also searched with the others. A word that
no index has is taken for the nearest one that some index has, and the answer says so.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from math import log
from typing import NamedTuple

from novum.notes.listing import Listing, clip
from novum.notes.public_names import PublicName, public_names
from novum.notes.tables import Row, chapters, ledger, names_of, served, table
from novum.notes.word_forms import WEAK, WORD, joined, likeness, nearness, strong, words_of

__all__ = ["find"]

SYNONYM = 0.9  # what a match by synonym is worth compared with a match by the word itself
IN_NAME, IN_API, IN_TITLE = 1.0, 0.8, 0.3  # what a word is worth by where it stands
IN_PATH, IN_SUMMARY, IN_REST = 0.95, 0.7, 0.4  # the same for the names of the library
SUBJECT, PART, CALLED = 4.0, 3.0, 2.0  # answers to a whole question: a subject, one but for weak words, a name
SPECIFIC = 0.25  # share of the points that depends on how much of a title was searched for
UNKNOWN = 8.0  # the weight of a word that no index has: as much as one that a single entry has
LEAST = 0.45  # points of an answer that has only some of the words
IN_METHOD = 0.93  # a method comes after a class or a function of equal points
SHOWN = 12
SUGGESTED = 5
NOT_MISSPELT = frozenset(  # words of the field that nothing here serves, and that look like others
    WORD.findall(
        "genetic memetic fuzzy swarm symbolic quantum spiking federated causality epidemic logistics genomic neutral"
    )
)
ELSEWHERE = "not in novum; scikit-learn has {}, which works in the same pipelines"


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


@lru_cache(maxsize=1)
def subjects() -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the phrases that lead to a name, each as its words, by the name."""
    return {
        row["name"]: tuple(tuple(words_of(phrase)) for phrase in row["phrases"].split(";"))
        for row in table("subjects.tsv")
    }


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
    inherited = (PublicName(path, rows.get(path, ""), "") for path in subjects() if path not in known)
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
def synonyms() -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return the groups of phrases that mean the same, each phrase as its words."""
    text = (files("novum.notes") / "synonyms.tsv").read_text(encoding="utf-8")
    return tuple(tuple(tuple(words_of(phrase)) for phrase in line.split("\t")) for line in text.splitlines())


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
    """Return the weight of each word of the indexes: the log of one over the share of entries that have it."""
    return {word: log(1 + len(everything()) / len(places)) for word, places in holders().items()}


@lru_cache(maxsize=4096)
def matches(searched: str) -> dict[str, float]:
    """Return the words of the indexes that match a searched one, and how well."""
    return {own: found for own in rarity() if (found := likeness(searched, own))}


def score(searched: Sequence[str], worth: dict[str, float], *, some: bool = False) -> float:
    """Return how well an entry answers, 0 where a strong word finds nothing; with `some`, where all of them do."""
    need = strong(list(searched))
    points = total = 0.0
    for word in need:
        best = max((found * worth[own] for own, found in matches(word).items() if own in worth), default=0.0)
        if best == 0.0 and not some:
            return 0.0
        weight = rarity().get(word, UNKNOWN)
        points, total = points + weight * best, total + weight
    return points / total if total else 0.0


def specific(searched: Sequence[str], title: frozenset[str]) -> float:
    """Return the share of a title's words that were searched for."""
    matched = sum(any(own in matches(word) for word in searched) for own in title)
    return matched / len(title) if title else 0.0


def variants(searched: list[str]) -> list[tuple[list[str], float]]:
    """Return a question and the same with synonyms put in, with what an answer to each is worth."""
    made = [(searched, 1.0)]
    for group in synonyms():
        for phrase in group:
            n = len(phrase)
            for at in range(len(searched) - n + 1):
                if tuple(searched[at : at + n]) == phrase:
                    others = [list(other) for other in group if other != phrase]
                    made += [(searched[:at] + other + searched[at + n :], SYNONYM) for other in others]
    return made


class Query:
    """A question in words, its variants, and what an entry's answer to it is worth."""

    def __init__(self, words: list[str], *, some: bool = False) -> None:
        self.variants = variants(words)
        self.some = some
        self.whole = joined(strong(words))
        by_words, by_strong = phrases()
        self.subjects = by_words.get(tuple(sorted(words)), ())
        self.parts = by_strong.get(tuple(sorted(strong(words))), ())

    def points(self, entry: Entry) -> float:
        """Return what an entry's answer is worth, 0 for none."""
        best = 0.0
        for words, value in self.variants:
            plain = score(words, entry.worth, some=self.some)
            if plain > best * value:
                best = max(best, value * plain * (1 - SPECIFIC + SPECIFIC * specific(words, entry.title)))
        path = entry.found.path if isinstance(entry.found, PublicName) else ""
        if path in self.subjects:
            return SUBJECT + best
        if path in self.parts:
            return PART + best
        if self.whole in entry.called:
            return CALLED + best
        return best * IN_METHOD if path.count(".") > 2 else best


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """Return the words that a misspelt one may stand for: those of names and subjects, not of sentences about them."""
    names = {word for entry in (*library(), *elsewhere()) for word in entry.title}
    said = {word for known in subjects().values() for phrase in known for word in phrase}
    said |= {word for group in synonyms() for phrase in group for word in phrase}
    said |= {word for row in table("scikit_learn.tsv") for word in words_of(row["phrases"])}
    return frozenset((names | said) - WEAK)


def mended(searched: list[str]) -> tuple[list[str], list[str]]:
    """Return the question with unknown words put right where that can be done, and sentences that say so."""
    words, remarks = [], []
    for word in searched:
        near = word
        if word not in WEAK and not matches(word) and word not in NOT_MISSPELT:
            near = max(vocabulary(), key=lambda own, word=word: (nearness(word, own), own))  # type: ignore[misc]
        if near != word and nearness(word, near):
            remarks.append(f"No word here is {word!r}; this is for {near!r}.")
            word = near
        words.append(word)
    return words, remarks


def suggestions(searched: list[str]) -> str:
    """Return the words of the indexes that are nearest to those searched for."""
    from difflib import SequenceMatcher

    def closeness(own: str) -> float:
        return max((SequenceMatcher(None, one, own).ratio() for one in searched), default=0.0)

    return ", ".join(sorted(rarity(), key=lambda own: (-closeness(own), own))[:SUGGESTED])


def line_of(found: Row | PublicName | str, place: Row | None = None) -> str:
    """Return the line that shows an answer, beside it where the notes speak of it."""
    if isinstance(found, str):
        return ELSEWHERE.format(found)
    row = found if isinstance(found, Row) else place
    where = f"{row.notes} {row.section:<9}" if row else f"{'library':<13}"
    text = row.name if row else found.summary if isinstance(found, PublicName) else ""
    proof = "not yet" if isinstance(found, Row) and found.key not in served() else ""
    return f"{shown_path(found):<52}  {where} {clip(text, 60)}  {proof}".rstrip()


Hit = tuple[float, Entry]


def candidates(question: Query) -> set[int]:
    """Return the places of the entries that can answer: they hold every strong word of a variant, or some, or are called so."""
    found = {place for place, entry in enumerate(everything()) if question.whole in entry.called}
    for words, _ in question.variants:
        held = [set().union(*(holders()[own] for own in matches(word))) for word in strong(words)]
        found |= set().union(*held) if question.some else set.intersection(*held) if held else set()
    return found


def ranked(question: Query, least: float) -> tuple[list[Hit], list[Hit], list[Hit]]:
    """Return the rows, the names and the names of scikit-learn's with more than so many points, best first."""
    made: tuple[list[Hit], list[Hit], list[Hit]] = [], [], []
    for place in sorted(candidates(question)):
        entry = everything()[place]
        if (points := question.points(entry)) > least:
            made[(Row, PublicName, str).index(type(entry.found))].append((points, entry))
    for hits in made:
        hits.sort(key=lambda hit: -hit[0])
    return made


def lines_of(rows: list[Hit], names: list[Hit], others: list[Hit]) -> dict[str, str]:
    """Return a line for every name, by the name: the best of its answers, of equals that of the notes."""
    best = max([hit[0] for hit in (*rows[:1], *names[:1])], default=0.0)
    places: dict[str, Row] = {}
    for _, entry in rows:
        assert isinstance(entry.found, Row)
        places.setdefault(shown_path(entry.found), entry.found)
    hits = [*rows, *names, *(hit for hit in others if hit[0] > best)]
    hits.sort(key=lambda hit: -hit[0])
    lines: dict[str, str] = {}
    for _, entry in hits:
        path = shown_path(entry.found)
        lines.setdefault(path, line_of(entry.found, places.get(path)))
    return lines


def find(*words: str, limit: int = SHOWN) -> Listing:
    """Find the items of the notes and the names of the library that words speak of, best first.

    Parameters
    ----------
    *words : str
        One or several words, or a phrase. Spelling may be off by a letter or two, British or American.
    limit : int, default=12
        How many to show; `rows` and `names` hold all of them.

    Examples
    --------
    >>> from novum.notes import find
    >>> find("explaining away").rows[0].item
    'explaining-away'
    >>> print(repr(find("EM algorithm")).split()[0])
    novum.mixture.GaussianMixture
    >>> print(find("OPTICS", limit=1))
    not in novum; scikit-learn has sklearn.cluster.OPTICS, which works in the same pipelines
    """
    said = " ".join(words)
    searched, remarks = mended(words_of(said))
    for some in (False, True):
        question = Query(searched, some=some)
        rows, names, others = ranked(question, LEAST if some else 0.0)
        if rows or names or others:
            break
    else:
        return Listing(
            f"Nothing in the notes or the library is called {said!r}. Nearest words: {suggestions(strong(searched))}."
        )
    if some:
        remarks.append(f"Nothing has all the words of {said!r}; these have some of them.")
    rows.sort(key=lambda hit: (-hit[0], hit[1].found.key not in served()))  # type: ignore[union-attr]
    lines = lines_of(rows, names, others)
    more = [f"and {len(lines) - limit} more; --limit {len(lines)} shows them"] if len(lines) > limit else []
    named = {shown_path(entry.found) for _, entry in rows}  # shown by the row already
    left = [entry.found for _, entry in names if shown_path(entry.found) not in named]
    return Listing(
        "\n".join([*remarks, *list(lines.values())[:limit], *more]),
        tuple(entry.found for _, entry in rows),  # type: ignore[misc]
        tuple(left),  # type: ignore[arg-type]
        tuple(lines),
    )
