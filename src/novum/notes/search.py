"""From any word of the notes or of the library to the name that serves it.

Every word of a question has to match a word of the row, best first: the same word, a word that begins with it, a word spelt
almost so. `synonyms.tsv` holds groups of phrases that mean the same; a question that contains one is also asked with the others.
Beside the rows of the notes the public names themselves are asked, by their docstrings: a word of the name counts most, then one
of the first line, then one further on.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from importlib.resources import files

from novum.notes.listing import Listing, clip
from novum.notes.public_names import PublicName, public_names
from novum.notes.tables import Row, chapters, ledger, names_of, served

__all__ = ["find"]

WORD = re.compile(r"[^\W_]+")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
ALMOST = 0.8  # similarity of two words above which one is taken for a misspelling of the other
SYNONYM = 0.9  # what a match by synonym is worth beside a match by the word itself
IN_NAME, IN_API, IN_TITLE = 1.0, 0.8, 0.3  # what a word is worth by where it stands
IN_PATH, IN_SUMMARY, IN_REST = 0.95, 0.7, 0.4  # the same for the names of the library
SHOWN = 12


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, an apostrophe's s and a plural's s dropped."""
    found = WORD.findall(CAMEL.sub(" ", text.replace("'s", "").replace("’s", "")).lower())
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in found]


@lru_cache(maxsize=1)
def index() -> tuple[tuple[Row, dict[str, float]], ...]:
    """Return every row with its words and what each is worth."""
    titles = {(c.notes, c.chapter): c.title for c in chapters()}
    made = []
    for row in ledger():
        worth: dict[str, float] = {}
        for text, value in (
            (titles[row.notes, row.chapter], IN_TITLE),
            (row.capability, IN_API),
            (" ".join(name.removeprefix("novum.") for name in names_of(row)), IN_API),
            (row.api.replace("novum.", ""), IN_API),
            (row.item, IN_NAME),
            (row.name, IN_NAME),
        ):
            worth.update(dict.fromkeys(words_of(text), value))
        made.append((row, worth))
    return tuple(made)


@lru_cache(maxsize=1)
def library() -> tuple[tuple[PublicName, dict[str, float]], ...]:
    """Return every public name with the words of its docstring and what each is worth."""
    made = []
    for name in public_names():
        worth = dict.fromkeys(words_of(name.rest), IN_REST)
        worth |= dict.fromkeys(words_of(name.summary), IN_SUMMARY)
        worth |= dict.fromkeys(words_of(name.path.removeprefix("novum.")), IN_PATH)
        made.append((name, worth))
    return tuple(made)


@lru_cache(maxsize=1)
def synonyms() -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return the groups of phrases that mean the same, each phrase as its words."""
    text = (files("novum.notes") / "synonyms.tsv").read_text(encoding="utf-8")
    return tuple(tuple(tuple(words_of(phrase)) for phrase in line.split("\t")) for line in text.splitlines())


@lru_cache(maxsize=4096)
def likeness(asked: str, word: str) -> float:
    """Return how well a word answers an asked one, 0 for not at all."""
    if asked == word:
        return 1.0
    if len(asked) >= 3 and word.startswith(asked):
        return 0.9
    if min(len(asked), len(word)) < 4 or abs(len(asked) - len(word)) > 2:
        return 0.0
    ratio = SequenceMatcher(None, asked, word).ratio()
    return 0.7 * ratio if ratio >= ALMOST else 0.0


def score(asked: Sequence[str], worth: dict[str, float]) -> float:
    """Return how well a row answers, 0 where a word finds nothing."""
    best = [max((likeness(word, own) * value for own, value in worth.items()), default=0.0) for word in asked]
    return sum(best) / len(best) if best and min(best) > 0 else 0.0


def variants(asked: list[str]) -> list[tuple[list[str], float]]:
    """Return a question and the same with synonyms put in, with what an answer to each is worth."""
    made = [(asked, 1.0)]
    for group in synonyms():
        for phrase in group:
            n = len(phrase)
            for at in range(len(asked) - n + 1):
                if tuple(asked[at : at + n]) == phrase:
                    others = [list(other) for other in group if other != phrase]
                    made += [(asked[:at] + other + asked[at + n :], SYNONYM) for other in others]
    return made


def found_name(row: Row) -> str:
    """Return the first name of a row, or that there is none."""
    return next(iter(names_of(row)), "computed in its test" if row.key in served() else "not built yet")


def line_of(hit: Row | PublicName) -> str:
    """Return the line that shows a row or a name."""
    if isinstance(hit, PublicName):
        return f"{hit.path:<52}  {'library':<13} {clip(hit.summary, 60)}".rstrip()
    proof = "" if hit.key in served() else "not yet"
    return f"{found_name(hit):<52}  {hit.notes} {hit.section:<9} {clip(hit.name, 50)}  {proof}".rstrip()


def find(*words: str, limit: int = SHOWN) -> Listing:
    """Find the items of the notes and the names of the library that words speak of, best first.

    Parameters
    ----------
    *words : str
        One or several words, or a phrase. Spelling may be off by a letter or two.
    limit : int, default=12
        How many to show; `rows` and `names` hold all of them.

    Examples
    --------
    >>> from novum.notes import find
    >>> find("explaining away").rows[0].item
    'explaining-away'
    >>> print(repr(find("fuel gauge")).split()[0])
    novum.datasets.load_fuel_gauge
    >>> find("mcnemar").names[0].path
    'novum.evaluation.compare'
    """
    asked = words_of(" ".join(words))
    questions = variants(asked)

    def points(worth: dict[str, float]) -> float:
        return max(value * score(q, worth) for q, value in questions)

    rows = [(points(worth), row.key not in served(), row) for row, worth in index()]
    rows = sorted((hit for hit in rows if hit[0] > 0), key=lambda hit: (-hit[0], hit[1]))  # of equals, the served first
    named = {found_name(row) for _, _, row in rows}  # shown by the row already
    names = [(points(worth), name) for name, worth in library() if name.path not in named]
    names = sorted((hit for hit in names if hit[0] > 0), key=lambda hit: -hit[0])
    if not rows and not names:
        close = sorted({own for _, worth in index() for own in worth}, key=lambda own: -closeness(asked, own))[:5]
        said = " ".join(words)
        return Listing(f"Nothing in the notes or the library is called {said!r}. Nearest words: {', '.join(close)}.")
    hits: list[tuple[float, Row | PublicName]] = [(worth, row) for worth, _, row in rows] + list(names)
    hits.sort(key=lambda hit: -hit[0])  # stable: of equals, the notes first
    lines = [line_of(hit) for _, hit in hits[:limit]]
    if len(hits) > limit:
        lines.append(f"and {len(hits) - limit} more; find(..., limit={len(hits)}) shows them")
    return Listing("\n".join(lines), tuple(row for *_, row in rows), tuple(name for _, name in names))


def closeness(asked: list[str], word: str) -> float:
    """Return the similarity of a word to the nearest asked one."""
    return max((SequenceMatcher(None, one, word).ratio() for one in asked), default=0.0)
