"""What regressions share whose precisions are those of the largest evidence, with Gamma distributions as their priors."""

import numpy as np

from novum.base.domains import Bool, Domain, Int, Real
from novum.base.estimator import Estimator
from novum.base.history import History
from novum.base.sklearn_base import RegressorMixin
from novum.linear_model.least_squares.predictive import GaussianPredictions

__all__ = ["EvidenceRegression"]


class EvidenceRegression(GaussianPredictions, RegressorMixin, Estimator):
    """Base of the regressions with a precision of the noise, `alpha_`, and one or several of the weights, `lambda_`."""

    _squares_columns = True
    _reports_passes = True
    _domains: dict[str, Domain] = {
        "max_iter": Int(1),
        "alpha_1": Real(0),
        "alpha_2": Real(0),
        "lambda_1": Real(0),
        "lambda_2": Real(0),
        "compute_score": Bool(),
        "fit_intercept": Bool(),
        "copy_X": Bool(),
        "verbose": Bool() | Int(0),
    }
    alpha_: float
    sigma_: np.ndarray
    scores_: np.ndarray
    history_: History
    n_iter_: int
    X_offset_: np.ndarray
    X_scale_: np.ndarray
