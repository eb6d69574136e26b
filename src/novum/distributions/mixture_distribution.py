r"""A mixture of distributions: what is left of a model with a latent variable when that is summed or integrated out.

    p(x) = sum_z p(z) p(x | z)      or      p(x) = integral of p(z) p(x | z) dz                    (1)
    p(z | x) = p(z) p(x | z) / p(x)                                                                (2)
    E[x] = sum_z p(z) m_z,     Cov[x] = sum_z p(z) (C_z + m_z m_z') - E[x] E[x]'                    (3)

A continuous latent variable becomes a fine mixture: Gauss-Legendre nodes over its line for numbers, draws for vectors. Mixtures are
learned in `novum.mixture`; this is the distribution itself.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from novum.distributions.base import Distribution, Support, cuts
from novum.distributions.numerics import quadrature
from novum.distributions.numerics.draws import smallest_at_least
from novum.distributions.parameters import simplex
from novum.exceptions import ParameterError
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Seed

__all__ = ["MixtureDistribution"]

NEGLIGIBLE = 1e-18  # mass of a node that no double would feel
BISECTIONS = 200
DRAWS = 4096  # of a latent vector
FEW = 64  # components up to which all of them are drawn and one is chosen
AT_ONCE = 2**20  # rows that are drawn as one batch


class MixtureDistribution(Distribution):
    """A weighted mixture of components.

    Parameters
    ----------
    weights : array of shape (k,)
        Probabilities of the components.
    components : Distribution with batch_shape (k,), or list of k distributions
        Over the same outcomes; a list may mix families.

    Examples
    --------
    >>> from novum.distributions import Gamma, MixtureDistribution, Normal, StudentT
    >>> two = MixtureDistribution([0.3, 0.7], Normal([-1.0, 2.0], [1.0, 0.25]))
    >>> round(float(two.mean), 12), round(float(two.var), 12)
    (1.1, 2.365)
    >>> two.posterior(0.0).round(4)  # of the component, given x
    array([0.9974, 0.0026])
    >>> t = MixtureDistribution.from_latent(Gamma(1.5, 2.0), lambda tau: Normal(0.3, 1 / tau))
    >>> float(t.prob(1.4).round(6)), float(StudentT(3.0, 0.3, (2 / 1.5) ** 0.5).prob(1.4).round(6))
    (0.187627, 0.187627)
    """

    def __init__(self, weights: Numbers, components: Distribution | Sequence[Distribution]) -> None:
        p = simplex("MixtureDistribution", "weights", weights)
        if isinstance(components, Distribution):
            count, parts = components.batch_shape, [components]
        else:
            parts = list(components)
            count = (len(parts),)
        if p.ndim != 1 or count != p.shape:
            raise ParameterError(
                f"MixtureDistribution: weights have shape {p.shape}, components {count}; give k weights and k components."
            )
        if not all(isinstance(part, Distribution) for part in parts):
            raise ParameterError("MixtureDistribution(components=...): components must be distributions.")
        events = {part.event_shape for part in parts}
        if len(events) > 1 or (not isinstance(components, Distribution) and any(part.batch_shape for part in parts)):
            raise ParameterError(
                "MixtureDistribution(components=...): a list must hold single distributions over outcomes of one shape."
            )
        if len({part.support.continuous for part in parts}) > 1:
            kinds = ", ".join(
                f"{type(p).__name__} ({'a density' if p.support.continuous else 'probabilities'})" for p in parts
            )
            raise ParameterError(
                f"MixtureDistribution(components=...): {kinds}: densities and probabilities cannot be added; give components that"
                " are all continuous, or all discrete."
            )
        self._set(parts[0].event_shape)
        p.flags.writeable = False
        self.__dict__.update(weights=p, components=components if isinstance(components, Distribution) else tuple(parts))

    weights: NDArray
    components: Any

    @classmethod
    def from_latent(
        cls, latent: Distribution, conditional: Callable[[NDArray], Distribution], random_state: Seed = None
    ) -> "MixtureDistribution":
        """Return (1): the distribution of x when z follows `latent` and x given z follows `conditional(z)`.

            p(x) = sum_z p(z) p(x | z)   or   p(x) = integral of p(z) p(x | z) dz    (1)

        Parameters
        ----------
        latent : Distribution
            Of a number (summed over its table, or integrated) or of a vector (averaged over 4096 draws).
        conditional : callable
            Takes an array of k values of z (k outcomes along the first axis), returns a distribution with batch_shape (k,).
        random_state : None, int, Generator, RandomState or SeedSequence
            For a latent vector.
        """
        if latent.batch_shape:
            raise ParameterError("MixtureDistribution.from_latent: latent must be one distribution; index the batch.")
        if latent.event_shape:
            z = latent.sample(DRAWS, random_state)
            return cls(np.full(DRAWS, 1 / DRAWS), conditional(z))
        kind = latent.support.kind
        if kind == "reals":
            line, points = quadrature.line_of(latent)
            cells = quadrature.integrate(latent.prob, line, points)
            t, weight = quadrature.nodes_of(cells.left, cells.right)
            z, slope = quadrature.map_to_line(line, t)
            mass = (latent.prob(z) * slope * weight).ravel()
        else:
            z = quadrature.outcomes_of(latent)
            mass = latent.prob(z)
        keep = mass > NEGLIGIBLE * mass.sum()
        return cls(mass[keep] / mass[keep].sum(), conditional(z.ravel()[keep]))

    def __repr__(self) -> str:
        weights = np.array2string(self.weights, separator=", ", threshold=8)
        return f"MixtureDistribution(weights={weights}, components={self.components!r})"

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, MixtureDistribution):
            return NotImplemented
        return np.array_equal(self.weights, other.weights) and self.components == other.components

    def __hash__(self) -> int:
        return hash((self.weights.tobytes(), self.components))

    @property
    def _constants(self) -> tuple:
        return ()

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        raise NotImplementedError  # log_prob calls the components

    def _each(self, name: str, *arguments: Any) -> Any:
        """Return a method or property of every component, along the first axis."""
        parts = [self.components] if isinstance(self.components, Distribution) else self.components
        found = [getattr(part, name)(*arguments) if arguments else getattr(part, name) for part in parts]
        return np.asarray(found[0]) if isinstance(self.components, Distribution) else np.stack(found)

    def joint(self, x: Any) -> Any:
        """Return log p(z) + log p(x | z), the components along the last axis."""
        if isinstance(self.components, Distribution):
            x = x if arrays.is_tensor(x) else np.asarray(x)
            place = x.ndim - len(self.event_shape)
            value = self.components.log_prob(x.reshape((*x.shape[:place], 1, *x.shape[place:])))
        elif arrays.is_tensor(x):
            import torch

            value = torch.stack([part.log_prob(x) for part in self.components], dim=-1)
        else:
            value = np.stack([part.log_prob(x) for part in self.components], axis=-1)
        with np.errstate(divide="ignore"):
            return value + arrays.like(value, np.log(self.weights), "float64")

    def log_prob(self, x: Numbers) -> Any:
        """Return log p(x) of (1).

        p(x) = sum_z p(z) p(x | z)   or   p(x) = integral of p(z) p(x | z) dz    (1)
        """
        joint = self.joint(x)
        return joint.logsumexp(-1) if arrays.is_tensor(joint) else logsumexp(joint, axis=-1)

    def posterior(self, x: Numbers) -> Any:
        """Return p(z | x) of (2), the components along the last axis.

        p(z | x) = p(z) p(x | z) / p(x)    (2)
        """
        joint = self.joint(x)
        if arrays.is_tensor(joint):
            return joint.softmax(-1)
        top = np.where(np.isfinite(top := joint.max(axis=-1, keepdims=True)), top, 0.0)
        power = np.exp(joint - top)
        with np.errstate(invalid="ignore"):
            return power / power.sum(axis=-1, keepdims=True)

    def _draw(self, stream: Any, count: Any) -> Any:
        cumulative = np.cumsum(self.weights)
        cumulative /= cumulative[-1]
        code = smallest_at_least(cumulative, 1 - stream.uniform("mixture", 0, count))
        if not isinstance(self.components, Distribution):
            parts = np.stack([part._draw(stream, count) for part in self.components], axis=1)
        elif self.weights.size <= FEW:
            parts = self.components._draw(stream, count)
        else:  # one draw of a batch that is the chosen component of every row
            cuts = range(0, count, AT_ONCE)
            streams = [Stream(seed_of(np.random.SeedSequence([stream.seed, start]))) for start in cuts]
            drawn = [
                self.components[code[start : start + AT_ONCE]]._draw(own, 1)[0] for start, own in zip(cuts, streams)
            ]
            return np.concatenate(drawn) if drawn else self.components._draw(stream, 0)[:, 0]
        return parts[np.arange(count), code]

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        self._scalar("cdf")
        if isinstance(self.components, Distribution):
            return self.components.cdf(np.asarray(x)[..., None]) @ self.weights  # type: ignore[attr-defined]
        return sum(w * part.cdf(x) for w, part in zip(self.weights, self.components))

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        self._scalar("sf")
        if isinstance(self.components, Distribution):
            return self.components.sf(np.asarray(x)[..., None]) @ self.weights  # type: ignore[attr-defined]
        return sum(w * part.sf(x) for w, part in zip(self.weights, self.components))

    def _log_tail(self, name: str, x: Any) -> Any:
        self._scalar(name)
        if isinstance(self.components, Distribution):
            each = getattr(self.components, name)(np.asarray(x, np.float64)[..., None])
        else:
            each = np.stack([getattr(part, name)(x) for part in self.components], axis=-1)
        with np.errstate(divide="ignore"):
            return np.minimum(logsumexp(each + np.log(self.weights), axis=-1), 0.0)

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        return self._log_tail("log_cdf", x)

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        return self._log_tail("log_sf", x)

    def quantile(self, q: Numbers) -> Any:
        """Return the least x with P(X <= x) >= q, by bisection between the quantiles of the components."""
        return self._inverse("quantile", q, lambda x, q: self.cdf(x) < q)

    def isf(self, q: Numbers) -> Any:
        """Return the least x with P(X > x) <= q, by bisection between those of the components."""
        return self._inverse("isf", q, lambda x, q: self.sf(x) > q)

    def _inverse(self, name: str, q: Any, before: Callable) -> Any:
        """Return the first place that is not `before` q, between the inverses of the components."""
        self._scalar(name)
        q = np.asarray(q, np.float64)
        each = np.stack([getattr(part, name)(q) for part in self.components], axis=0)
        low, high = each.min(axis=0), each.max(axis=0)
        if self.support.kind != "reals":
            low, high = np.floor(low) - 1, np.ceil(high)
        with np.errstate(invalid="ignore"):
            for _ in range(BISECTIONS):
                middle = np.where(np.isfinite(low + high), low + 0.5 * (high - low), low)
                middle = np.floor(middle) if self.support.kind != "reals" else middle
                below = before(middle, q)
                low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.where((q >= 0) & (q <= 1), high, np.nan)[()]

    def _expect(self, function: Any, bends: Any) -> float:
        """Return E[f(x)]: the mean over components of few, so that each is integrated where its own mass is."""
        self._scalar("expect")
        used = np.flatnonzero(self.weights > 0)
        if used.size > FEW:
            return super()._expect(function, bends)
        parts = [self.components[int(k)] for k in used]
        places = [np.asarray(bends, np.float64), *(np.asarray(cuts(part), np.float64) for part in parts)]
        every = np.unique(np.concatenate([np.ravel(place) for place in places]))
        values = [part._expect(function, every) for part in parts]
        return float(np.dot(self.weights[used], values)) if np.isfinite(values).all() else float(np.sum(values))

    def _scalar(self, what: str) -> None:
        if self.event_shape:
            raise ParameterError(f"MixtureDistribution.{what}: it exists for numbers, not for vectors.")

    @property
    def mean(self) -> Any:
        return np.tensordot(self.weights, self._each("mean"), axes=1)

    @property
    def var(self) -> Any:
        offset = self._each("mean") - self.mean
        return np.tensordot(self.weights, self._each("var") + offset**2, axes=1)

    @property
    def cov(self) -> NDArray:
        """The covariance matrix (3), of vectors.

        E[x] = sum_z p(z) m_z,   Cov[x] = sum_z p(z) (C_z + m_z m_z') - E[x] E[x]'    (3)
        """
        offset = self._each("mean") - self.mean
        return np.tensordot(self.weights, self._each("cov") + offset[..., None] * offset[..., None, :], axes=1)

    @property
    def mode(self) -> Any:
        """The highest of the peaks near the modes of the components (of numbers), or the best of those modes (of vectors)."""
        places = self._each("mode")
        best = places[int(np.argmax(self.log_prob(places)))]
        if self.event_shape or self.support.kind != "reals":
            return best
        from scipy.optimize import minimize_scalar

        widths = np.ravel(self._each("std"))  # a peak of the mixture is as wide as its narrowest component near it
        reach = 0.5 * float(widths[np.argmax(self.log_prob(places))])
        reach = reach if np.isfinite(reach) and reach > 0 else 1.0
        found = minimize_scalar(lambda x: -self.log_prob(x), bounds=(best - reach, best + reach), method="bounded")
        return float(found.x) if -found.fun > self.log_prob(best) else float(best)

    @property
    def support(self) -> Any:
        parts = [self.components] if isinstance(self.components, Distribution) else self.components
        kind = parts[0].support.kind
        return Support(kind, min(np.min(p.support.low) for p in parts), max(np.max(p.support.high) for p in parts))

    @property
    def n_parameters(self) -> Any:
        parts = [self.components] * self.weights.size if isinstance(self.components, Distribution) else self.components
        return self.weights.size - 1 + sum(part.n_parameters for part in parts)

    def entropy(self) -> Any:
        self._scalar("entropy")
        return self.expect(lambda x: -self.log_prob(x))
