r"""Quadratic discriminant analysis: Gaussian classes, each with its own covariance.

    delta_c(x) = log pi_c - 1/2 log |S_c| - 1/2 (x - mean_c)' inv(S_c) (x - mean_c)                (10)

S_c = scatter_c / N_c (maximum likelihood) or over N_c - 1 (`unbiased`), from the same pass over the rows as the linear method
(`moments`); then S_c <- (1 - reg) S_c + reg I. With S_c = R_c diag(s_c) R_c' the class is a Gaussian with axes R_c and variances
s_c along them. Predictions use the compiled density of a Gaussian mixture; missing cells are integrated out.
"""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.candidacy import Candidacy
from novum.base.classes import labels_of
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Fittable, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.generative import Query, joint_of
from novum.discriminant_analysis.classes import GaussianClasses, class_density, log_joint, priors_of
from novum.discriminant_analysis.covariances import class_covariances, gather
from novum.discriminant_analysis.parameters import parameter_count
from novum.discriminant_analysis.shrinkage import TYPES
from novum.engines.gaussians.density import Density
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block
from novum.runtime.typing import Numbers, Rows, RowWeights, Target

__all__ = ["QuadraticDiscriminantAnalysis"]


def discriminants(query: Query, block: Block) -> Any:
    """Return (10); of two classes the difference."""
    score = joint_of(query, block)
    if score.shape[1] == 2:
        return score[:, 1] - score[:, 0]
    return score + 0.5 * block.X.shape[1] * float(np.log(2 * np.pi))


def all_above(covariances: NDArray, least: float) -> bool:
    """Return whether every eigenvalue of every matrix exceeds `least`: S - least I then has a Cholesky factor, and only then."""
    try:
        np.linalg.cholesky(covariances - least * np.eye(covariances.shape[-1]))
    except np.linalg.LinAlgError:
        return False
    return bool(np.isfinite(covariances).all())


class QuadraticDiscriminantAnalysis(GaussianClasses, Estimator):
    """Quadratic discriminant analysis.

    Parameters
    ----------
    solver : {"svd", "eigen"}, default="svd"
        Both take the eigenvalues of the covariance of every class; only "eigen" goes with shrinkage and other estimators.
    shrinkage : "auto", float in [0, 1] or None, default=None
        Share of a multiple of the identity in every covariance; "auto" by Ledoit and Wolf's formula.
    priors : array-like of shape (n_classes,), default=None
        Probabilities of the classes; None takes their shares of the data.
    reg_param : float in [0, 1], default=0.0
        Share of the identity in every covariance; for solver "svd".
    store_covariance : bool, default=False
        Whether to keep `covariance_`.
    tol : float, default=1e-4
        Least variance along an axis; below it a covariance counts as singular, which is an error.
    covariance_estimator : covariance estimator, default=None
        An object whose `fit` gives `covariance_`; for data in memory.
    covariance_type : {"full", "diag", "spherical"}, default="full"
        Form of the covariances: any, a variance per feature (naive Bayes), one variance per class.
    unbiased : bool, default=False
        Whether covariances are divided by N_c - 1 instead of N_c.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    priors_ : array of shape (n_classes,)
    means_ : array of shape (n_classes, n_features)
    covariance_ : list of arrays of shape (n_features, n_features)
        With `store_covariance`.
    rotations_ : list of arrays of shape (n_features, n_features)
        Axes of every class, the widest first; computed on first use, as predictions do without them.
    scalings_ : list of arrays of shape (n_features,)
        Variances along them, likewise.

    Notes
    -----
    A missing cell (NaN) is integrated out, in `fit` and in predictions; nothing is imputed.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.discriminant_analysis import QuadraticDiscriminantAnalysis
    >>> X = np.array([[1.0, 2], [2, 3], [3, 3], [6, 5], [7, 8], [8, 7], [7, 6]])
    >>> model = QuadraticDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2, 2])
    >>> model.predict([[4, 5]]), model.decision_function([[4, 5]]).round(6)
    (array([2]), array([7.630178]))
    """

    _squares_columns = True
    _candidacy = Candidacy(
        rank=4,
        settings={"reg_param": 0.1},
        search=({"reg_param": 0.01}, {"reg_param": 0.5}),
        scaled=True,
        most_columns=300,
    )
    _domains: dict[str, Domain] = {
        "solver": Choice("svd", "eigen"),
        "shrinkage": Choice("auto") | Real(0, 1) | Null(),
        "priors": ArrayLike() | Null(),
        "reg_param": Real(0, 1),
        "store_covariance": Bool(),
        "tol": Real(0),
        "covariance_estimator": Fittable() | Null(),
        "covariance_type": Choice(*TYPES),
        "unbiased": Bool(),
    }
    covariance_: list[np.ndarray]

    def __init__(
        self,
        *,
        solver: Literal["svd", "eigen"] = "svd",
        shrinkage: Literal["auto"] | float | None = None,
        priors: Numbers | None = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1.0e-4,
        covariance_estimator: Any = None,
        covariance_type: Literal["full", "diag", "spherical"] = "full",
        unbiased: bool = False,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.covariance_type = covariance_type
        self.unbiased = unbiased

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit mean, prior and covariance of every class.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, y, sample_weight, target="classes", defer=True)
        self.classes_, coded = labels_of(source)
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError("shrinkage not supported with 'svd' solver.")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ParameterError("covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead.")
        gathered = gather(self, coded, len(self.classes_), own=True)
        moments = gathered.moments
        alone = moments.rows <= 1
        if alone.any():
            raise DataError(
                f"y has only 1 sample in class {self.classes_[alone.argmax()]}, covariance is ill defined."
                " Give more rows of it, or leave it out."
            )
        each = class_covariances(gathered, self.shrinkage, self.covariance_type, self.unbiased)
        if self.solver == "svd":
            each = (1 - self.reg_param) * each + self.reg_param * np.eye(source.n_features)
        if not all_above(each, self.tol):
            self._refuse_singular(each, moments.rows)
        dtype = source.dtype
        self.means_ = moments.mean.astype(dtype)
        self.priors_ = priors_of(type(self).__name__, self.priors, moments.mass, False).astype(dtype)
        self._covariances = each
        self.__dict__.pop("covariance_", None)
        if self.store_covariance:
            self.covariance_ = list(each.astype(dtype))
        return self

    def _refuse_singular(self, covariances: NDArray, rows: NDArray) -> None:
        """Raise for the first class with a variance of at most `tol`; rounding may have let none be found."""
        low = np.linalg.eigvalsh(covariances)[:, 0] <= self.tol
        if not low.any():
            return
        c, d = int(low.argmax()), covariances.shape[-1]
        label, count = self.classes_[c], int(rows[c])
        message = f"The covariance matrix of class {label} is not full rank."
        if self.solver == "svd" and count <= d:
            raise np.linalg.LinAlgError(
                f"{message} When using `solver='svd'` the number of samples in each class should be more than the number of"
                f" features, but class {label} has {count} samples and {d} features. Try using `solver='eigen'` and setting"
                " the parameter `shrinkage` for regularization."
            )
        name = "shrinkage" if self.solver == "eigen" else "reg_param"
        raise np.linalg.LinAlgError(f"{message} Increase the value of `{name}` to reduce the collinearity.")

    def _axes(self) -> tuple[NDArray, NDArray]:
        """Return variances (k, d) and axes (k, d, d) of every class, the widest first."""
        check_is_fitted(self)
        values, vectors = np.linalg.eigh(self._covariances)
        dtype = self.means_.dtype
        return np.maximum(values[:, ::-1], 0.0).astype(dtype), vectors[:, :, ::-1].astype(dtype)

    @property
    def scalings_(self) -> Any:
        return list(self._axes()[0])

    @property
    def rotations_(self) -> Any:
        return list(self._axes()[1])

    def _class_covariances(self) -> Any:
        return self._covariances

    def _density(self) -> Density:
        mean, prior = (np.asarray(values, np.float64) for values in (self.means_, self.priors_))
        covariances = self._class_covariances()
        if self.covariance_type == "full":
            return class_density(type(self).__name__, prior, mean, covariances, "full")
        variances = np.ascontiguousarray(np.diagonal(covariances, axis1=1, axis2=2))
        return class_density(type(self).__name__, prior, mean, variances, "diag")

    def _joint(self) -> Any:
        return log_joint, self._density()

    def decision_function(self, X: Rows) -> Any:
        """Return delta of (10) for every row and class; for two classes the log-odds of the second.

        delta_c(x) = log pi_c - 1/2 log |S_c| - 1/2 (x - mean_c)' inv(S_c) (x - mean_c)    (10)
        """
        return self._answers(X, discriminants, self._query())

    def parameter_count(self) -> int:
        """Return the number of free parameters."""
        check_is_fitted(self)
        kinds = {"full": "own", "diag": "diagonal", "spherical": "spherical"}
        return parameter_count(self.n_features_in_, len(self.classes_), kinds[self.covariance_type])
