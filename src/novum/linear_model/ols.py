r"""Ordinary least squares.

    minimise  sum_i w_i (y_i - a - b'x_i)^2                                                        (1)

also the maximum-likelihood fit under Gaussian noise, whose variance is then

    sigma^2 = rss / W,   log L = -W/2 (log(2 pi sigma^2) + 1)                                      (13)

One pass over the data for well-conditioned designs, see novum.linear_model.least_squares.solve. Derivation, Gauss-Markov and the
distribution of the estimates: docs/theory/least_squares.md.
"""

from typing import Any, Literal, Self

import numpy as np
import scipy.linalg

from novum.base.candidacy import Candidacy
from novum.base.domains import Bool, Domain, Int, Null, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.intervals import check_interval
from novum.base.validation import home_of
from novum.linear_model.least_squares.inference import Inference, infer
from novum.linear_model.least_squares.intervals import predict_with_interval
from novum.linear_model.least_squares.model import LinearRegressor
from novum.linear_model.least_squares.solve import solve
from novum.linear_model.least_squares.sparse_iterations import solve_sparse
from novum.runtime.blas import single_blas
from novum.runtime.typing import Numbers, Rows, RowWeights, Target

__all__ = ["LinearRegression"]


class LinearRegression(LinearRegressor):
    """Least squares with an intercept, weights, several targets, and inference on the coefficients.

    Parameters
    ----------
    fit_intercept : bool, default=True
    copy_X : bool, default=True
        Kept for scikit-learn's sake; X is never overwritten.
    tol : float, default=1e-6
        Stopping tolerance of the iterative solver for sparse input with very many columns. The rank is not decided by it.
    n_jobs : int, default=None
        Threads; None uses all that are allowed. The result does not depend on it.
    positive : bool, default=False
        Restrict the coefficients to be >= 0.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or array of shape (n_targets,)
    rank_ : int
        Rank of the centred design; below n_features the coefficients are the shortest of all solutions.
    singular_ : array
        Singular values of the centred design.
    noise_variance_ : float or array
        Maximum-likelihood noise variance (13).
    log_likelihood_ : float or array
        Log-likelihood (13) at the solution.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import LinearRegression
    >>> X = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 3.0]])
    >>> y = X @ [1, 2] + 3
    >>> model = LinearRegression().fit(X, y)
    >>> model.coef_.round(10), round(model.intercept_, 10)
    (array([1., 2.]), np.float64(3.0))
    >>> model.predict(np.array([[3.0, 5.0]])).round(10)
    array([16.])
    """

    _candidacy = Candidacy(rank=1, scaled=True)
    _domains: dict[str, Domain] = {
        "fit_intercept": Bool(),
        "copy_X": Bool(),
        "tol": Real(0),
        "n_jobs": Null() | Int(1) | Int(None, -1),
        "positive": Bool(),
    }
    rank_: int

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        positive: bool = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, y, sample_weight, target="numeric", defer=home_of(X) == "tensor")
        solution = solve_sparse(source, self, None) if source.sparse else None
        solution = solution or solve(source, fit_intercept=self.fit_intercept, positive=self.positive)
        self._keep(solution, source, source.n_targets == 0)
        self.rank_ = solution.rank
        return self

    def inference(
        self,
        X: Rows | None = None,
        y: Target = None,
        sample_weight: RowWeights = None,
        *,
        covariance: str = "auto",
        level: float = 0.95,
        weights: str = "frequency",
        groups: Numbers | None = None,
        target: int = 0,
    ) -> Inference:
        """Return coefficients with standard errors, t, p and intervals.

        Parameters
        ----------
        X, y, sample_weight : the training data, needed for the robust covariances only
        covariance : {"auto", "classical", "HC0", "HC1", "HC2", "HC3", "cluster", "CR1"}, default="auto"
            "classical", which "auto" is here, assumes one noise variance; the others allow each row its own; "cluster" also
            lets the rows of one cluster depend on each other (CR2 with the degrees of freedom of Bell and McCaffrey: right also
            where few clusters are treated); "CR1" does so as statsmodels and Stata do.
        level : float, default=0.95
            Of the intervals.
        weights : {"frequency", "precision"}, default="frequency"
            Whether a weight is the number of times that the row was seen, as in every fit, or the inverse of its noise
            variance, so that doubling all weights changes nothing. All linear models mean the same.
        groups : array-like of shape (n_samples,), default=None
            The cluster of every row, for covariance="cluster" or "CR1".
        target : int, default=0
            Which target, where there are several.

        Returns
        -------
        Inference
            Prints as a table; `to_frame()` gives it as a frame. AIC and BIC count the noise variance as a parameter, as
            `novum.evaluation.model_criteria` does. What the rows do not determine, as the coefficient of a constant
            column, is NaN and printed as "?".

        Examples
        --------
        >>> import numpy as np
        >>> from novum.linear_model import LinearRegression
        >>> x = np.arange(6.0)[:, None]
        >>> LinearRegression().fit(x, [1.1, 2.9, 5.2, 7.1, 8.8, 11.1]).inference()
                      coef  std err       t      p     [.025    .975]
        intercept   1.0619    .1206   8.806  <.001   .727093  1.39672
        x0         1.98857   .03983  49.927  <.001   1.87799  2.09916
        6 rows, 4 degrees of freedom, covariance classical
        R2 .9984 (adjusted .9980), F 2492.7 (p 9.63e-07), residual sd .16662
        log-likelihood 3.45504, AIC -.910071, BIC -1.53479
        """
        check_is_fitted(self)
        with single_blas():
            source = None if X is None else self._again(X, y, sample_weight)
            return infer(
                self, source, covariance=covariance, level=level, weights=weights, target=target, groups=groups
            )

    def predict(
        self,
        X: Rows,
        return_std: bool = False,
        *,
        interval: str | None = None,
        level: float = 0.95,
        weights: Literal["frequency", "precision"] = "frequency",
    ) -> Any:
        """Return the prediction for every row of X, with an interval where one is requested.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        return_std : bool, default=False
            Also return the standard deviation of the noise about every prediction; for data in memory.
        interval : {None, "confidence", "prediction"}, default=None
            "confidence": for the mean at x; "prediction": for a new target at x. For data in memory and one target.
        level : float, default=0.95
            Of the interval.
        weights : {"frequency", "precision"}, default="frequency"
            What the weights of the fit were, for the interval: see `inference`.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_targets); with an interval IntervalPrediction(value, lower, upper)

        Examples
        --------
        >>> import numpy as np
        >>> from novum.linear_model import LinearRegression
        >>> x = np.arange(6.0)[:, None]
        >>> model = LinearRegression().fit(x, [1.1, 2.9, 5.2, 7.1, 8.8, 11.1])
        >>> model.predict([[6.0]], interval="prediction").lower.round(4)
        array([12.3613])
        """
        if interval is None:
            return super().predict(X, return_std)
        check_is_fitted(self)
        if return_std:
            check_interval("LinearRegression.predict", interval, level, std=True)
        return predict_with_interval(self, X, interval, level, weights)

    @property
    def singular_(self) -> np.ndarray:
        """Singular values of the centred (and weighted) design."""
        if "_root" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no singular_ before fit")
        return scipy.linalg.svdvals(self._root)[: min(int(self._n_rows), self.n_features_in_)].astype(self.coef_.dtype)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.positive
        return tags
