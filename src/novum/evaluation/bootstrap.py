r"""The bootstrap: n rows drawn with replacement from n, many times, to see how much a statistic depends on the sample.

    P(a row is absent from a resample) = (1 - 1/n)^n  ->  1/e                                           (1)

`bootstrap` gives the standard error, bias and interval of any statistic; `BootstrapSplit` gives the resamples themselves,
with the rows left out of each (out of bag), as a splitter of scikit-learn. Both draw the same rows for the same seed. The
intervals are (1) to (3) of novum.evaluation._intervals.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing as rows_of
from sklearn.utils import check_consistent_length, indexable

from novum import _sklearn
from novum._axes import drawing_axes
from novum._checks import check_choice, check_count, check_number
from novum._random import seed_of
from novum.evaluation._intervals import INTERVAL_METHODS, interval_from, jackknife_groups
from novum.evaluation._statistics import resample_rows
from novum.evaluation.proportion import Interval
from novum.exceptions import DataError

__all__ = ["BootstrapResult", "BootstrapSplit", "bootstrap"]
