"""Vectorizing text against scikit-learn: the same matrices; quality: sum of all entries."""

import numpy as np
from sklearn.feature_extraction import text as peers

from benchmarks.harness import Case
from novum.feature_extraction import text

WORDS, LENGTH = 20_000, 72


def make(n):
    """Return n documents of words whose frequency falls as 1/rank, capitalized, with punctuation; one in ten has accents."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 11))) for _ in range(WORDS)])
    share = 1 / np.arange(1, WORDS + 1)
    drawn = words[rng.choice(WORDS, (n, LENGTH), p=share / share.sum())]
    accent = np.where(rng.uniform(size=n) < 0.1, " Größe, café", "")
    return [f"{' '.join(row[:40]).capitalize()}. {', '.join(row[40:])}!{end}" for row, end in zip(drawn, accent)]


def case(what, name, bar, **options):
    def run(module):
        return lambda documents: getattr(module, name)(**options).fit_transform(documents)

    contestants = {"novum": run(text), "scikit-learn": run(peers)}
    return Case(
        what, make, contestants, lambda X, _: round(float(X.sum()), 6), (1_000, 4_000, 16_000), {"scikit-learn": bar}
    )


CASES = [
    case("word counts", "CountVectorizer", 5.0),
    case("word and bigram counts", "CountVectorizer", 5.0, ngram_range=(1, 2)),
    case("tf-idf", "TfidfVectorizer", 5.0),
    case("hashed words", "HashingVectorizer", 5.0),
]
