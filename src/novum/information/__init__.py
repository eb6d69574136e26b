"""Information: how surprising values are, what variables say about each other; from tables, samples and distributions.

Every function takes base="bits" (the default), "nats" or a number, the base of its logarithms.
"""

from novum.information.measures import code_length, cross_entropy, entropy, kl_divergence
from novum.information.pairs import conditional_entropy, differential_entropy, mutual_information

__all__ = [
    "code_length",
    "conditional_entropy",
    "cross_entropy",
    "differential_entropy",
    "entropy",
    "kl_divergence",
    "mutual_information",
]


def __dir__() -> list[str]:
    return sorted(__all__)
