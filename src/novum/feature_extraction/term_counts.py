r"""Words of documents, counted by the compiled core where the options of a vectorizer allow it.

A document becomes a row of counts

    X[i, j] = how often term j occurs in document i                                                (1)

of terms that are one word or several neighboring ones (n-grams), a word being a run of at least two (or one) letters,
digits and underscores, which is what the pattern `(?u)\b\w\w+\b` finds. Case and accents are settled by Python's own rules.
Blocks of documents are counted by several threads; the terms are numbered in their alphabetical order in the end, so who
finished first leaves no trace. Anything else (characters as tokens, a user's pattern or function) is scikit-learn's
business: the functions here then return None.
"""

import numbers
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from novum import _core
from novum.exceptions import DataError
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["HOOKS", "Plan", "check_columns", "check_range", "counts", "hash_terms", "known_counts", "plan_of"]

PATTERNS = {r"(?u)\b\w\w+\b": 2, r"(?u)\b\w+\b": 1}  # pattern: code points of its shortest token
FEWEST = 64  # documents per block: enough to outweigh the call
PYTHON_LOWERS = (
    "\u0130\u03a3"  # a dotted capital I becomes two points, a capital sigma one of two: Python's rules, its code
)
LONGEST = 2**31  # words of an n-gram: no text has more
POINTS_PER_TERM = 3  # a table of known terms is worth its making when the texts are this much longer than the list
HOOKS = ("build_analyzer", "build_preprocessor", "build_tokenizer", "decode")  # what a user's subclass may have changed


class Plan(NamedTuple):
    """How to count."""

    documents: list[str]
    rules: _core.feature_extraction.text.Rules
    stop: _core.feature_extraction.text.Terms


def plan_of(vectorizer: Any, base: type, documents: list[Any]) -> Plan | None:
    """Return how to count words as `vectorizer` wants them, or None where only scikit-learn's own analyzer can."""
    if vectorizer.analyzer != "word" or vectorizer.tokenizer is not None or vectorizer.preprocessor is not None:
        return None
    if vectorizer.token_pattern not in PATTERNS or any(
        getattr(type(vectorizer), hook) is not getattr(base, hook) for hook in HOOKS
    ):
        return None
    least, most = vectorizer.ngram_range
    if not all(isinstance(n, numbers.Integral) for n in (least, most)) or least < 1:
        return None  # an n-gram of no words is scikit-learn's own invention, and so are its errors
    vectorizer.build_analyzer()  # its errors and warnings about stop words and accents
    stop = vectorizer.get_stop_words() or ()
    lower, strip = bool(vectorizer.lowercase), vectorizer.strip_accents is not None
    texts = []
    prepare = vectorizer.build_preprocessor()
    for document in documents:
        text = document if vectorizer.input == "content" and type(document) is str else vectorizer.decode(document)
        if not isinstance(text, str):
            return None  # scikit-learn finds the words for it
        if strip or (lower and not text.isascii() and any(point in text for point in PYTHON_LOWERS)):
            text = prepare(text)
        texts.append(text)
    rules = _core.feature_extraction.text.Rules(
        lower and not strip, PATTERNS[vectorizer.token_pattern], *(min(int(n), LONGEST) for n in (least, most))
    )
    return Plan(texts, rules, _core.feature_extraction.text.terms([word for word in stop if isinstance(word, str)]))


def blocks(plan: Plan) -> list[list[str]]:
    """Return the documents in blocks, one per thread: the terms of all are merged, which costs more than uneven shares."""
    n, n_threads = len(plan.documents), thread_count()
    step = max(FEWEST, -(-n // n_threads))
    return [plan.documents[start : start + step] for start in range(0, n, step)]


def over(function: Callable[[Any], Any], items: list[Any]) -> list[Any]:
    """Return `function` of every item, by all threads."""
    return list(map_ordered(function, items, thread_count()))


def matrix(parts: list[tuple], n_columns: int, dtype: Any) -> csr_array:
    """Return rows, given in parts (ends, columns, values), as one sparse array; its indices in 32 bits where they fit."""
    ends, offset = [np.zeros(1, np.int64)], 0
    for end, column, _ in parts:
        ends.append(end + offset)
        offset += len(column)
    index = np.int32 if offset <= np.iinfo(np.int32).max else np.int64
    for _, _, value in parts:
        check_range(value, dtype)
    columns = np.concatenate([column for _, column, _ in parts] or [np.empty(0)], dtype=index, casting="unsafe")
    values = np.concatenate([value for _, _, value in parts] or [np.empty(0)], dtype=dtype, casting="unsafe")
    end = np.concatenate(ends, dtype=index, casting="unsafe")
    out = csr_array((values, columns, end), shape=(len(end) - 1, n_columns))
    out.has_sorted_indices = True
    return out


def check_columns(column: Any, width: int) -> None:
    """Raise where a vocabulary sends a term to a column that is not there."""
    if len(column) and not 0 <= column.min() <= column.max() < width:
        raise DataError(
            f"a vectorizer's vocabulary gives its {width} terms the columns 0 to {width - 1}; this one has another. Fit again, "
            "or give vocabulary= as a list of terms."
        )


def check_range(count: Any, dtype: Any) -> None:
    """Raise where the type of the matrix cannot hold a count: NumPy would keep what is left after division by 256, say."""
    if np.dtype(dtype).kind not in "iu" or not len(count):
        return
    limits, low, high = np.iinfo(dtype), count.min(), count.max()
    if low < limits.min or high > limits.max:
        raise DataError(
            f"a vectorizer with dtype={np.dtype(dtype).name} cannot hold counts from {low:.0f} to {high:.0f}: it reaches from "
            f"{limits.min} to {limits.max}. Give it a wider dtype, such as numpy.int64 or numpy.float64."
        )


def counts(plan: Plan, dtype: Any) -> tuple[dict[str, int], csr_array]:
    """Return the column of every term, in alphabetical order, and (1)."""
    found = over(lambda documents: _core.feature_extraction.text.count(documents, plan.rules, plan.stop), blocks(plan))
    terms, places = _core.feature_extraction.text.merge(found)
    parts = over(lambda pair: _core.feature_extraction.text.rows(*pair), list(zip(found, places)))
    return terms, matrix(parts, len(terms), dtype)


def known_counts(plan: Plan, vocabulary: dict[str, int], dtype: Any) -> csr_array | None:
    """Return (1) for the terms of a vocabulary in their columns, or None where looking terms up one by one costs less."""
    if sum(map(len, plan.documents)) < POINTS_PER_TERM * len(vocabulary):
        return None
    try:
        terms = _core.feature_extraction.text.terms(list(vocabulary))
    except TypeError:
        return None  # a term that is no text: scikit-learn compares whatever it is
    try:
        column = np.fromiter(vocabulary.values(), np.int64, len(vocabulary))
    except (TypeError, ValueError, OverflowError):
        column = np.array([-1])  # no number of a column
    check_columns(column, len(vocabulary))

    def block_rows(documents: Any) -> Any:
        return _core.feature_extraction.text.rows(
            _core.feature_extraction.text.count_known(documents, plan.rules, plan.stop, terms), column.astype(np.int32)
        )

    return matrix(over(block_rows, blocks(plan)), len(vocabulary), dtype)


def hash_terms(plan: Plan, n_columns: int, alternate: bool, dtype: Any) -> csr_array | None:
    """Return signed sums of terms by the column that their hash gives; None where a text cannot be encoded as UTF-8."""

    def block_hashes(documents: Any) -> Any:
        return _core.feature_extraction.text.hash(documents, plan.rules, plan.stop, n_columns, alternate)

    parts = over(block_hashes, blocks(plan))
    if any(surrogate for *_, surrogate in parts):
        return None
    return matrix([part[:3] for part in parts], n_columns, dtype)
