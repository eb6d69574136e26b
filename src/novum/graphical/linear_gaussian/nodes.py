r"""Real-valued nodes: linear Gaussian given real parents, with its own parameters for every state of discrete ones.

    x | u, d  ~  N(b0[d] + sum_i b_i[d] u_i, v[d])                                                                  (1)
    all real nodes given d:  x = (I - B)^-1 (b0 + e),  e ~ N(0, diag v)                                              (2)
    p(t | e) = sum_d p(d | e) p(t | d, e),   p(d | e) ~ p(d | discrete e) N(real e; mean_d, cov_d)                   (3)

A discrete node has discrete parents only, so that given the discrete parents d of the real nodes everything is one Gaussian (2).
Real nodes that lead to nothing observed or queried are left out, and the states of d are enumerated, within a limit.
"""

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from novum.distributions import MixtureDistribution, MultivariateNormal, Normal
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.graphical.inference.evidence import Evidence, check_known, evidence_text, read_evidence
from novum.graphical.inference.result import Posterior, probability_words
from novum.report.numbers import num
from novum.report.result import result
from novum.runtime.checks import check_number
from novum.runtime.message_text import first_few, value_text
from novum.runtime.typing import Label

if TYPE_CHECKING:
    from novum.graphical.networks.bayesian_network import BayesianNetwork

__all__ = ["LinearGaussian", "RealPosterior", "hybrid_query"]

MOST_CASES = 1 << 20  # states of the discrete parents that are enumerated: each is a Gaussian of its own
Array = NDArray[np.float64]


class LinearGaussian:
    """A real-valued node (1).

        x | u, d  ~  N(b0[d] + sum_i b_i[d] u_i, v[d])    (1)

    Parameters
    ----------
    intercept : float, or array with an axis per discrete parent
    coefficients : mapping of real parent to float or such an array, optional
    variance : float or such an array, default=1

    Examples
    --------
    >>> from novum.graphical import BayesianNetwork, LinearGaussian
    >>> network = BayesianNetwork(
    ...     {"height": [], "weight": ["height"]},
    ...     {"height": LinearGaussian(170, variance=100), "weight": LinearGaussian(-90, {"height": 0.95}, 25)},
    ... )
    >>> network.query("height", evidence={"weight": 80})
    p(height | weight=80)        mean 177   sd 4.657        density of the evidence .02716, exact (Gaussian)
    """

    states = None

    def __init__(
        self, intercept: ArrayLike, coefficients: Mapping[Any, ArrayLike] | None = None, variance: ArrayLike = 1.0
    ) -> None:
        self.intercept = np.asarray(intercept, dtype=np.float64)
        self.coefficients = {parent: np.asarray(b, dtype=np.float64) for parent, b in (coefficients or {}).items()}
        self.variance = np.asarray(variance, dtype=np.float64)
        for name, values in chain(
            [("intercept", self.intercept), ("variance", self.variance)], self.coefficients.items()
        ):
            if not np.isfinite(values).all():
                raise ParameterError(f"LinearGaussian({name}={value_text(values)}): pass finite numbers.")
        if not (self.variance >= 0).all():
            raise ParameterError(
                f"LinearGaussian(variance={value_text(variance)}): variances must be > 0 (0: a constant, without parents)."
            )

    def placed(self, owner: str, node: Label, real: tuple[Any, ...], cards: tuple[int, ...]) -> "LinearGaussian":
        """Return the node with coefficients in the order of its real parents, and all arrays of shape `cards`."""
        if set(self.coefficients) != set(real):
            raise ParameterError(
                f"{owner}: LinearGaussian of {node!r} has coefficients for {first_few(self.coefficients) or 'nothing'}; "
                f"its real parents are {first_few(real) or 'none'}."
            )
        if not (self.variance > 0).all() and (real or cards):
            raise ParameterError(f"{owner}: LinearGaussian of {node!r} has variance zero; a constant has no parents.")
        try:
            arrays = [
                np.broadcast_to(a, cards).copy()
                for a in (self.intercept, self.variance, *(self.coefficients[p] for p in real))
            ]
        except ValueError:
            raise ParameterError(
                f"{owner}: LinearGaussian of {node!r} needs numbers, or arrays of shape {cards}: an axis per discrete parent."
            ) from None
        return LinearGaussian(arrays[0], dict(zip(real, arrays[2:], strict=True)), arrays[1])

    @property
    def n_parameters(self) -> int:
        return int(self.intercept.size * (2 + len(self.coefficients)))

    def __repr__(self) -> str:
        slopes = {parent: b.tolist() for parent, b in self.coefficients.items()}
        return f"LinearGaussian({self.intercept.tolist()}, {slopes}, {self.variance.tolist()})"


@result
class RealPosterior(NamedTuple):
    """p(variables | evidence) of real variables.

    `distribution` is a Normal, a MultivariateNormal, or a mixture of them where discrete variables are unknown.
    """

    distribution: Any
    names: tuple[Any, ...]
    given: str
    log_evidence: float  # log density of the real evidence, times the probability of the discrete one
    method: str

    @property
    def mean(self) -> Any:
        return self.distribution.mean

    @property
    def cov(self) -> Any:
        return self.distribution.var if len(self.names) == 1 else self.distribution.cov

    def to_frame(self) -> Any:
        """Return a pandas frame with mean and standard deviation of every variable."""
        import pandas as pd

        deviation = np.sqrt(np.diag(np.atleast_2d(self.cov)))
        return pd.DataFrame({"variable": self.names, "mean": np.atleast_1d(self.mean), "sd": deviation})

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.names))
        title = f"p({names} | {self.given})" if self.given else f"p({names})"
        if len(self.names) == 1:
            cells = f"mean {num(float(self.mean)):.4g}   sd {num(float(np.sqrt(self.cov))):.4g}"
        else:
            cells = "   ".join(
                f"{n}: mean {num(m):.4g} sd {num(s):.4g}"
                for n, m, s in zip(self.names, self.mean, np.sqrt(np.diag(self.cov)), strict=True)
            )
        seen = (
            f"{probability_words('density of the evidence', self.log_evidence, '')}, ".replace("  ", " ")
            if self.given
            else ""
        )
        return f"{title}        {cells}        {seen}{self.method}"


def equations(
    network: "BayesianNetwork", real: list[Any], discrete: list[Any], seen: dict[Any, int]
) -> tuple[Array, Array, Array]:
    """Return b0, B and v of (2) for every state of `discrete`: shapes (cases, k), (cases, k, k), (cases, k)."""
    cards = [len(network.states[d]) for d in discrete]
    cases = int(np.prod(cards))
    grid = dict(zip(discrete, np.unravel_index(np.arange(cases), cards) if discrete else (), strict=True))
    place = {x: i for i, x in enumerate(real)}
    b0, v = np.empty((cases, len(real))), np.empty((cases, len(real)))
    B = np.zeros((cases, len(real), len(real)))
    for x in real:
        node = network.conditionals[x]
        at = tuple(grid[d] if d in grid else seen[d] for d in network.parents[x] if d in network.states)
        b0[:, place[x]], v[:, place[x]] = node.intercept[at], node.variance[at]
        for parent, b in node.coefficients.items():
            B[:, place[x], place[parent]] = b[at]
    return b0, B, v


def moments(b0: Array, B: Array, v: Array) -> tuple[Array, Array]:
    """Return the means and covariances (2)."""
    inverse = np.linalg.inv(np.eye(b0.shape[1]) - B)
    return np.einsum("cij,cj->ci", inverse, b0), np.einsum("cij,cj,ckj->cik", inverse, v, inverse)


def log_normal(x: Array, mean: Array, cov: Array) -> Array:
    if not x.size:
        return np.zeros(len(mean))
    lower = np.linalg.cholesky(cov)
    z = np.linalg.solve(lower, (x - mean)[..., None])[..., 0]
    return (
        -0.5 * (z**2).sum(axis=-1)
        - np.log(np.diagonal(lower, axis1=-2, axis2=-1)).sum(axis=-1)
        - 0.5 * x.size * np.log(2 * np.pi)
    )


def conditional_moments(mean: Array, cov: Array, keep: list[int], seen: list[int], x: Array) -> tuple[Array, Array]:
    """Return the moments of `keep` given `seen` = x."""
    m, S = mean[:, keep], cov[:, keep][:, :, keep]
    if not seen:
        return m, S
    gain = np.linalg.solve(cov[:, seen][:, :, seen], cov[:, seen][:, :, keep])  # (cases, seen, keep)
    return m + np.einsum("csk,cs->ck", gain, x - mean[:, seen]), S - np.einsum(
        "csk,csl->ckl", gain, cov[:, seen][:, :, keep]
    )


def split_evidence(network: "BayesianNetwork", owner: str, evidence: Any) -> tuple[Evidence, dict[Any, float]]:
    """Return the evidence on discrete variables and that on real ones."""
    if evidence is not None and not isinstance(evidence, Mapping):
        raise ParameterTypeError(f"{owner}(evidence={value_text(evidence)}): pass a mapping of variable to value.")
    given = dict(evidence or {})
    for variable in given:
        check_known(owner, "evidence", variable, network.parents)
    real = {x: check_number(owner, f"evidence[{x!r}]", value) for x, value in given.items() if x not in network.states}
    for x in [x for x in real if network.is_constant(x)]:
        if real.pop(x) != float(network.conditionals[x].intercept):
            raise DataError(
                f"{owner}: {x!r} was set to {float(network.conditionals[x].intercept):g}, not to {given[x]!r}."
            )
    return read_evidence(owner, {v: s for v, s in given.items() if v in network.states}, network.states), real


class Weighed(NamedTuple):
    """The Gaussians of (3), one for every state of the discrete parents, and their weights."""

    log_evidence: float
    weight: Array  # (cases, states of the further discrete variables queried)
    cards: list[int]
    axes: list[Any]  # discrete variables: the parents, then those queried
    real: list[Any]
    mean: Array
    cov: Array


def weigh_states(
    network: "BayesianNetwork",
    owner: str,
    names: tuple[Any, ...],
    seen: Evidence,
    values: dict[Any, float],
    limit: float,
) -> Weighed:
    """Return p(d | e) of (3), with the Gaussians."""
    place = {v: i for i, v in enumerate(network.states)}
    queried = [x for x in names if x not in network.states]
    needed = set(chain.from_iterable(({x} | network.dag.ancestors(x)) for x in (*queried, *values)))
    real = [x for x in network.dag.order if x in needed and x not in network.states]
    fixed = {v: seen.hard[i] for v, i in place.items() if i in seen.hard}
    discrete = [v for v in network.states if v not in fixed and any(v in network.parents[x] for x in real)]
    axes = [*discrete, *(v for v in names if v in network.states and v not in discrete)]
    cards = [len(network.states[v]) for v in axes]
    cases = float(np.prod([float(c) for c in cards]))
    if cases > MOST_CASES:
        raise MemoryError(
            f"{owner}: {num(cases):.3g} states of {first_few(axes)} would have to be enumerated; observe some of them."
        )
    targets = [[place[v] for v in axes]] if axes else []
    log, prior = 0.0, np.ones((1, 1))
    if network.states:
        tables, logs = network._engine().marginals(seen.observed, seen.row, targets, seen.soft, limit)
        log = float(logs[0])
        if tables:
            prior = tables[0][0].reshape(int(np.prod(cards[: len(discrete)])), -1)
    mean, cov = moments(*equations(network, real, discrete, fixed))
    spots = [real.index(x) for x in values]
    fit = log_normal(np.array(list(values.values())), mean[:, spots], cov[:, spots][:, :, spots])
    if log == -np.inf:
        return Weighed(log, prior, cards, axes, real, mean, cov)
    with np.errstate(divide="ignore"):
        weight = np.log(prior) + fit[:, None]
    total = float(logsumexp(weight))
    return Weighed(log + total, np.exp(weight - total), cards, axes, real, mean, cov)


def hybrid_query(
    network: "BayesianNetwork", owner: str, names: tuple[Any, ...], evidence: Any, limit: float
) -> Posterior | RealPosterior:
    """Return (3): a Posterior of discrete variables, or a RealPosterior of real ones."""
    seen, values = split_evidence(network, owner, evidence)
    queried = [x for x in names if x not in network.states]
    if queried and len(queried) < len(names):
        raise ParameterError(
            f"{owner}: ask for discrete or for real variables, not for both at once: {first_few(names)}."
        )
    for name in names:
        if name in (evidence or {}) and (name in values or name in network.states):
            raise ParameterError(
                f"{owner}(variables={name!r}): {name!r} is among the evidence; ask for another variable."
            )
        if network.is_constant(name):
            raise ParameterError(f"{owner}(variables={name!r}): {name!r} was set; ask for another variable.")
    found = weigh_states(network, owner, names, seen, values, limit)
    given = evidence_text(evidence)
    if found.log_evidence == -np.inf:
        raise DataError(f"{owner}: the evidence {given} has probability zero; no posterior exists.")
    if not queried:
        joint = found.weight.reshape(found.cards)
        summed = joint.sum(axis=tuple(i for i, v in enumerate(found.axes) if v not in names))
        kept = [v for v in found.axes if v in names]
        p = np.transpose(summed, [kept.index(v) for v in names])
        return Posterior(p, names, network.states, given, found.log_evidence, "exact (conditional Gaussian)")
    keep, spots = [found.real.index(t) for t in queried], [found.real.index(x) for x in values]
    m, S = conditional_moments(found.mean, found.cov, keep, spots, np.array(list(values.values())))
    p = found.weight.sum(axis=1)
    parts = np.flatnonzero(p > 0)
    posterior: Any
    if len(parts) == 1:
        one = parts[0]
        posterior = (
            Normal(float(m[one, 0]), float(S[one, 0, 0])) if len(queried) == 1 else MultivariateNormal(m[one], S[one])
        )
    else:
        each = Normal(m[parts, 0], S[parts, 0, 0]) if len(queried) == 1 else MultivariateNormal(m[parts], S[parts])
        posterior = MixtureDistribution(p[parts] / p[parts].sum(), each)
    method = "exact (Gaussian)" if len(parts) == 1 else f"exact (mixture of {len(parts)} Gaussians)"
    return RealPosterior(posterior, names, given, found.log_evidence, method)
