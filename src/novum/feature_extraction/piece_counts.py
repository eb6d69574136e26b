r"""Pieces of words, counted once for every different word.

With `analyzer="char_wb"` a document is the pieces of n letters of its words, each word between two blanks. Let D hold how often
every different word stands in every document, and P how often every piece stands in every different word; then the counts are

    X = D P                                                                                                            (1)

Texts repeat their words, so P has far fewer rows than the documents have words. All counts are whole numbers: the product is exact.
"""

import numbers
from collections import Counter
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from novum.feature_extraction.term_counts import HOOKS, check_columns, check_range

__all__ = ["count_pieces"]

BLANK = " "


def count_pieces(vectorizer: Any, base: type, documents: list[Any], vocabulary: dict[str, int] | None) -> Any:
    """Return the column of every piece, in alphabetical order, and (1); None where only scikit-learn's own analyzer can.

    With a vocabulary, its pieces in its columns.
    """
    if vectorizer.analyzer != "char_wb" or vectorizer.preprocessor is not None:
        return None
    if any(getattr(type(vectorizer), hook) is not getattr(base, hook) for hook in HOOKS):
        return None
    least, most = vectorizer.ngram_range
    if not all(isinstance(n, numbers.Integral) for n in (least, most)) or not 1 <= least <= most:
        return None
    prepare = vectorizer.build_preprocessor()
    numbers_of: dict[str, int] = {}
    ends, places = [0], []
    for document in documents:
        text = prepare(vectorizer.decode(document))
        if not isinstance(text, str):
            return None
        places += [numbers_of.setdefault(word, len(numbers_of)) for word in text.split()]
        ends.append(len(places))
    known: dict[str, int] = {} if vocabulary is None else vocabulary
    rows, columns, counts = [0], [], []
    for word in numbers_of:
        found = Counter(pieces_of(word, least, most))
        for piece, count in found.items():
            column = known.setdefault(piece, len(known)) if vocabulary is None else known.get(piece)
            if column is not None:
                columns.append(column)
                counts.append(count)
        rows.append(len(columns))
    width = len(known)
    if vocabulary is None:
        terms = sorted(known)
        rank = np.empty(width, dtype=np.intp)
        rank[[known[term] for term in terms]] = np.arange(width)
        known = {term: place for place, term in enumerate(terms)}
        columns = rank[columns]
    check_columns(np.asarray(columns), width)
    of_words = counted(counts, columns, rows, width)
    of_texts = counted(np.ones(len(places)), places, ends, len(numbers_of))
    X = csr_array(of_texts @ of_words)
    X.sort_indices()
    check_range(X.data, vectorizer.dtype)
    X.data = np.ones_like(X.data, vectorizer.dtype) if vectorizer.binary else X.data.astype(vectorizer.dtype)
    return (known, X) if known else None


def counted(counts: Any, columns: Any, ends: list[int], width: int) -> csr_array:
    """Return counts as rows; the product of such adds entries of one column."""
    index = np.int32 if max(len(columns), width) <= np.iinfo(np.int32).max else np.int64
    parts = (np.asarray(counts, np.int64), np.asarray(columns, index), np.asarray(ends, index))
    return csr_array(parts, shape=(len(ends) - 1, width))


def pieces_of(word: str, least: int, most: int) -> list[str]:
    """Return the pieces of a word between blanks; of one that is shorter than a piece, the word once."""
    text = f"{BLANK}{word}{BLANK}"
    found = []
    for n in range(least, most + 1):
        last = max(len(text) - n, 0)
        found += [text[start : start + n] for start in range(last + 1)]
        if not last:
            break
    return found
