"""Machine learning as it is taught, fast enough to use, with scikit-learn's interface.

Families are imported when first used: `import novum` stays cheap, and `novum.cluster.KMeans` works without a second import.
"""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

__version__ = "0.2.0"

if TYPE_CHECKING:
    from novum import (
        activations,
        bandits,
        causal,
        cluster,
        datasets,
        decision_theory,
        decomposition,
        discriminant_analysis,
        distributions,
        ensemble,
        evaluation,
        exceptions,
        feature_extraction,
        gaussian_process,
        graphical,
        information,
        kernel_approximation,
        kernel_ridge,
        kernels,
        lab,
        linalg,
        linear_model,
        losses,
        manifold,
        mixture,
        naive_bayes,
        neighbors,
        neural_network,
        notes,
        optimize,
        patch,
        preprocessing,
        reinforcement,
        sampling,
        sequence,
        study,
        svm,
        teaching,
        theory,
        tree,
        variational,
    )
    from novum.base.checkpoint.context import checkpoint
    from novum.datasets.task import describe_task
    from novum.fold.scan import scan
    from novum.patch import unpatch
    from novum.persistence.files import load, save
    from novum.persistence.versions import show_versions
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".": "activations bandits causal cluster datasets decision_theory decomposition "
            "discriminant_analysis distributions ensemble evaluation exceptions feature_extraction "
            "gaussian_process graphical information kernel_approximation kernel_ridge kernels lab linalg "
            "linear_model losses manifold mixture naive_bayes neighbors neural_network notes optimize "
            "patch preprocessing reinforcement sampling sequence study svm teaching theory tree "
            "variational",
            "novum.base.checkpoint.context": "checkpoint",
            "novum.datasets.task": "describe_task",
            "novum.fold.scan": "scan",
            "novum.patch": "unpatch",
            "novum.persistence.files": "load save",
            "novum.persistence.versions": "show_versions",
        },
    )

__all__ = [
    "activations",
    "bandits",
    "causal",
    "checkpoint",
    "cluster",
    "datasets",
    "decision_theory",
    "decomposition",
    "describe_task",
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
    "lab",
    "linalg",
    "linear_model",
    "load",
    "losses",
    "manifold",
    "mixture",
    "naive_bayes",
    "neighbors",
    "neural_network",
    "notes",
    "optimize",
    "patch",
    "preprocessing",
    "reinforcement",
    "sampling",
    "save",
    "scan",
    "sequence",
    "show_versions",
    "study",
    "svm",
    "teaching",
    "theory",
    "tree",
    "unpatch",
    "variational",
]
