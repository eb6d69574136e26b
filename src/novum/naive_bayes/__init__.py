"""Naive Bayes classifiers: the attributes are independent given the class."""

from novum.naive_bayes.gaussian import GaussianNB

__all__ = ["GaussianNB"]
