"""Decisions under uncertainty: posteriors over hypotheses, Bayes-optimal votes, expected loss, generative classifiers."""

from novum.decision_theory.generative import GenerativeClassifier
from novum.decision_theory.hypotheses import HypothesisPosterior
from novum.decision_theory.joint_table import JointTableClassifier
from novum.decision_theory.loss import Decisions, LossMatrixClassifier, expected_losses, least_loss
from novum.decision_theory.optimal import BayesOptimalClassifier

__all__ = [
    "BayesOptimalClassifier",
    "Decisions",
    "GenerativeClassifier",
    "HypothesisPosterior",
    "JointTableClassifier",
    "LossMatrixClassifier",
    "expected_losses",
    "least_loss",
]


def __dir__() -> list[str]:
    return sorted(__all__)
