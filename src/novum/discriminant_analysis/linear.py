r"""Linear discriminant analysis: Gaussian classes that share their covariance, and the directions that separate them.

    p(x, c) = pi_c N(x | mean_c, S)                                                                (1)
    log p(a | x) / p(b | x) = (w_a - w_b) . x + b_a - b_b                                          (2)
    delta_c(x) = w_c . x + b_c,   w_c = inv(S) mean_c,   b_c = -1/2 mean_c' inv(S) mean_c + log pi_c          (3)

The quadratic terms of (1) are the same for all classes and leave (2) linear. Means, priors and S = sum of the classes' scatters
over N (maximum likelihood) or N - K (`unbiased`) come from one pass over the rows (`moments`), (3) from one of three solvers
(`solve`), predictions are a product of matrices. Derivation: docs/theory/discriminant_analysis.md.
"""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.candidacy import Candidacy
from novum.base.classes import labels_of
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Fittable, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.generative import LinearForm, class_position
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.discriminant_analysis import solve
from novum.discriminant_analysis.classes import GaussianClasses, class_density, priors_of
from novum.discriminant_analysis.covariances import gather, total_covariance, within_covariance
from novum.discriminant_analysis.discriminants import (
    Projection,
    Rule,
    best_discriminant,
    decision_of,
    discriminants,
    project_block,
)
from novum.discriminant_analysis.parameters import parameter_count
from novum.discriminant_analysis.shrinkage import TYPES
from novum.engines.gaussians.density import Density
from novum.exceptions import DataError, ParameterError
from novum.runtime.typing import Label, Numbers, Rows, RowWeights, Target

__all__ = ["LinearDiscriminantAnalysis"]


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, GaussianClasses, TransformerMixin, Estimator):
    """Linear discriminant analysis.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        How (3) is solved. All three work on the moments of the classes; "lsqr" has no `transform`, "svd" no shrinkage.
    shrinkage : "auto", float in [0, 1] or None, default=None
        Share of a multiple of the identity in the covariance; "auto" by Ledoit and Wolf's formula.
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None takes their shares of the data.
    n_components : int, default=None
        Directions kept by `transform`; None keeps min(n_classes - 1, n_features).
    store_covariance : bool, default=False
        Whether solver "svd" keeps `covariance_`; the others always do.
    tol : float, default=1e-4
        Singular values of the standardised rows up to which solver "svd" drops a direction.
    covariance_estimator : covariance estimator, default=None
        An object whose `fit` gives `covariance_`, in place of shrinkage; for data in memory.
    covariance_type : {"full", "diag", "spherical"}, default="full"
        Form of the shared covariance: any, a variance per feature, one variance.
    unbiased : bool, default=False
        Whether the covariance is divided by N - K instead of N.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    priors_ : array of shape (n_classes,)
    means_ : array of shape (n_classes, n_features)
    coef_, intercept_ : array of shape (n_classes, n_features) and (n_classes,)
        Of (3); for two classes one row, the second minus the first.
    covariance_ : array of shape (n_features, n_features)
        The covariance within classes, weighted by the priors; for "svd" only with `store_covariance`.
    xbar_ : array of shape (n_features,)
        Mean of the class means, weighted by the priors; for "svd".
    scalings_ : array of shape (n_features, n_directions)
        Fisher's directions, the most separating first; not for "lsqr".
    explained_variance_ratio_ : array of shape (n_components,)
        Shares of the variance between classes; not for "lsqr".

    Notes
    -----
    A missing cell (NaN) is integrated out, in `fit` and in predictions; nothing is imputed.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.discriminant_analysis import LinearDiscriminantAnalysis
    >>> X = np.array([[1.0, 2], [2, 3], [3, 3], [6, 5], [7, 8], [8, 7], [7, 6]])
    >>> model = LinearDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2, 2])
    >>> weights, bias = model.linear_form(1, 2)
    >>> weights.round(6), round(float(bias), 6)
    (array([-8.621951, -0.170732]), 39.293619)
    >>> model.predict_proba([[4, 5]]).round(6)
    array([[0.981149, 0.018851]])
    """

    _squares_columns = True
    _rows_need_blas = False  # but for the few with missing cells
    _candidacy = Candidacy(rank=3, search=({"solver": "lsqr", "shrinkage": "auto"},), scaled=True, most_columns=1_000)
    _domains: dict[str, Domain] = {
        "solver": Choice("svd", "lsqr", "eigen"),
        "shrinkage": Choice("auto") | Real(0, 1) | Null(),
        "priors": ArrayLike() | Null(),
        "n_components": Int(1) | Null(),
        "store_covariance": Bool(),
        "tol": Real(0),
        "covariance_estimator": Fittable() | Null(),
        "covariance_type": Choice(*TYPES),
        "unbiased": Bool(),
    }
    coef_: np.ndarray
    intercept_: np.ndarray
    covariance_: np.ndarray
    xbar_: np.ndarray
    scalings_: np.ndarray
    explained_variance_ratio_: np.ndarray

    def __init__(
        self,
        solver: Literal["svd", "lsqr", "eigen"] = "svd",
        shrinkage: Literal["auto"] | float | None = None,
        priors: Numbers | None = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        *,
        covariance_type: Literal["full", "diag", "spherical"] = "full",
        unbiased: bool = False,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.covariance_type = covariance_type
        self.unbiased = unbiased

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the means, priors and shared covariance, and solve for the discriminants.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, y, sample_weight, target="classes", min_rows=2, defer=True)
        self.classes_, coded = labels_of(source)
        self._check(source.n_features)
        gathered = gather(self, coded, len(self.classes_))
        moments = gathered.moments
        if moments.rows.sum() <= len(self.classes_):
            raise DataError("The number of samples must be more than the number of classes.")
        prior = priors_of(type(self).__name__, self.priors, moments.mass, True)
        n = float(moments.mass.sum())
        within = within_covariance(self, gathered, prior)
        if gathered.rows is not None:  # fewer rows than columns
            solved = solve.by_whitening(solve.thin_whitening(gathered.rows, self.tol), moments.mean, prior, n, self.tol)
        elif self.solver == "svd":
            solved = solve.by_whitening(solve.whitening(within, self.tol), moments.mean, prior, n, self.tol)
        elif self.solver == "lsqr":
            solved = solve.by_least_squares(within, moments.mean, prior)
        else:
            total = total_covariance(self, gathered)
            solved = solve.by_eigen(within, total, moments.mean, prior)
        self._keep(solved, within, moments.mean, prior, source.dtype)
        return self

    def _check(self, d: int) -> None:
        """Raise for parameters that do not go together, in scikit-learn's words."""
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ParameterError("covariance estimator is not supported with svd solver. Try another solver")
        most = min(len(self.classes_) - 1, d)
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(
                "n_components cannot be larger than min(n_features, n_classes - 1)."
                f" Got n_components={self.n_components}, at most {most} is possible here."
            )
        self._max_components = most if self.n_components is None else int(self.n_components)

    def _keep(self, solved: solve.Solved, within: NDArray, mean: NDArray, prior: NDArray, dtype: Any) -> None:
        """Turn a solution into fitted attributes."""
        coef, intercept = solved.coef, solved.intercept
        if len(self.classes_) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef.astype(dtype), intercept.astype(dtype)
        self.means_, self.priors_ = mean.astype(dtype), prior.astype(dtype)
        self._within = within
        for name in ("covariance_", "scalings_", "explained_variance_ratio_", "xbar_"):
            self.__dict__.pop(name, None)
        if self.solver != "svd" or self.store_covariance:
            self.covariance_ = within.astype(dtype)
        if self.solver == "svd":
            self.xbar_ = (prior @ mean).astype(dtype)
        if solved.scalings is not None and solved.ratio is not None:
            self.scalings_ = solved.scalings.astype(dtype)
            self.explained_variance_ratio_ = solved.ratio[: self._max_components].astype(dtype)

    def _gaussians(self) -> tuple[NDArray, NDArray, NDArray]:
        """Return prior, means and shared covariance."""
        return np.asarray(self.priors_, np.float64), np.asarray(self.means_, np.float64), self._within

    def _density(self) -> Density:
        if self._within.size == 0:
            raise DataError(
                "LinearDiscriminantAnalysis: fitted from fewer rows than columns, the covariance is singular and has no"
                " density; use solver='lsqr' with shrinkage."
            )
        return class_density(type(self).__name__, *self._gaussians(), "tied")

    def _class_covariances(self) -> Any:
        self._density()  # raises, with the reason, where there is none
        return np.broadcast_to(self._within, (len(self.classes_), *self._within.shape))

    def _density_or_none(self) -> Density | None:
        """Return the density, or None where the covariance is singular and there is none."""
        try:
            return self._density()
        except DataError:
            return None

    def _rule(self) -> Rule:
        """Return the discriminants; infinite offsets (a class of prior zero) as numbers far beyond any other."""
        two, most = len(self.classes_) == 2, float(np.finfo(self.coef_.dtype).max) / 4
        bias = np.clip(self.intercept_, -most, most) if two else self.intercept_
        return Rule(self.coef_.T.astype(np.float64), bias.astype(np.float64), self._gaussians(), two)

    _best = staticmethod(best_discriminant)

    def _joint(self) -> Any:
        return discriminants, self._rule()

    def decision_function(self, X: Rows) -> Any:
        """Return delta of (3) for every row and class; for two classes the log-odds (2) of the second.

            delta_c(x) = w_c . x + b_c,   w_c = inv(S) mean_c,   b_c = -1/2 mean_c' inv(S) mean_c + log pi_c    (3)
            log p(a | x) / p(b | x) = (w_a - w_b) . x + b_a - b_b    (2)

        A row with missing cells has log p(x, c) of its observed cells instead.
        """
        return self._answers(X, decision_of, self._query())

    def transform(self, X: Rows) -> Any:
        """Return the coordinates of every row along Fisher's directions."""
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        check_is_fitted(self)
        center = self.xbar_ if self.solver == "svd" else np.zeros(self.n_features_in_)
        directions = self.scalings_[:, : self._max_components]
        projection = Projection(center, np.ascontiguousarray(directions), self._density_or_none())
        return self._rows(X, project_block, projection, verify=False)

    @property
    def _n_features_out(self) -> Any:
        return self._max_components

    def linear_form(self, positive: Label | None = None, negative: Label | None = None) -> LinearForm:
        """Return weights and bias of (3) for every class; of two classes, those of their log-odds (2).

            delta_c(x) = w_c . x + b_c,   w_c = inv(S) mean_c,   b_c = -1/2 mean_c' inv(S) mean_c + log pi_c    (3)
            log p(a | x) / p(b | x) = (w_a - w_b) . x + b_a - b_b    (2)

        Parameters
        ----------
        positive, negative : class labels, default=None
            The pair; where there are only two classes, None takes the second as positive.
        """
        check_is_fitted(self)
        weights, bias = self.coef_.astype(np.float64), self.intercept_.astype(np.float64)
        two = len(self.classes_) == 2
        if positive is None and negative is None:
            return LinearForm(weights[0], bias[0]) if two else LinearForm(weights, bias)
        a = class_position("linear_form", self.classes_, positive, "positive")
        b = class_position("linear_form", self.classes_, negative, "negative")
        if two:
            weights, bias = np.vstack([0 * weights, weights]), np.concatenate([0 * bias, bias])
        return LinearForm(weights[a] - weights[b], bias[a] - bias[b])

    def parameter_count(self) -> int:
        """Return the number of free parameters."""
        check_is_fitted(self)
        kinds = {"full": "shared", "diag": "shared_diagonal", "spherical": "shared_spherical"}
        return parameter_count(self.n_features_in_, len(self.classes_), kinds[self.covariance_type])
