"""The one door to scikit-learn's vectorizers, which carry no types: the stub beside it says what they have."""

from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

__all__ = ["CountVectorizer", "HashingVectorizer", "TfidfVectorizer"]
