"""Questions in Italian, as students of three of the five sets ask them, put into English phrase by phrase.

`italian.tsv` has the Italian phrases of every English one, `italian_words.tsv` words and phrases that count after those. A
word is compared without its accents and without the vowels that carry number and gender: *rete* and *reti* are "ret",
*politica* and *politiche* "politic". The longest phrases are taken first; for a word that no table has, an English word that
resembles it is taken (novum.notes.cognates). A question is Italian only where a word of it that no index knows is in a table
or resembles an English one: *test* alone stays English.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from novum.notes.cognates import cognate
from novum.notes.tables import table

__all__ = ["in_english"]

WORD = re.compile(r"[^\W_]+")
INFLECTION = re.compile(r"(?<=[^\W\d_]{2})(?:h?i?[aeio])$")
JOINING = frozenset(  # words that join others: no phrase depends on them
    WORD.findall(
        "a ad agli ai al alla alle allo c che come con d da dai dal dalla dalle de degli dei del dell della delle dello"
        " di e ed fra gli i il in l la le lo nei nel nell nella nelle o per piu si sugli sui sul sulla sulle su tra un"
        " una uno"
        " calcolare cosa faccio fare funziona quale quali usare"
    )
)
MARKS = frozenset(WORD.findall("con degli dei del dell della delle di gli il nel nella per sul sulla una uno"))


def plain_words(text: str) -> list[str]:
    """Return the words of a text in small letters without accents.

    Examples
    --------
    >>> plain_words("Probabilità d'errore")
    ['probabilita', 'd', 'errore']
    """
    letters = unicodedata.normalize("NFKD", text.lower())
    return WORD.findall("".join(letter for letter in letters if not unicodedata.combining(letter)))


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return a word without the vowel of number and gender."""
    return INFLECTION.sub("", word)


@lru_cache(maxsize=1)
def phrases() -> dict[tuple[str, ...], str]:
    """Return the English phrase of every Italian one, by its stems but for the words that join."""
    made: dict[tuple[str, ...], str] = {}
    for row in (*table("italian.tsv"), *table("italian_words.tsv")):
        for phrase in row["italian"].split(";"):
            made.setdefault(tuple(stem(word) for word in plain_words(phrase) if word not in JOINING), row["english"])
    return made


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    return frozenset(word for phrase in phrases() for word in phrase)


@lru_cache(maxsize=1)
def spelled() -> frozenset[str]:
    """Return the words of the tables as they are written, with their vowel."""
    tables = (*table("italian.tsv"), *table("italian_words.tsv"))
    return frozenset(word for row in tables for word in plain_words(row["italian"]))


def in_english(text: str, is_known: Callable[[str], bool]) -> str | None:
    """Return an Italian question in English, None for one that is not Italian.

    Parameters
    ----------
    text : str
    is_known : callable
        Whether an English index has a word.

    Examples
    --------
    >>> in_english("alberi di decisione", lambda word: False), in_english("decision trees", lambda word: True)
    ('decision tree', None)
    """
    words = plain_words(text)
    stems = [(word, stem(word)) for word in words if word not in JOINING]
    foreign = any(not is_known(word) and (own in vocabulary() or alike(word, is_known)) for word, own in stems)
    spoken = any(word in MARKS for word in words) and any(own in vocabulary() for _, own in stems)
    if not (foreign or spoken):
        return None
    longest = max(len(phrase) for phrase in phrases())
    said, at = [], 0
    while at < len(stems):
        for n in range(min(longest, len(stems) - at), 0, -1):
            english = phrases().get(tuple(own for _, own in stems[at : at + n]))
            if english is not None and (n > 1 or stems[at][0] in spelled() or not is_known(stems[at][0])):
                said.append(english)
                at += n
                break
        else:
            word = stems[at][0]
            said.append(word if is_known(word) else alike(word, is_known) or word)
            at += 1
    return " ".join(said)


def alike(word: str, is_known: Callable[[str], bool]) -> str | None:
    """Return the English word that resembles one that ends as Italian words do."""
    return cognate(word, is_known) if word[-1] in "aeio" else None
