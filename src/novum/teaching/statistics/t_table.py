r"""The table at the end of every statistics book: upper quantiles of Student's t.

t_{p, df}:  P(T_df > t) = p;      df = infinity is the normal distribution                     (1)
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from novum.exceptions import ParameterError

__all__ = ["t_table"]

TAILS = (0.100, 0.050, 0.025, 0.010, 0.005)
DEGREES = (*range(1, 31), 32, 34, 36, 38, np.inf)


def t_table(tails: ArrayLike = TAILS, df: ArrayLike = DEGREES) -> Any:
    """Return the critical values of Student's t as a frame: a row per degrees of freedom, a column per upper tail.

    Parameters
    ----------
    tails : array-like of float
        Probabilities above the value; for a two-sided test at level a take a/2.
    df : array-like of float
        Degrees of freedom, infinity allowed.

    Returns
    -------
    pandas.DataFrame

    Examples
    --------
    >>> from novum.teaching import t_table
    >>> t_table([0.05, 0.025], df=[9, float("inf")]).round(3)
    upper tail  0.050  0.025
    df
    9.0         1.833  2.262
    inf         1.645  1.960
    """
    import pandas as pd
    from scipy import stats

    p, free = np.atleast_1d(np.asarray(tails, dtype=float)), np.atleast_1d(np.asarray(df, dtype=float))
    if not ((p > 0) & (p < 1)).all() or not (free > 0).all():
        raise ParameterError("t_table: tails must lie in (0, 1) and degrees of freedom above 0.")
    values = stats.t.isf(p[None, :], free[:, None])
    return pd.DataFrame(values, index=pd.Index(free, name="df"), columns=pd.Index(p, name="upper tail"))
