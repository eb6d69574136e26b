"""Naive Bayes classifiers: the attributes are independent given the class."""

from novum.naive_bayes.bernoulli import BernoulliNB
from novum.naive_bayes.categorical import CategoricalNB
from novum.naive_bayes.complement import ComplementNB
from novum.naive_bayes.gaussian import GaussianNB
from novum.naive_bayes.mixed import MixedNB
from novum.naive_bayes.multinomial import MultinomialNB
from novum.naive_bayes.plots import plot_class_tables
from novum.runtime.moved_names import moved_names

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "MixedNB",
    "MultinomialNB",
    "plot_class_tables",
]

__getattr__ = moved_names(
    __name__,
    {
        "._discrete": "LinearForm",
        ".categorical": "m_estimate",
        ".plots": "plot_naive_bayes_graph",
    },
)
