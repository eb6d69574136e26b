"""Terms of the field that a question holds, and how much of the question they cover.

`terms.tsv` lists for each name the terms that a course says when it speaks of what the name does; a term may lead to
several names. The phrases of `subjects.tsv` count as terms too. A term is held by a question that has all its words, in any
order and with any ending. With w(v) = `rarity` of a word v, a term T covers of a question Q the share

    c(T, Q) = sum_{v in T} w(v) / sum_{v in Q} w(v)        (1)

so a rare word that no term explains keeps the share low. A name is worth the largest share among its terms. A term of a
single word that is common to many names covers as little as it tells.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from novum.notes.entries import rarity, subjects, terms
from novum.notes.word_forms import root_of, strong

__all__ = ["covered"]

Key = tuple[str, ...]
LONGEST_TERM = 4  # words: a longer term is held only as a whole question
MOST_WORDS = 10  # of a question; the subsets of more would be too many
UNKNOWN = 8.0  # weight of a word that no index has


def key_of(words: list[str]) -> Key:
    """Return the roots of the strong words in alphabetical order."""
    return tuple(sorted(map(root_of, strong(words))))


@lru_cache(maxsize=1)
def names_of_terms() -> dict[Key, frozenset[str]]:
    """Return the names that a term leads to, by the key of the term."""
    made: dict[Key, set[str]] = {}
    for known in (subjects(), terms()):
        for name, phrases in known.items():
            for phrase in phrases:
                made.setdefault(key_of(list(phrase)), set()).add(name)
    return {key: frozenset(names) for key, names in made.items()}


def parts(words: list[str]) -> Iterator[list[str]]:
    """Yield the words themselves and every choice of at most `LONGEST_TERM` of them."""
    yield words
    for count in range(1, min(LONGEST_TERM, len(words) - 1) + 1):
        yield from map(list, combinations(words[:MOST_WORDS], count))


def covered(words: list[str]) -> dict[str, float]:
    """Return the share (1) of a question that the best term of a name covers, by the name; 1 where a term is all of it."""
    need = list(dict.fromkeys(strong(words)))
    weight = {word: rarity().get(word, UNKNOWN) for word in need}
    total = sum(weight.values())
    found: dict[str, float] = {}
    for part in parts(need):
        share = sum(weight[word] for word in part) / total if len(part) < len(need) else 1.0
        for name in names_of_terms().get(key_of(part), ()):
            found[name] = max(found.get(name, 0.0), share)
    return found
