"""Bandits: arms, policies, their regret and its bounds, and what logged choices say of a policy."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.bandits.bounds import regret_bound
    from novum.bandits.environments import AdversarialBandit, BernoulliBandit, ContextualBandit, GaussianBandit
    from novum.bandits.exponential_weights import EXP3
    from novum.bandits.off_policy import evaluate_logged
    from novum.bandits.policies import KLUCB, UCB1, EpsilonGreedy, Greedy, Softmax
    from novum.bandits.posterior_policies import LinUCB, ThompsonSampling
    from novum.bandits.simulation import simulate
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".bounds": "regret_bound",
            ".environments": "AdversarialBandit BernoulliBandit ContextualBandit GaussianBandit",
            ".exponential_weights": "EXP3",
            ".off_policy": "evaluate_logged",
            ".policies": "KLUCB UCB1 EpsilonGreedy Greedy Softmax",
            ".posterior_policies": "LinUCB ThompsonSampling",
            ".simulation": "simulate",
        },
    )

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
