"""Documents as rows of word counts: scikit-learn's vectorizers, options and matrices, with the words counted in the core.

Parameters, attributes and methods are those of scikit-learn's classes of the same names, which these extend; what they
return is equal, entry by entry. How words are found and counted: `novum.feature_extraction.term_counts`, pieces of them
`novum.feature_extraction.piece_counts`.
"""

from copy import copy
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import (
    ENGLISH_STOP_WORDS,
    TfidfTransformer,
    strip_accents_ascii,
    strip_accents_unicode,
    strip_tags,
)
from sklearn.preprocessing import normalize

from novum.feature_extraction import sklearn_text, term_counts
from novum.feature_extraction.piece_counts import count_pieces
from novum.fold.gathering import check_at_hand
from novum.runtime import sklearn_private

__all__ = [
    "ENGLISH_STOP_WORDS",
    "CountVectorizer",
    "HashingVectorizer",
    "TfidfTransformer",
    "TfidfVectorizer",
    "strip_accents_ascii",
    "strip_accents_unicode",
    "strip_tags",
]


class CoreCounts(sklearn_private.WordCounter):
    """Counts terms by the compiled core."""

    binary: bool
    dtype: Any

    def _count_vocab(self, raw_documents: Any, fixed_vocab: bool) -> Any:
        check_at_hand(type(self).__name__, "texts", raw_documents)
        return super()._count_vocab(raw_documents, fixed_vocab)

    def count_words(self, documents: list[Any], vocabulary: dict[str, int] | None) -> Any:
        """Return vocabulary and counts, or None to leave it to scikit-learn."""
        return count_terms(self, documents, vocabulary)

    def check_counts(self, X: Any) -> None:
        """Raise where counts do not fit `dtype` (ones, which is what `binary` makes of them, always do) or columns the width."""
        term_counts.check_columns(X.indices, X.shape[1])
        if not self.binary:
            term_counts.check_range(X.data, self.dtype)


class CountVectorizer(CoreCounts, sklearn_text.CountVectorizer):
    """Counts of the words (or n-grams) of documents, one row per document and one column per term.

    Takes the parameters of `sklearn.feature_extraction.text.CountVectorizer` and returns the same matrices. Words are
    counted by the compiled core, on all threads, for the default pattern and `(?u)\\b\\w+\\b` with any case, accents, stop
    words and `ngram_range`; other patterns, analyzers and functions of your own go through scikit-learn's code.

    Examples
    --------
    >>> from novum.feature_extraction.text import CountVectorizer
    >>> vectorizer = CountVectorizer()
    >>> X = vectorizer.fit_transform(["The cat sat.", "The cat saw the dog."])
    >>> vectorizer.get_feature_names_out()
    array(['cat', 'dog', 'sat', 'saw', 'the'], dtype=object)
    >>> X.toarray()
    array([[1, 0, 1, 0, 1],
           [1, 1, 0, 1, 2]])
    """


class TfidfVectorizer(CoreCounts, sklearn_text.TfidfVectorizer):
    """Counts of words, each weighted by how rare it is: `CountVectorizer`, then `TfidfTransformer`.

    Takes the parameters of `sklearn.feature_extraction.text.TfidfVectorizer` and returns the same matrices.

    Examples
    --------
    >>> from novum.feature_extraction.text import TfidfVectorizer
    >>> TfidfVectorizer().fit_transform(["a cat", "a dog and a cat"]).toarray().round(3)
    array([[0.   , 1.   , 0.   ],
           [0.632, 0.449, 0.632]])
    """


class HashingVectorizer(sklearn_text.HashingVectorizer):
    """Counts of words in columns that a hash of the word gives: no vocabulary, so nothing to fit or to keep.

    Takes the parameters of `sklearn.feature_extraction.text.HashingVectorizer` and returns the same matrices.

    Examples
    --------
    >>> from novum.feature_extraction.text import HashingVectorizer
    >>> HashingVectorizer(n_features=8, norm=None, alternate_sign=False).transform(["cat and dog and cat"]).sum()
    np.float64(5.0)
    """

    def fit(self, X: Any, y: Any = None) -> Any:
        """Check the parameters; there is nothing to learn."""
        check_at_hand(type(self).__name__, "texts", X)
        return super().fit(X, y)

    def transform(self, X: Any) -> Any:
        """Return the rows of documents.

        Parameters
        ----------
        X : iterable of documents

        Returns
        -------
        sparse array of shape (n_samples, n_features)
        """
        if isinstance(X, str):
            return super().transform(X)  # scikit-learn's error
        check_at_hand(type(self).__name__, "texts", X)
        documents = list(X)
        sklearn_private.check_ngrams(self)
        sklearn_private.check_parameters(self)
        plan = term_counts.plan_of(self, sklearn_text.HashingVectorizer, documents)
        # Sums of signs in numbers that hold them all; whole numbers only where nothing will be divided by a norm.
        dtype = np.dtype(self.dtype)
        wide = np.float64 if dtype.kind in "iu" else dtype
        found = None if plan is None else term_counts.hash_terms(plan, self.n_features, self.alternate_sign, wide)
        if found is None:
            other = copy(self).set_params(dtype=wide, norm=None, binary=False)
            found = sklearn_text.HashingVectorizer.transform(other, documents)
        if self.binary:
            found.data.fill(1)
        if self.norm is None:
            term_counts.check_range(found.data, dtype)
            found.data = found.data.astype(dtype, copy=False)
        if self.norm is not None:
            found = normalize(found, norm=self.norm, copy=False)
        return sklearn_private.as_configured(found)


def count_terms(vectorizer: Any, documents: list[Any], vocabulary: dict[str, int] | None) -> Any:
    """Return the vocabulary and the counts of documents as `vectorizer` wants them, or None."""
    plan = term_counts.plan_of(vectorizer, sklearn_text.CountVectorizer, documents)
    if plan is None:
        return count_pieces(vectorizer, sklearn_text.CountVectorizer, documents, vocabulary)
    dtype = np.int64 if vectorizer.binary else vectorizer.dtype  # whatever they are, counts become ones
    if vocabulary is not None:
        known = term_counts.known_counts(plan, vocabulary, dtype)
        return None if known is None else (vocabulary, ready(vectorizer, known))
    terms, found = term_counts.counts(plan, dtype)
    if not terms:
        return None  # scikit-learn's error
    return terms, ready(vectorizer, found)


def ready(vectorizer: Any, found: Any) -> Any:
    """Return counts in the type that `vectorizer` requests, ones where it wants no counts."""
    if vectorizer.binary:
        found.data = np.ones(len(found.data), vectorizer.dtype)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
