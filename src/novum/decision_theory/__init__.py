"""Decisions under uncertainty: posteriors over hypotheses, Bayes-optimal votes, expected loss, generative classifiers."""

from novum.decision_theory.generative import GenerativeClassifier
from novum.decision_theory.hypotheses import HypothesisPosterior
from novum.decision_theory.joint_table import JointTableClassifier
from novum.decision_theory.loss import LossMatrixClassifier, least_loss
from novum.decision_theory.optimal import BayesOptimalClassifier
from novum.runtime.moved_names import moved_names

__all__ = [
    "BayesOptimalClassifier",
    "GenerativeClassifier",
    "HypothesisPosterior",
    "JointTableClassifier",
    "LossMatrixClassifier",
    "least_loss",
]

__getattr__ = moved_names(
    __name__,
    {
        ".loss": "Decisions expected_losses",
        ".plots": "plot_generative_vs_discriminative",
    },
)
