"""Distributions on the small examples of the notes."""

from typing import Any

from novum.notes.stops.registry import stop


@stop("000", "5.1", "variance of a fair die", reference=35 / 12, remark="E[x^2] - E[x]^2 = 91/6 - 49/4")
def die() -> Any:
    from novum.distributions import Discrete

    return float(Discrete([1, 2, 3, 4, 5, 6]).var)


@stop("000", "5.1", "six throws of a die, every face once", reference=720 / 6**6, remark="6! / 6^6")
def every_face() -> Any:
    from novum.distributions import Multinomial

    return float(Multinomial(6, [1 / 6] * 6).prob([1] * 6))


@stop(
    "000",
    "5.3",
    "normal in the plane at (2, 1)",
    reference=0.038368,
    remark="C = [2 .5; .5 1]: exp(-8/7) / (2 pi sqrt(7/4))",
)
def plane() -> Any:
    from novum.distributions import MultivariateNormal

    return float(MultivariateNormal([0, 0], [[2, 0.5], [0.5, 1]]).prob([2, 1]))


@stop("000", "6.5.3", "Student's t with 9 degrees of freedom at 0", reference=0.388035, remark="the normal: .3989")
def student() -> Any:
    from novum.distributions import StudentT

    return float(StudentT(9).prob(0.0))


@stop("000", "7.4.1", "coin H H T T T H H: probability of heads", reference=4 / 7, remark="4 heads in 7")
def coin() -> Any:
    from novum.distributions import Bernoulli

    return float(Bernoulli.fit([1, 1, 0, 0, 0, 1, 1]).p)


@stop("002", "P2.1", "Student's t fitted to data with an outlier: center", reference=0.243974, remark="the mean: 1.36")
def robust() -> Any:
    from novum.distributions import StudentT

    return float(StudentT.fit([-1, -0.5, 0, 0.2, 0.4, 0.8, 1, 10]).loc)
