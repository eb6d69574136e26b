r"""Principal component analysis: the orthogonal axes along which the data vary most.

With m the weighted mean of the rows and W the sum of their weights,

    C = sum_i w_i (x_i - m)(x_i - m)' / (W - 1)                                                    (1)
    C v_j = lambda_j v_j,   lambda_1 >= lambda_2 >= ...,   |v_j| = 1                               (2)
    scores z = V (x - m),   reconstruction x~ = m + V'z,   rows of V: v_1, ..., v_k                (3)
    sum_i w_i |x_i - x~_i|^2 / (W - 1) = sum_{j>k} lambda_j                                        (4)
    whitened scores z_j / sqrt(lambda_j): uncorrelated, of variance one                            (5)
    share of the variance  lambda_j / sum_i lambda_i                                               (6)

Each v_j has the sign that makes its entry of largest size positive. Routes to (2): novum.decomposition.spectrum (7), (8) and
krylov (9), (10); the number of components: dimension (11), (12). Derivations: docs/theory/pca.md.
"""

import numbers
from typing import Any, Literal, Self

import numpy as np

from novum.base.domains import Bool, Choice, Domain, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.decomposition.dimension import components_for_share, log_evidence
from novum.decomposition.krylov import by_lanczos, by_passes
from novum.decomposition.spectrum import Spectrum, by_factor, exact
from novum.decomposition.subspace import PrincipalAxes
from novum.exceptions import ParameterError, ParameterTypeError
from novum.fold.blocks import Source
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Seed, Target

__all__ = ["PCA"]

GRAM_SIDE = 2048  # up to here (32 MB) products of columns or rows with each other are cheaper than ARPACK's passes
LARGE_SIDE = 600  # shorter side from which a few axes by passes can be cheaper than all of C
AUTO_PASSES = {True: 5, False: 4}  # passes of "randomized" for few components, for many; see (9)
MANY = 0.1  # share of the axes from which components are many
EIGEN_COST = 10.0  # operations of an eigendecomposition per entry cubed, in those of a product
WORTH = 3.0  # how much cheaper passes must be, since they are not exact


def passes_for(iterated_power: Any, k: int, side: int) -> int:
    """Return the passes of the solver "randomized"."""
    return AUTO_PASSES[k < MANY * side] if iterated_power == "auto" else int(iterated_power) + 1


def passes_pay(n: int, p: int, width: int, passes: int) -> bool:
    """Return whether passes with `width` columns are much cheaper than the products of all columns."""
    side = min(n, p)
    exact = float(n) * p * side + EIGEN_COST * float(side) ** 3
    return side > LARGE_SIDE and WORTH * passes * 4.0 * n * p * width < exact


def weighted_row_count(source: Source) -> int | None:
    """Return the number of rows, each as often as its weight says; None where only a pass can tell."""
    weight = getattr(source, "weight", None)
    if source.n_rows is None or not source.lists_rows:
        return None
    return source.n_rows if weight is None else int(np.ceil(float(weight.sum())))


class PCA(PrincipalAxes):
    """Principal component analysis.

    Parameters
    ----------
    n_components : int, float, "mle" or None, default=None
        How many to keep: a number; the fewest that explain more than a share of the variance; by the evidence of
        Minka's (2000) method; or all, min(n_samples, n_features).
    copy : bool, default=True
        For scikit-learn's sake: X is neither copied nor changed.
    whiten : bool, default=False
        Divide every score by its standard deviation.
    svd_solver : {"auto", "full", "covariance_eigh", "arpack", "randomized"}, default="auto"
        "full" keeps the digits of the smallest singular values (orthogonal factors); "covariance_eigh" takes the
        eigenvectors of the covariance, or of the products of the rows where they are fewer than the columns;
        "randomized" builds a few axes from a few passes; "arpack" is exact by any of the first two where the shorter
        side is at most 2048, else Lanczos iterations. "auto" takes the cheapest, and "full" where squares would cost
        digits. Sparse data take "auto", "arpack" or "covariance_eigh" and are centred implicitly.
    tol : float, default=0.0
        Relative accuracy of the eigenvalues of ARPACK; 0 stands for that of the machine.
    iterated_power : int or "auto", default="auto"
        Passes of "randomized" beyond the first.
    n_oversamples : int, default=10
        Columns that "randomized" uses beyond n_components.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        For scikit-learn's sake: the basis of "randomized" is always orthonormal.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        For "randomized" and Lanczos iterations.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        Axes in falling order of variance; the entry of largest size of each is positive.
    explained_variance_, explained_variance_ratio_, singular_values_ : array of shape (n_components,)
        lambda_j, its share of the whole variance, and sqrt(lambda_j (W - 1)).
    mean_ : array of shape (n_features,)
    n_components_ : int
    n_samples_ : int or float
        Rows, or the sum of their weights.
    noise_variance_ : float
        Mean of the variances that were left out: the noise of probabilistic PCA.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.decomposition import PCA
    >>> X = np.array([[2.0, 0], [0, 2], [3, 3], [-1, -1], [1, 1]])
    >>> model = PCA(n_components=1).fit(X)
    >>> model.components_.round(4), model.explained_variance_ratio_.round(4)
    (array([[0.7071, 0.7071]]), array([0.8]))
    >>> model.transform(X).round(4).ravel()
    array([ 0.    ,  0.    ,  2.8284, -2.8284,  0.    ])
    >>> round(model.reconstruction_error(X), 10)
    0.8
    """

    _domains: dict[str, Domain] = {
        "n_components": Int(0) | Real(0, 1, open="both") | Choice("mle") | Null(),
        "copy": Bool(),
        "whiten": Bool(),
        "svd_solver": Choice("auto", "full", "covariance_eigh", "arpack", "randomized"),
        "tol": Real(0),
        "iterated_power": Choice("auto") | Int(0),
        "n_oversamples": Int(1),
        "power_iteration_normalizer": Choice("auto", "QR", "LU", "none"),
        "random_state": RandomState(),
    }
    n_samples_: float

    def __init__(
        self,
        n_components: float | Literal["mle"] | None = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: Literal["auto", "full", "covariance_eigh", "arpack", "randomized"] = "auto",
        tol: float = 0.0,
        iterated_power: Literal["auto"] | int = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = "auto",
        random_state: Seed = None,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        solver = self._checked_solver(arrays.is_sparse(X))
        source = self._source(X, None, sample_weight, defer=True)  # sums of squares show NaN and infinity
        n, p = source.n_rows, source.n_features
        k = self._checked_components(weighted_row_count(source), p, solver)
        side = p if n is None else min(n, p)
        top = min(int(k), side) if isinstance(k, numbers.Integral) else side
        self._fit_svd_solver, found = self._solve(source, solver, k, top)
        if weighted_row_count(source) is None:
            k = self._checked_components(int(np.ceil(found.weight)), p, solver)
        self.n_samples_ = int(found.weight) if float(found.weight).is_integer() else float(found.weight)
        self._keep(found, self._components(k, found), source.dtype)
        return self

    def _checked_solver(self, sparse: bool) -> str:
        """Return the solver requested; the words are scikit-learn's."""
        if not sparse:
            return self.svd_solver
        if self.svd_solver not in ("auto", "arpack", "covariance_eigh"):
            raise ParameterTypeError(
                'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, while'
                f' "{self.svd_solver}" was passed. Leave svd_solver="auto", or make X dense.'
            )
        return "arpack" if self.svd_solver == "auto" else self.svd_solver

    def _checked_components(self, n: int | None, p: int, solver: str) -> Any:
        """Return n_components after the checks that need the shape, None replaced by its number."""
        k, name = self.n_components, "full" if solver == "auto" else solver
        side = p if n is None else min(n, p)
        if k is None:
            return side if solver != "arpack" else max(side - 1, min(side, 1))
        partial = solver in ("arpack", "randomized")
        if k == "mle":
            if partial:
                raise ParameterError(
                    f"n_components='mle' cannot be a string with svd_solver='{solver}'; PCA needs all eigenvalues for it:"
                    f" use 'full' or 'auto'."
                )
            if n is not None and n < p:
                raise ParameterError(
                    f"n_components='mle' is only supported if n_samples >= n_features; PCA got {n} rows of {p} columns."
                    f" Give a number or a share."
                )
        elif isinstance(k, str) or not int(partial) <= k <= side or (partial and not isinstance(k, numbers.Integral)):
            raise ParameterError(
                f"n_components={k!r} must be between {int(partial)} and min(n_samples, n_features)={side} with"
                f" svd_solver='{name}' in PCA."
            )
        elif solver == "arpack" and k == side:
            raise ParameterError(
                f"n_components={k!r} must be strictly less than min(n_samples, n_features)={side} with"
                f" svd_solver='{solver}' in PCA; 'full' finds all."
            )
        return k

    def _solve(self, source: Source, solver: str, k: Any, top: int) -> tuple[str, Spectrum]:
        """Return the solver that ran, and `top` axes or more."""
        n, p = source.n_rows, source.n_features
        side = p if n is None else min(n, p)
        width = min(side, top + self.n_oversamples)
        passes = passes_for(self.iterated_power, top, side)
        few = solver == "auto" and isinstance(k, numbers.Integral) and top > 0
        if solver == "randomized" or (few and n is not None and passes_pay(n, p, width, passes)):
            found = by_passes(source, top, width=width, passes=passes, random_state=self.random_state, limit=side)
            return "randomized", found
        if solver == "arpack" and (side > GRAM_SIDE or (source.sparse and p > GRAM_SIDE)):
            return "arpack", by_lanczos(source, top, tol=self.tol, random_state=self.random_state)
        if solver == "full" or (solver == "auto" and k == "mle"):
            return "full", by_factor(source, top)
        name, found = exact(source, top, squares=solver == "covariance_eigh")
        return name if solver == "auto" else solver, found

    def _components(self, k: Any, found: Spectrum) -> int | np.int64:
        """Return the number of components to keep; NumPy's where it is found in the data, as in scikit-learn."""
        values = found.singular**2 / max(found.weight - 1, np.finfo(float).tiny)
        if k == "mle":
            return np.int64(np.argmax(log_evidence(values, found.weight)) + 1 if len(values) > 1 else 1)
        if isinstance(k, numbers.Integral):
            return int(k)
        total = values.sum() if found.weight <= 1 else found.total / (found.weight - 1)
        return np.int64(min(components_for_share(values / total, float(k)) if total > 0 else 1, len(values)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.svd_solver in ("auto", "arpack", "covariance_eigh")
        return tags
