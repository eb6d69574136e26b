"""Data that a family cannot have produced, or that give its likelihood no maximum."""

import numpy as np
import pytest

from novum.distributions import Multinomial, MultivariateStudentT, StudentT
from novum.exceptions import DataError


def test_multinomial_rows_have_one_total():
    with pytest.raises(DataError, match=r"x holds \[1. 1.\] \(row 1 .* add up to n=4. Give rows of one total"):
        Multinomial.fit([[3, 1], [1, 1], [2, 2]])
    with pytest.raises(DataError, match=r"x holds \[3. 1.\] .* add up to n=5"):
        Multinomial.fit([[3, 1], [2, 2]], n=5)
    fitted = Multinomial.fit([[3, 1], [1, 1], [2, 2]], sample_weight=[1, 0, 1])
    assert fitted.n == 4 and np.isfinite(fitted.log_prob([[3, 1], [2, 2]])).all()


@pytest.mark.parametrize("x", [[0, 0, 0, 0, 0, 1.0], [5, 5, 5, 5, 5, 6.0], [1e9] * 9 + [1e9 + 1]])
@pytest.mark.parametrize("df", [None, 3.0])
def test_student_whose_likelihood_has_no_bound(x, df):
    with pytest.raises(DataError, match="or most of them are equal"):
        StudentT.fit(x, df=df)
    with pytest.raises(DataError, match="or most of them are equal"):
        MultivariateStudentT.fit(np.c_[x], df=df)
