"""What people new to bounds and approximations mistype, and the messages they get."""

import numpy as np
import pytest

from novum.distributions import NormalGamma
from novum.exceptions import DataError, ParameterTypeError
from novum.variational import em, laplace, vb_normal

PRIOR = NormalGamma(mean=0, strength=1, shape=2, rate=1)


def test_data_without_rows_or_without_squares():
    with pytest.raises(DataError, match="data is empty"):
        vb_normal([], PRIOR)
    for largest in (1e154, 1e200, 1e308):
        with pytest.raises(DataError, match="sums of their squares overflow"):
            vb_normal([largest, -largest, 1.0], PRIOR)


def test_functions_that_are_none():
    for name in ("m_step", "log_joint", "e_step", "bound"):
        functions = {"m_step": lambda q, theta: theta, "log_joint": lambda theta: np.zeros((2, 2)), name: 3}
        with pytest.raises(ParameterTypeError, match=rf"em\({name}=3\): give a function"):
            em(np.zeros(2), **functions)
    with pytest.raises(ParameterTypeError, match=r"laplace\(log_density=3\)"):
        laplace(3, [1.0])
    with pytest.raises(ParameterTypeError, match=r"laplace\(gradient='a'\)"):
        laplace(lambda t: -t @ t, [1.0], gradient="a")


def test_answers_of_the_wrong_kind():
    with pytest.raises(ParameterTypeError, match="log_density returned 'a'; it must return one number"):
        laplace(lambda t: "a", [1.0])
    with pytest.raises(DataError, match=r"gradient returned shape \(1,\); it must return \(2,\)"):
        laplace(lambda t: -0.5 * t @ t, [1.0, 2.0], gradient=lambda t: -t[:1])
