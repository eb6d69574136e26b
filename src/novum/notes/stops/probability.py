"""Tables, entropies, Gaussians and posteriors: the small numbers that a page can check by hand."""

from fractions import Fraction
from typing import Any

import numpy as np

from novum.distributions import (
    Dirichlet,
    Gamma,
    JointTable,
    MultivariateNormal,
    Normal,
    NormalGamma,
    linear_gaussian,
)
from novum.information import conditional_entropy, kl_divergence, mutual_information
from novum.notes.stops.registry import stop

JOINT = [[0.3, 0.2], [0.1, 0.4]]


def fraction(value: float) -> str:
    """Return a number as the fraction it is."""
    return str(Fraction(value).limit_denominator(1000))


@stop("000", "5.1", "pair [[.1, .2], [.3, .4]]: correlation", reference=-0.089087, remark="by the definition")
def correlation() -> Any:
    return JointTable([[0.1, 0.2], [0.3, 0.4]], names=("x", "y")).correlation("x", "y")


@stop("000", "5.5", "extra bits for (1/2, 1/4, 1/4) coded as uniform", reference=0.084963, remark="by the definition")
def extra_bits() -> Any:
    return kl_divergence([0.5, 0.25, 0.25], [1 / 3, 1 / 3, 1 / 3])


@stop("000", "7.2", "mean of 1, 2, 3 under a N(0, 1) prior", reference=1.5, remark="variance 1 known; variance .25")
def posterior_mean() -> Any:
    return float(Normal(0, 1).update([1.0, 2.0, 3.0], likelihood=Normal(var=1.0)).mean)


@stop("000", "7.4", "RCCSSSRC with add-one counts: P(rain)", reference="3/11", remark="Dirichlet(1, 1, 1)")
def next_day() -> Any:
    return fraction(float(Dirichlet([1, 1, 1]).update([0, 1, 1, 2, 2, 2, 0, 1]).predictive().p[0]))


DIE = JointTable([1 / 6] * 6, names="face", states=[range(1, 7)])


@stop("001", "3.1", "a die shows an odd number", printed="1/2")
def odd() -> Any:
    return fraction(DIE.probability(lambda face: face % 2 == 1))


@stop("001", "3.1", "win 30 on a 1 or 2, else lose 20: P(win)", printed="1/3")
def win() -> Any:
    return fraction(DIE.with_variable("gain", lambda face: 30 if face <= 2 else -20).probability({"gain": 30}))


@stop("002", "P2.1", "H(y|x) of [[.3, .2], [.1, .4]]", reference=0.846439, remark="bits, by the definition")
def left_entropy() -> Any:
    return conditional_entropy(JOINT)


@stop("002", "P2.1", "... I(x; y)", reference=0.124511, remark="bits")
def shared() -> Any:
    return mutual_information(JOINT)


@stop("002", "P2.1", "normal-Gamma: log evidence of five numbers", reference=-11.531489, remark="update left out there")
def evidence() -> Any:
    return NormalGamma(0, 1, 2, 1).log_evidence([1, 2, 4, 3.5, 2.2])


@stop("002", "P2.1", "precision of 1, 2, 4 about 2: posterior mean", reference=1.0, remark="Gamma(3.5, 3.5)")
def precision() -> Any:
    return float(Gamma(2, 1).update([1.0, 2.0, 4.0], likelihood=Normal(mean=2.0)).mean)


@stop("002", "P2.A", "x1 given x2 = 3 in a Gaussian of two", reference=1.8, remark="variance 1.36")
def conditional() -> Any:
    return float(MultivariateNormal([1, 2], [[2, 0.8], [0.8, 1]]).condition(1, [3]).mean[0])


@stop("002", "P2.A", "linear-Gaussian posterior of x", reference=0.342105, remark="by the definition")
def linear() -> Any:
    return float(
        linear_gaussian(MultivariateNormal([0.5], [[0.5]]), np.array([[3.0]]), 0.25, [2.0], [1.0]).posterior.mean[0]
    )
