"""Naive Bayes classifiers: the attributes are independent given the class."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.base.generative import LinearForm
    from novum.naive_bayes.bernoulli import BernoulliNB
    from novum.naive_bayes.categorical import CategoricalNB, m_estimate
    from novum.naive_bayes.complement import ComplementNB
    from novum.naive_bayes.gaussian import GaussianNB
    from novum.naive_bayes.mixed import MixedNB
    from novum.naive_bayes.multinomial import MultinomialNB
    from novum.naive_bayes.plots import plot_class_tables
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "novum.base.generative": "LinearForm",
            ".bernoulli": "BernoulliNB",
            ".categorical": "CategoricalNB m_estimate",
            ".complement": "ComplementNB",
            ".gaussian": "GaussianNB",
            ".mixed": "MixedNB",
            ".multinomial": "MultinomialNB",
            ".plots": "plot_class_tables",
        },
    )

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "LinearForm",
    "MixedNB",
    "MultinomialNB",
    "m_estimate",
    "plot_class_tables",
]
