"""Words as a search compares them: one spelling for all, plurals cut, endings cut for the second glance.

A word is brought into one form on both sides, in the index and in the question, so a rule need not be right about English, only the
same on both: *neighbours*, *neighbour* and *neighbors* are "neighbor", *regularisation* is "regularization", *matrices* "matrix".
"""

import re
from functools import lru_cache

__all__ = ["WEAK", "WORD", "joined", "likeness", "nearness", "one_form", "root_of", "strong", "words_of"]

WORD = re.compile(r"[^\W_]+")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
LONG_WORD = 8  # letters of a word in which two may be wrong
WEAK = frozenset(  # said with a name, not part of it: "EM algorithm", "how to fit a lasso in Python"
    WORD.findall(
        "a algorithm an and approach are by can do estimator fit fitting for from function how i implementation in is learn"
        " method model modeling my novum of on or problem procedure python run scikit sklearn technique the theorem theory to"
        " train training use using versus via vs what where which with"
    )
)
SPELLINGS = (
    (re.compile(r"(?<=[a-z]{3})our"), "or"),  # neighbour, behaviour
    (re.compile(r"(?<=[a-z]{3})is(?=e$|ed$|er$|ing$|ation$)"), "iz"),  # regularise
    (re.compile(r"(?<=[a-z]{3})ys(?=e$|ed$|er$|ing$)"), "yz"),  # analyse
    (re.compile(r"(?<=[a-z]{2})ll(?=ed$|er$|ing$)"), "l"),  # labelled, modelling
    (re.compile(r"(?<=[a-z]{2})tre(?=$|d$)"), "ter"),  # centre
    (re.compile(r"programme$"), "program"),
)
PLURALS = (
    (re.compile(r"(?<=[a-z]{2})ices$|(?<=ind|ert)ex$"), "ix"),  # matrices; index and vertex, to meet their plurals
    (re.compile(r"(?<=[a-z]{2})ies$"), "y"),  # policies
    (re.compile(r"(?<=[a-z]{2}[ey])ses$"), "sis"),  # hypotheses, analyses
    (re.compile(r"(?<=ss|sh|ch)es$|(?<=x)es$"), ""),  # losses, boxes
    (re.compile(r"(?<=[a-z]{3})(?<![siu])s$"), ""),
)
ENDINGS = re.compile(
    r"(ization|izing|ized|izer|ize|ational|ation|ating|ated|ator|ate|ional|ions|ion|istic|ical|ian|ic|ing|ed|er|al|ity|ive|ment|ly|e)$"
)
SHORTEST_ROOT = 4


@lru_cache(maxsize=32768)
def one_form(word: str) -> str:
    """Return a word in lower case in the form that stands for all its spellings and for its plural."""
    for rules in (PLURALS, SPELLINGS):
        for pattern, put in rules:
            changed = pattern.sub(put, word)
            if changed != word:
                word = changed
                if rules is PLURALS:
                    break
    return word


def words_of(text: str) -> list[str]:
    """Return the words of a text, each in its one form; names are cut at their capitals.

    Examples
    --------
    >>> words_of("K-nearest neighbours"), words_of("GaussianMixture"), words_of("Bayes's hypotheses")
    (['k', 'nearest', 'neighbor'], ['gaussian', 'mixture'], ['baye', 'hypothesis'])
    """
    plain = text.replace("'s", "").replace("’s", "")
    return [one_form(word) for word in WORD.findall(CAMEL.sub(" ", plain).lower())]


def strong(words: list[str]) -> list[str]:
    """Return the words that a question is about, or all of them where it has no such word."""
    return [word for word in words if word not in WEAK] or words


def joined(words: list[str]) -> str:
    """Return words written as one, so that "k means" is "kmeans"."""
    return "".join(words)


@lru_cache(maxsize=65536)
def root_of(word: str) -> str:
    """Return a word without its ending: regularization and regularized are "regular"."""
    root = ENDINGS.sub("", word)
    return root if len(root) >= SHORTEST_ROOT else word


@lru_cache(maxsize=262144)
def likeness(searched: str, word: str) -> float:
    """Return how well a word matches a searched one, 0 for not at all."""
    if searched == word:
        return 1.0
    if len(searched) >= 3 and word.startswith(searched):
        return 0.9
    if len(searched) > SHORTEST_ROOT and root_of(searched) == root_of(word):
        return 0.85
    return 0.0


def nearness(searched: str, word: str) -> float:
    """Return the similarity of two words where one may be the other misspelt, else 0.

    One slip is allowed, in words of eight letters or more two: a letter too many, too few, another one, or two that changed places.

    Examples
    --------
    >>> round(nearness("gaussain", "gaussian"), 2), nearness("genetic", "kinetic")
    (0.88, 0.0)
    """
    longest = max(len(searched), len(word))
    most = 1 if longest < LONG_WORD else 2
    if (
        longest <= SHORTEST_ROOT
        or min(len(searched), len(word)) < SHORTEST_ROOT
        or abs(len(searched) - len(word)) > most
    ):
        return 0.0
    if searched[0] != word[0] and sorted(searched[:2]) != sorted(word[:2]):
        return 0.0
    slips = slips_between(searched, word)
    return 1 - slips / longest if slips <= most else 0.0


def slips_between(searched: str, word: str) -> int:
    """Return the fewest slips that make one word of another (Damerau and Levenshtein; neighbours change places once)."""
    before: list[int] = []
    last: list[int] = []
    row = list(range(len(word) + 1))
    for i, letter in enumerate(searched, start=1):
        before, last, row = last, row, [i, *[0] * len(word)]
        for j, other in enumerate(word, start=1):
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == word[j - 2] and searched[i - 2] == other:
                row[j] = min(row[j], before[j - 2] + 1)
    return row[-1]
