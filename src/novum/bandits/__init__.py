"""Bandits: arms, policies, their regret and its bounds, and what logged choices say of a policy."""

from novum.bandits.bounds import regret_bound
from novum.bandits.environments import AdversarialBandit, BernoulliBandit, ContextualBandit, GaussianBandit
from novum.bandits.exponential_weights import EXP3
from novum.bandits.off_policy import evaluate_logged
from novum.bandits.policies import KLUCB, UCB1, EpsilonGreedy, Greedy, Softmax
from novum.bandits.posterior_policies import LinUCB, ThompsonSampling
from novum.bandits.simulation import simulate

__all__ = [
    "EXP3",
    "KLUCB",
    "UCB1",
    "AdversarialBandit",
    "BernoulliBandit",
    "ContextualBandit",
    "EpsilonGreedy",
    "GaussianBandit",
    "Greedy",
    "LinUCB",
    "Softmax",
    "ThompsonSampling",
    "evaluate_logged",
    "regret_bound",
    "simulate",
]


def __dir__() -> list[str]:
    return sorted(__all__)
