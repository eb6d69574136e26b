r"""Mixtures of any distributions, mixed families too, by one expectation-maximisation through their common protocol.

    p(x) = sum_k weight[k] p_k(x)                                                                  (1)
    r[n,k] = weight[k] p_k(x[n]) / p(x[n])                                                         (2)
    weight = sum w r / sum w,   p_k = p_k.from_statistics(p_k.statistics(x, w r[:, k]))            (3)

A component is a distribution of vectors, or a distribution of numbers: of the one column there is, or a batch with one for
every column, which are then independent. There a missing cell drops out of the product, and of the statistics of its column.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.callbacks import reporting
from novum.base.domains import ArrayLike, Bool, Domain, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.distributions import Distribution, Normal
from novum.distributions.learning.table_columns import (
    component_inside,
    component_log_prob,
    component_statistics,
    is_vector,
)
from novum.engines.gaussians.tensors import LOWEST, log_sum
from novum.engines.kmeans import assignment
from novum.engines.kmeans.centers import centers_of
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.fold.blocks import Block, Source
from novum.mixture.base import (
    LikelihoodCriteria,
    MixtureBase,
    Query,
    label_of_block,
    posterior_of_block,
    total_of_block,
)
from novum.mixture.em import Solved, best_run, work_blocks
from novum.mixture.gaussian_em import checked_weights
from novum.mixture.start import filled_source
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["Mixture"]

FLOPS_PER_LOG_DENSITY = 64  # of a column: what a block's work is reckoned with
LEAST = 1e-300  # in place of a weight of zero in its logarithm


class Params(NamedTuple):
    weights: NDArray  # (k,)
    components: tuple  # of Distributions


class ComponentSums(NamedTuple):
    mass: NDArray  # (k,)
    parts: tuple  # statistics of every component
    log_likelihood: float
    weight: float


class Assigned(NamedTuple):
    centers: NDArray  # (k, d)
    components: tuple


def check_rows(components: tuple, X: Any) -> None:
    """Raise for missing cells under a distribution of vectors, which cannot leave a cell out."""
    if any(map(is_vector, components)) and bool((X != X).any()):
        name = next(type(c).__name__ for c in components if is_vector(c))
        raise DataError(
            f"Input X contains NaN. Mixture: {name} takes whole rows; GaussianMixture integrates missing cells out."
        )


def joint(params: Params, block: Block) -> Any:
    """Return log weight + log p_k(x)."""
    check_rows(params.components, block.X)
    X = arrays.double(block.X)
    logs = np.log(np.maximum(params.weights, LEAST))
    values = [
        (component_log_prob(component, X) + float(log))[:, None] for component, log in zip(params.components, logs)
    ]
    return arrays.concat(values)


def check_possible(params: Params, total: Any, block: Block) -> None:
    """Raise for a row that no component can have produced; rows without weight may be anything."""
    impossible = ~(total > LOWEST)
    if block.weight is not None:
        impossible &= block.weight > 0
    if not bool(impossible.any()):
        return
    place = int(arrays.to_numpy(impossible).argmax())
    names = ", ".join(dict.fromkeys(type(one).__name__ for one in params.components))
    raise DataError(
        f"Mixture: no component can have produced row {block.start + place}, {arrays.to_numpy(block.X[place])}: its density"
        f" is zero under all of {names}. Add a component whose support has it, or remove the row."
    )


def possible_joint(params: Params, block: Block) -> Any:
    """Return `joint` of rows that belong to some component."""
    scores = joint(params, block)
    check_possible(params, log_sum(scores), block)
    return scores


def posterior_of_possible(query: Query, block: Block) -> Any:
    """Return (2); a row outside every support has none."""
    return posterior_of_block(query._replace(joint=possible_joint), block)


def label_of_possible(query: Query, block: Block) -> Any:
    """Return the most probable component; a row outside every support has none."""
    return label_of_block(query._replace(joint=possible_joint), block)


def present(block: Block) -> Block:
    """Return the rows that have weight."""
    if block.weight is None:
        return block
    used = block.weight > 0
    return Block(block.X[used], None, block.weight[used], block.start)


def pass_of(params: Params, block: Block) -> ComponentSums:
    """Return the statistics of (3) for one block."""
    given, block = block, present(block)
    scores = joint(params, block)
    total = log_sum(scores)
    if not bool((total > LOWEST).all()):
        possible_joint(params, given)  # counts all rows, so that the message names the row as the user knows it
    r = arrays.exp(scores - total[:, None])
    r = r if block.weight is None else r * block.weight[:, None]
    likelihood = total.sum() if block.weight is None else block.weight @ total
    X = arrays.double(block.X)
    parts = tuple(component_statistics(one, X, r[:, j]) for j, one in enumerate(params.components))
    weight = float(block.rows if block.weight is None else block.weight.sum())
    return ComponentSums(arrays.to_numpy(r.sum(0)), parts, float(likelihood), weight)


def assigned_pass(params: Assigned, block: Block) -> ComponentSums:
    """Return the statistics of one block with every row at its nearest center."""
    block = present(block)
    which = arrays.to_numpy(assignment.nearest(params.centers, block))
    X = arrays.double(block.X)
    weight = np.ones(block.rows) if block.weight is None else arrays.to_numpy(block.weight)
    member = (which[:, None] == np.arange(len(params.centers))) * weight[:, None]
    shares = arrays.like(X, member, "float64")
    parts = tuple(
        component_statistics(one, X, shares[:, j] * component_inside(one, X)) for j, one in enumerate(params.components)
    )
    return ComponentSums(member.sum(0), parts, 0.0, float(weight.sum()))


def merge(a: ComponentSums, b: ComponentSums) -> ComponentSums:
    """Return the sums of two portions of data."""
    parts = tuple(type(x)(*(u + v for u, v in zip(x, y))) for x, y in zip(a.parts, b.parts))
    return ComponentSums(a.mass + b.mass, parts, a.log_likelihood + b.log_likelihood, a.weight + b.weight)


def update_component(component: Distribution, statistics: Any) -> Distribution:
    """Return the component that statistics give; one that they would degenerate (equal rows, no variance) stays as it is.

    To stay is a step that does not lower the expected log-likelihood, so the likelihood still never falls.
    """
    try:
        return component.from_statistics(statistics)
    except DataError:
        return component


def maximize(params: Params, sums: ComponentSums) -> Solved:
    """Return (3), and the mean log-likelihood of the parameters that entered."""
    bound = sums.log_likelihood / sums.weight
    components = tuple(update_component(one, part) for one, part in zip(params.components, sums.parts))
    return Solved(Params(sums.mass / sums.mass.sum(), components), bound, bound)


def check_component(component: Any, d: int) -> None:
    """Raise unless a component can have d columns as an outcome."""
    shape = component.event_shape or component.batch_shape
    wrong = component.event_shape and component.batch_shape
    if wrong or (shape != (d,) and not (shape == () and d == 1)):
        raise ParameterError(
            f"Mixture(components=...): {component!r} has batch_shape {component.batch_shape} and event_shape"
            f" {component.event_shape}; rows have {d} column(s). Give a distribution of vectors of that length, or a batch of"
            " that length of distributions of numbers."
        )


class Mixture(LikelihoodCriteria, MixtureBase):
    """Mixture of any distributions.

    Parameters
    ----------
    components : sequence of distributions or of their classes, default=None
        An object of `novum.distributions` is a component with its starting parameters; a class is one that starts at a cluster
        of k-means. Families may be mixed. None is two `Normal`.
    weights_init : array-like of shape (n_components,), default=None
        None starts with equal weights, or with the shares of the clusters.
    tol : float, default=1e-3
        Stop when the mean log-likelihood changes by less.
    max_iter : int, default=100
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    verbose : int or bool, default=0
        Whether to log every pass, to the logger "novum".

    Attributes
    ----------
    weights_ : array of shape (n_components,)
    components_ : list of distributions
    converged_ : bool
    n_iter_ : int
    lower_bound_, lower_bounds_ : float, list of float
        Mean log-likelihood of the parameters that entered the last pass, and every pass.
    history_ : History
        The same; it never falls.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.distributions import Poisson
    >>> from novum.mixture import Mixture
    >>> X = np.array([[0], [1], [2], [1], [9], [11], [10], [12]])
    >>> model = Mixture([Poisson(1.0), Poisson(8.0)], tol=1e-9).fit(X)
    >>> [float(component.rate.round(3)) for component in model.components_]
    [0.998, 10.478]
    """

    _functions = (total_of_block, posterior_of_possible, label_of_possible)
    _domains: dict[str, Domain] = {
        "components": ArrayLike() | Null(),
        "weights_init": ArrayLike() | Null(),
        "tol": Real(0),
        "max_iter": Int(1),
        "random_state": RandomState(),
        "verbose": Int(0) | Bool(),
    }
    weights_: np.ndarray
    components_: list[Any]

    def __init__(
        self,
        components: Sequence[Distribution | type[Distribution]] | None = None,
        *,
        weights_init: Numbers | None = None,
        tol: float = 1e-3,
        max_iter: int = 100,
        random_state: Seed = None,
        verbose: int | bool = 0,
    ) -> None:
        self.components = components
        self.weights_init = weights_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the parameters.

        Cells may be missing (NaN) where components are distributions of numbers.
        sample_weight: a weight counts as repetition; zero leaves a row out.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        given = (Normal, Normal) if self.components is None else tuple(self.components)
        source = self._source(X, None, sample_weight)
        source = work_blocks(source, len(given) * source.n_features * FLOPS_PER_LOG_DENSITY)
        start = self._start(given, source)
        options: dict[str, Any] = {"X": X, "sample_weight": sample_weight}
        with reporting(
            self, self.max_iter, attributes=lambda params: fitted_attributes(params, source.dtype), **options
        ) as report:
            best = best_run(
                [lambda: start],
                source,
                pass_of,
                maximize,
                merge=merge,
                tol=self.tol,
                max_iter=self.max_iter,
                report=report,
                log_every=1 if self.verbose else 0,
                owner="Mixture",
            )
        self._learn(best, fitted_attributes(best.params, source.dtype))
        return self

    def _start(self, given: tuple, source: Source) -> Params:
        """Return the parameters to begin with; classes become distributions of the clusters of k-means."""
        k, d = len(given), source.n_features
        classes = [isinstance(one, type) and issubclass(one, Distribution) for one in given]
        if not k or not all(isinstance(one, Distribution) or known for one, known in zip(given, classes)):
            raise ParameterTypeError(
                "The 'components' parameter of Mixture must be a sequence of distributions of novum.distributions, or of their"
                f" classes. Got {self.components!r} instead."
            )
        weights = np.full(k, 1 / k) if self.weights_init is None else checked_weights(self.weights_init, k)
        if any(classes):
            filled = filled_source(source)
            first = filled.first()
            rows = arrays.to_numpy(present(first).X).astype(np.float64)
            whole = tuple(one._start(rows, None) if known else one for one, known in zip(given, classes))
            for component in whole:
                check_component(component, d)
            seed = int(Stream(seed_of(self.random_state)).integers("mixture k-means", 0, 1, 2**31)[0])
            centers = centers_of(filled, k, seed, "Mixture")
            sums = filled.total(assigned_pass, Assigned(centers, whole), merge)
            found = maximize(Params(weights, whole), sums).params
            given = tuple(new if known else old for new, old, known in zip(found.components, given, classes))
            weights = found.weights if self.weights_init is None else weights
        for component in given:
            check_component(component, d)
        return Params(weights, given)

    def _query(self) -> Query:
        return Query(joint, Params(np.asarray(self.weights_, np.float64), tuple(self.components_)))

    def _n_parameters(self) -> int:
        """Return the number of free parameters."""
        own = (one.n_parameters * (1 if is_vector(one) else one._columns()) for one in self.components_)
        return len(self.components_) - 1 + sum(own)

    def sample(self, n_samples: int = 1) -> Any:
        """Draw rows; returns them and the component of each, component by component."""
        rng, counts = self._counts(n_samples)
        parts = [
            one.sample(int(count), random_state=rng).reshape(int(count), self.n_features_in_)
            for one, count in zip(self.components_, counts)
        ]
        return np.vstack(parts), np.repeat(np.arange(len(counts)), counts)


def fitted_attributes(params: Params, dtype: np.dtype) -> dict[str, Any]:
    """Return the fitted attributes."""
    return {"weights_": params.weights.astype(dtype), "components_": list(params.components)}
