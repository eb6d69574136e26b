"""Information: how surprising values are, what variables say about each other; from tables, samples and distributions.

Every function takes base="bits" (the default), "nats" or a number, the base of its logarithms.
"""

from novum.information.diagrams import information_diagram
from novum.information.measures import code_length, cross_entropy, entropy, kl_divergence
from novum.information.pairs import conditional_entropy, differential_entropy, mutual_information
from novum.runtime.moved_names import moved_names

__all__ = [
    "code_length",
    "conditional_entropy",
    "cross_entropy",
    "differential_entropy",
    "entropy",
    "information_diagram",
    "kl_divergence",
    "mutual_information",
]

__getattr__ = moved_names(
    __name__,
    {
        ".diagrams": "EntropyCurve InformationDiagram entropy_curve",
    },
)
