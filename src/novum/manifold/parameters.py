"""What the parameters of multidimensional scaling mean, those that scikit-learn is about to rename included."""

from typing import Any, NamedTuple

import numpy as np

from novum.base.domains import Domain
from novum.exceptions import ParameterError
from novum.runtime.warn import warn

__all__ = ["Settings", "Text", "settings_of"]


class Text(Domain):
    """Any string."""

    def contains(self, value: Any) -> bool:
        return isinstance(value, str)

    right_type = contains

    def __str__(self) -> str:
        return "an instance of 'str'"


class Settings(NamedTuple):
    """What the parameters mean, scikit-learn's old names included."""

    metric: Any
    metric_mds: bool
    init: str
    normalized: bool


def settings_of(model: Any) -> Settings:
    """Return what the parameters mean; the words of warnings are scikit-learn's."""
    metric, metric_mds, init = model.metric, model.metric_mds, model.init
    if init == "warn":
        init = "random"
        if model.algorithm == "smacof":
            warn(
                "The default value of `init` will change from 'random' to 'classical_mds' in 1.10. To suppress this warning,"
                " provide some value of `init`.",
                FutureWarning,
            )
    if model.dissimilarity != "deprecated":
        if not isinstance(metric, bool | np.bool_) and metric != "euclidean":
            raise ParameterError("You provided both `dissimilarity` and `metric`. Please use only `metric`.")
        warn(
            "The `dissimilarity` parameter is deprecated and will be removed in 1.10. Use `metric` instead.",
            FutureWarning,
        )
    if isinstance(metric, bool | np.bool_):
        warn(
            f"Use metric_mds={metric} instead of metric={metric}. The support for metric={{True/False}} will be dropped in"
            " 1.10.",
            FutureWarning,
        )
        metric_mds, metric = bool(metric), "euclidean"
    if model.dissimilarity != "deprecated":
        metric = model.dissimilarity
    if model.algorithm == "classical" and not metric_mds:
        raise ParameterError("MDS(algorithm='classical') is metric; metric_mds=False needs algorithm='smacof'.")
    normalized = not metric_mds if model.normalized_stress == "auto" else bool(model.normalized_stress)
    return Settings(metric, metric_mds, init, normalized)
