"""Machine learning as it is taught, fast enough to use, with scikit-learn's interface.

Families are imported when first used: `import novum` stays cheap, and `novum.cluster.KMeans` works without a second import.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_FAMILIES = (
    "activations",
    "bandits",
    "causal",
    "cluster",
    "datasets",
    "decision_theory",
    "decomposition",
    "discriminant_analysis",
    "distributions",
    "ensemble",
    "evaluation",
    "exceptions",
    "feature_extraction",
    "gaussian_process",
    "graphical",
    "information",
    "kernel_approximation",
    "kernel_ridge",
    "kernels",
    "linalg",
    "linear_model",
    "losses",
    "manifold",
    "mixture",
    "naive_bayes",
    "neighbors",
    "neural_network",
    "optimize",
    "patch",
    "preprocessing",
    "reinforcement",
    "sampling",
    "sequence",
    "study",
    "svm",
    "theory",
    "tree",
    "variational",
)
_NAMES = {  # public functions of the top level and the module that defines each
    "describe_task": "novum.datasets.task",
    "load": "novum.persistence.files",
    "save": "novum.persistence.files",
    "scan": "novum.fold.scan",
    "show_versions": "novum.persistence.versions",
    "unpatch": "novum.patch",
}

__all__ = [*_FAMILIES, *_NAMES]


def __getattr__(name: str) -> Any:
    if name in _FAMILIES:
        return import_module(f"novum.{name}")
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'novum' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
