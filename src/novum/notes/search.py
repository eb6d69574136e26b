"""From any word of the notes, of a textbook or of scikit-learn to the name that serves it.

Four indexes are searched together and a line is shown for every name, best first:

- the rows of the notes, by what they are called, and the public names, by their docstrings: every strong word of the question has
  to match; a rare word counts more, and so does a word of the name than one of the first line or further on;
- `subjects.tsv`, as the index at the end of a book: a phrase of it, searched as a whole, is the first answer;
- `terms.tsv`: a term of the course that the question holds adds to what the rows and docstrings say (novum.notes.terms);
- `scikit_learn.tsv`: what scikit-learn has and novum has not is named as such.

`synonyms.tsv` holds groups of phrases that mean the same; a query that contains one is also searched with the others. A question in
Italian is put into English first. A word that no index has is taken for the nearest one that some index has, or left out where
none is near, and the answer says so.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

from novum.notes.entries import (
    Entry,
    elsewhere,
    everything,
    holders,
    library,
    phrases,
    rarity,
    shown_path,
    subjects,
)
from novum.notes.italian import in_english
from novum.notes.listing import Listing, clip
from novum.notes.public_names import PublicName
from novum.notes.tables import Row, served, table
from novum.notes.terms import covered
from novum.notes.word_forms import WEAK, WORD, joined, likeness, nearness, one_form, strong, words_of

__all__ = ["find"]

SYNONYM = 0.9  # what a match by synonym is worth compared with a match by the word itself
SUBJECT, PART, CALLED, TERM = (
    4.0,
    3.0,
    2.5,
    2.0,
)  # a whole question is a subject, one but for weak words, a name, a term
SOME_TERM = 0.9  # points of a term that covers almost all of a question
SPECIFIC = 0.25  # share of the points that depends on how much of a title was searched for
UNKNOWN = 8.0  # the weight of a word that no index has: as much as one that a single entry has
LEAST, LITTLE = 0.45, 0.25  # points of an answer that has only some of the words, and where none has so many
IN_METHOD = 0.93  # a method comes after a class or a function of equal points
SHOWN = 12
SUGGESTED = 5
NOT_MISSPELT = frozenset(  # words of the field that nothing here serves, and that look like others
    WORD.findall(
        "genetic memetic fuzzy swarm symbolic quantum spiking federated causality epidemic logistics genomic neutral"
    )
)
ELSEWHERE = "not in novum; scikit-learn has {}, which works in the same pipelines"


@lru_cache(maxsize=1)
def synonyms() -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return the groups of phrases that mean the same, each phrase as its words."""
    text = (files("novum.notes") / "synonyms.tsv").read_text(encoding="utf-8")
    return tuple(tuple(tuple(words_of(phrase)) for phrase in line.split("\t")) for line in text.splitlines())


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


Hit = tuple[float, Entry]


class Query:
    """A question in words, its variants, and what an entry's answer to it is worth."""

    def __init__(self, words: list[str], *, some: bool = False) -> None:
        self.variants = variants(words)
        self.some = some
        self.whole = joined(strong(words))
        by_words, by_strong = phrases()
        self.subjects = by_words.get(tuple(sorted(words)), ())
        self.parts = by_strong.get(tuple(sorted(strong(words))), ())
        self.covered: dict[str, float] = {}
        for variant, value in self.variants:
            for name, share in covered(variant).items():
                self.covered[name] = max(self.covered.get(name, 0.0), value * share)

    def whole_points(self, entry: Entry) -> float:
        """Return what an entry is worth that answers the whole question, 0 for none; with `some`, some of its words."""
        best = 0.0
        for words, value in self.variants:
            plain = score(words, entry.worth, some=self.some)
            if plain > best * value:
                best = max(best, value * plain * (1 - SPECIFIC + SPECIFIC * specific(words, entry.title)))
        path = path_of(entry)
        if path in self.subjects:
            return SUBJECT + best
        if path in self.parts:
            return PART + best
        if self.whole in entry.called:
            return CALLED + best
        return TERM + best if self.covered.get(path) == 1.0 else best

    def points(self, entry: Entry) -> float:
        """Return what an entry's answer is worth, 0 for none: a term that the question holds adds to it."""
        whole = self.whole_points(entry)
        path = path_of(entry)
        if whole >= TERM:
            return whole
        return (whole + SOME_TERM * self.covered.get(path, 0.0)) * (IN_METHOD if path.count(".") > 2 else 1.0)

    def answered(self, hits: list[Hit]) -> bool:
        """Return whether one of some entries answers the whole question."""
        return any(self.whole_points(entry) > 0.0 for _, entry in hits)


def path_of(entry: Entry) -> str:
    """Return the name of an entry that is one, "" of a row."""
    found = entry.found
    return found.path if isinstance(found, PublicName) else found if isinstance(found, str) else ""


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


def known_of(searched: list[str]) -> tuple[list[str], list[str]]:
    """Return the question without words that no index has, and sentences that say so; all of it where nothing strong remains.

    A word of the field that nothing here serves is not left out: what remains would be another question.
    """
    known = [word for word in searched if word in WEAK or matches(word)]
    unserved = any(word in NOT_MISSPELT for word in searched)
    if len(known) == len(searched) or unserved or not any(word not in WEAK for word in known):
        return searched, []
    return known, [f"No word here is {word!r}; it is left out." for word in searched if word not in known]


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


@lru_cache(maxsize=1)
def places_of_names() -> dict[str, list[int]]:
    """Return the places in `everything` of a name."""
    found: dict[str, list[int]] = {}
    for place, entry in enumerate(everything()):
        found.setdefault(path_of(entry), []).append(place)
    return found


def candidates(question: Query) -> set[int]:
    """Return the places of the entries that can answer: they hold every strong word of a variant, or some, or are called so."""
    found = {place for place, entry in enumerate(everything()) if question.whole in entry.called}
    found |= {place for name in question.covered for place in places_of_names().get(name, ())}
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
    hits = [*rows, *names, *(hit for hit in others if hit[0] > best or hit[0] >= TERM)]
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
    english = in_english(said, lambda word: one_form(word) in rarity())
    searched, remarks = mended(words_of(english or said))
    searched, left_out = known_of(searched)
    remarks = ([f"In English: {english}."] if english else []) + remarks + left_out
    for some in (False, True):
        question = Query(searched, some=some)
        rows, names, others = ranked(question, LEAST if some else 0.0)
        if some and not (rows or names or others) and not NOT_MISSPELT.intersection(searched):
            rows, names, others = ranked(question, LITTLE)
        if (rows or names or others) and (some or question.answered([*rows, *names, *others])):
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
