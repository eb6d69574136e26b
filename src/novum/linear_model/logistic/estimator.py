r"""Logistic regression: the log-odds of classes are linear in x.

    minimise   sum_i w_i l(y_i, theta' [x_i, 1]) + (l1_ratio |coef|_1 + (1 - l1_ratio) |coef|^2 / 2) / C

with l the cross-entropy of eq. (2) for two classes, of (5) for more (novum.linear_model.logistic.sums). The base-class form with
K - 1 vectors is the same model: subtracting theta_K from all theta_k leaves every probability as it is. Newton's step (8) is
iteratively reweighted least squares: with R the curvatures and z = X theta - R^{-1}(s - t) the working response, theta + d =
(X'RX)^{-1} X'R z. Derivations: docs/theory/logistic_regression.md.
"""

from typing import Any, Literal, Self

import numpy as np

from novum.base.callbacks import reporting
from novum.base.candidacy import Candidacy
from novum.base.classes import labels_of
from novum.base.domains import Bool, Choice, ClassWeight, Domain, Int, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.exceptions import DataError, NotConverged
from novum.fold.blocks import Source
from novum.linear_model.decisions import LinearProbabilities, dense_coef
from novum.linear_model.frame import Frame, check_outward
from novum.linear_model.logistic import options
from novum.linear_model.logistic.inference import InferenceRequest, infer_logistic
from novum.linear_model.logistic.inference_table import LogisticInference
from novum.linear_model.logistic.minimum import Design, framed, minimum, objective_of, start_of, sums_hessians
from novum.linear_model.logistic.newton import NewtonMinimum
from novum.linear_model.logistic.separation import SeparatingDirection, examine, examine_by_products, separation_text
from novum.linear_model.logistic.sums import class_mass, weight_facts
from novum.runtime.blas import single_blas
from novum.runtime.typing import Label, LabelWeights, Numbers, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn

__all__ = ["LogisticRegression"]


def centred(theta: np.ndarray, design: Design) -> np.ndarray:
    """Return theta of several classes with sums of zero, where the penalty leaves them open."""
    last = np.arange(theta.shape[1]) == theta.shape[1] - 1
    return theta if len(theta) == 1 else theta - theta.mean(axis=0) * (design.penalty.l1_ratio == 0 or last)


class LogisticRegression(LinearProbabilities, Estimator):
    """Logistic regression with an L2, L1, elastic-net penalty, or none.

    Parameters
    ----------
    penalty : {"l1", "l2", "elasticnet", None}, default="deprecated"
        scikit-learn's old name for what `C` and `l1_ratio` say.
    C : float, default=1.0
        Inverse strength of the penalty; np.inf for none.
    l1_ratio : float, default=0.0
        Share of the L1 norm in the penalty.
    dual : bool, default=False
        Accepted with solver="liblinear"; the optimum is the same.
    tol : float, default=1e-4
        Stop where no component of the gradient of the mean objective exceeds it; with an L1 part no subgradient, and no more than
        100 tol of the penalty. With solver="sag" or "saga" a hundredth of it.
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1
        With solver="liblinear": the value of the constant column, whose coefficient is penalised like the others.
    class_weight : dict, "balanced" or None, default=None
        Factor on the weights of the rows of each class; "balanced" gives all classes the same total.
    random_state : int, Generator or None, default=None
        Accepted; nothing is drawn.
    solver : {"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"}, default="lbfgs"
        All lead to the same optimum by the algorithm that suits the data; "liblinear" penalises the intercept and takes two
        classes.
    max_iter : int, default=100
    verbose : int, default=0
        Accepted; progress goes to callbacks.
    warm_start : bool, default=False
        Begin at the coefficients of the last fit.
    n_jobs : int, default=None
        Threads.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
    intercept_ : array of shape (1,) or (n_classes,)
    n_iter_ : array of shape (1,)
        Steps of the solver.
    history_ : History
        The mean objective after every step.
    separation_ : SeparatingDirection or None
        Without a penalty: the direction that separates the classes, if there is one.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import LogisticRegression
    >>> x = np.arange(6.0)[:, None]
    >>> model = LogisticRegression(C=np.inf).fit(x, [0, 0, 1, 0, 1, 1])
    >>> model.coef_.round(4), model.intercept_.round(4)
    (array([[1.214]]), array([-3.0351]))
    >>> model.predict_proba([[2.5]]).round(3)
    array([[0.5, 0.5]])
    """

    _squares_columns = True
    _candidacy = Candidacy(
        rank=1,
        settings={"max_iter": 1000},
        search=({"C": 0.1}, {"C": 0.01}, {"C": 10.0}, {"C": 0.001}, {"C": 100.0}),
        scaled=True,
        order=2,
    )
    _domains: dict[str, Domain] = {
        "penalty": Choice("l1", "l2", "elasticnet", "deprecated") | Null(),
        "C": Real(0, np.inf, open="low"),
        "l1_ratio": Real(0, 1) | Null(),
        "dual": Bool(),
        "tol": Real(0),
        "fit_intercept": Bool(),
        "intercept_scaling": Real(0, open="low"),
        "class_weight": ClassWeight() | Choice("balanced") | Null(),
        "random_state": RandomState(),
        "solver": Choice(*options.SOLVERS),
        "max_iter": Int(0),
        "verbose": Int(0) | Bool(),
        "warm_start": Bool(),
        "n_jobs": Null() | Int(),
    }
    _reports_passes = True
    n_iter_: np.ndarray
    history_: History
    separation_: SeparatingDirection | None

    def __init__(
        self,
        penalty: Literal["l1", "l2", "elasticnet", "deprecated"] | None = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: LabelWeights = None,
        random_state: Seed = None,
        solver: Literal["lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"] = "lbfgs",
        max_iter: int = 100,
        verbose: int | bool = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @property
    def _pass_name(self) -> str:
        return f"{self.solver}-iter"

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        penalty = options.penalty_of(self)
        before = self._previous() if self.warm_start and self.solver != "liblinear" else None
        source = self._source(X, y, sample_weight, target="classes")
        self.classes_, coded = labels_of(source)
        options.check_classes(type(self).__name__, self.solver, self.classes_)
        if self.solver == "liblinear":
            options.check_size(source)
        mass = coded.without_features().total(class_mass, len(self.classes_)).mass
        coded, design = framed(coded, self._design(penalty, mass), type(self).__name__)
        start = start_of(before, len(self.classes_), source.n_features, design)
        given: dict[str, Any] = {"X": X, "y": y, "sample_weight": sample_weight, "objective_of": "leaving"}
        attributes = lambda theta: self._attributes(centred(theta, design), design.frame)  # noqa: E731
        with reporting(self, self.max_iter, attributes=attributes, **given) as report:
            enough = options.gradient_tolerance(self.solver, self.tol)
            found = minimum(coded, design, start, enough, self.max_iter, report)
        return self._learn(found, design, coded, source, mass)

    def _design(self, penalty: options.Penalty, mass: np.ndarray) -> Design:
        """Return what the minimum depends on beside the data."""
        weights = options.class_weights(type(self).__name__, self.class_weight, self.classes_, mass)
        total = float(mass.sum() if weights is None else weights @ mass)
        if not total > 0:
            raise DataError(
                f"{type(self).__name__}: class_weight={self.class_weight!r} leaves no row with a positive weight."
            )
        liblinear = self.solver == "liblinear"
        constant = float(self.intercept_scaling if liblinear else 1.0) if self.fit_intercept else 0.0
        return Design(len(self.classes_), constant, liblinear, weights, total, penalty)

    def _learn(self, found: NewtonMinimum, design: Design, coded: Source, source: Source, mass: np.ndarray) -> Self:
        """Turn the minimum into fitted attributes."""
        theta, separation, information = found.theta, None, None
        value = found.history[-1]
        if design.penalty.name is None and self.max_iter:
            objective, _ = objective_of(coded, design)
            if sums_hessians(coded, design.k, False):
                examined = examine(objective, theta)
                separation = examined.separation
                if found.converged and separation is None:
                    theta, value, information = examined.theta, examined.objective, examined.hessian
            else:
                separation = examine_by_products(objective, theta)
        theta = centred(theta, design)
        self._theta, self._constant, self._class_mass, self._frame = theta, design.constant, mass, design.frame
        self._class_factor = design.class_weight
        self._weight_facts = tuple(coded.without_features().total(weight_facts)) if information is not None else None
        self._information = None if information is None else self._free(information * design.weight, design)
        self._log_likelihood = -value * design.weight
        dtype = np.dtype(np.float64) if self.solver == "liblinear" else source.dtype
        for name, attribute in self._attributes(theta, design.frame).items():
            setattr(self, name, attribute.astype(dtype))
        check_outward(type(self).__name__, source, self.coef_)
        if separation is not None and design.frame is not None:
            direction = design.frame.outward(separation.direction, design.constant)
            separation = separation._replace(direction=direction / np.linalg.norm(direction))
        self.n_iter_ = np.array([found.n_iter], dtype=np.int32)
        self.history_ = History(found.history)
        self.separation_ = separation
        if separation is not None:
            warn(separation_text(self, separation), NotConverged)
        elif not found.converged:
            warn(options.not_converged(self.solver, found.n_iter, found.norm, self.tol), NotConverged)
        return self

    def _free(self, information: np.ndarray, design: Design) -> np.ndarray:
        """Return the information about coefficients and intercepts, without the column that does not exist."""
        k, m = self._theta.shape
        free = m - (not design.constant)
        return information.reshape(k, m, k, m)[:, :free, :, :free].reshape(k * free, k * free)

    def _attributes(self, theta: np.ndarray, frame: Frame | None = None) -> dict[str, np.ndarray]:
        """Return theta of a frame as fitted attributes."""
        theta = theta if frame is None else frame.outward(theta, self._value())
        intercept = theta[:, -1] * self._value() if self.fit_intercept else np.zeros(len(theta))
        return {"coef_": theta[:, :-1] + 0.0, "intercept_": intercept}

    def _value(self) -> float:
        """Return what the column of the intercept holds."""
        return float(self.intercept_scaling if self.solver == "liblinear" else 1.0)

    def _previous(self) -> tuple[np.ndarray, np.ndarray] | None:
        if not hasattr(self, "coef_"):
            return None
        return np.asarray(dense_coef(self.coef_), dtype=np.float64), np.asarray(self.intercept_, dtype=np.float64)

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
        base_class: Label | None = None,
        method: str = "wald",
    ) -> LogisticInference:
        """Return coefficients with standard errors, z, p and intervals; for fits without a penalty.

        Parameters
        ----------
        X, y, sample_weight : the training data, needed for the sandwich and where `method` is not "wald"
        covariance : {"auto", "classical", "HC0", "HC1", "cluster", "CR1"}, default="auto"
            "classical" is the inverse of the observed information, right where the likelihood is; "HC0", the sandwich, holds
            also where it is not, "HC1" is it times n / (n - k); "cluster" also where the rows of one cluster depend on each other
            (CR2 and t with the degrees of freedom of Bell and McCaffrey; the table says where they are few), "CR1" as in
            statsmodels and Stata. "auto" takes the sandwich where it is due: with `class_weight`, or weights that are no counts.
        weights : {"frequency", "precision"}, default="frequency"
            As in `LinearRegression.inference`: whether a weight is the number of times the row was seen, as in every fit, or
            how much it counts, so that doubling all weights changes nothing here. Where rows were weighted by precision or
            by `class_weight` there is no likelihood: its ratio has no p-value, and AIC and BIC do not exist (NaN).
        level : float, default=0.95
            Of the intervals.
        groups : array-like of shape (n_samples,), default=None
            The cluster of every row, for covariance="cluster" or "CR1".
        base_class : label, default=None
            The class that the coefficients of the others are measured against; None for the first.
        method : {"wald", "profile", "firth"}, default="wald"
            "profile" takes p and intervals from the likelihood itself: better in small samples, and after separation it gives
            the finite bounds that remain. "firth" maximises the likelihood with Jeffreys' prior (Firth 1993), whose estimates
            are finite also where the classes are separated, with intervals from that likelihood.

        Returns
        -------
        LogisticInference
            Prints as a table; `to_frame()` gives it as a frame.

        Examples
        --------
        >>> import numpy as np
        >>> from novum.linear_model import LogisticRegression
        >>> x = np.arange(6.0)[:, None]
        >>> LogisticRegression(C=np.inf).fit(x, [0, 0, 1, 0, 1, 1]).inference()
                       coef  std err       z      p      [.025    .975]
        intercept  -3.03507    2.546  -1.192   .233   -8.02457  1.95444
        x0          1.21403    .9126   1.330   .183   -.574607  3.00266
        6 rows, covariance classical
        likelihood ratio 3.3618 on 1 degree of freedom (p .0667), pseudo R2 .4042
        log-likelihood -2.47799 (null -4.15888), AIC 8.95597, BIC 8.53949

        Separated classes have no finite maximum, but a finite bound, and Firth's estimates:

        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     apart = LogisticRegression(C=np.inf).fit(x, [0, 0, 0, 1, 1, 1])
        >>> apart.inference(x, [0, 0, 0, 1, 1, 1], method="firth")
                       coef  std err       z      p      [.025     .975]
        intercept  -2.82228    2.402  -1.650   .099   -15.6339   .414384
        x0          1.12891    .8549   1.964   .050   .0017326   6.07001
        6 rows, p and intervals from the likelihood after Firth
        likelihood ratio 3.857 on 1 degree of freedom (p .0495)
        penalised log-likelihood -1.28968 (null -3.2182)
        """
        check_is_fitted(self)
        with single_blas():
            source = None
            if X is not None:
                probe = type(self)(**self.get_params(deep=False))
                source = labels_of(probe._source(X, y, sample_weight, target="classes"), self.classes_)[1]
            request = InferenceRequest(self, source, covariance, level, weights, method, groups)
            return infer_logistic(request, base_class)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = self.solver != "liblinear"
        return tags
