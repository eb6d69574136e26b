"""The shell every estimator shares: parameters checked against their domains, `fit` that either succeeds or changes nothing.

An estimator declares `_domains`, marks its fitting methods with `@fits` and opens its data with `self._source` (training)
or `self._rows` (new rows). The rest is its own algorithm.
"""

from collections.abc import Callable
from contextlib import nullcontext
from functools import cache, wraps
from typing import Any, TypeVar, cast

import numpy as np
from sklearn import get_config

from novum.base import domains, validation
from novum.base.callbacks import ending_with, reporting
from novum.base.checkpoint.identity import recorded_fit
from novum.base.checks.known_values import known_values
from novum.base.checks.learned import check_learned, check_predictions, overflow_of
from novum.base.checks.sizes import check_sizes
from novum.base.device_forms import check_fit_on_device
from novum.base.fitted import check_is_fitted
from novum.base.large_numbers import OfSmallRows, check_size
from novum.base.naming import error_with_name
from novum.base.plots import Pictures
from novum.base.sklearn_base import BaseEstimator, CallbackSupportMixin
from novum.exceptions import ParameterError
from novum.fold.blocks import Source
from novum.runtime.blas import single_blas
from novum.runtime.journal.steps import active

__all__ = ["Estimator", "fits", "fitted_classes"]


fitted_classes: set[str] = set()  # names of the classes that learned something in this process


Method = TypeVar("Method", bound=Callable[..., Any])


def fits(method: Method) -> Method:
    """Mark a method that learns: parameters are checked first, BLAS runs on one thread, any exception restores the state.

    Fitted attributes are replaced, never written in place, so the copy of the state is shallow and costs nothing.
    """

    @wraps(method)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        before, X = dict(self.__dict__), None
        if any(isinstance(value, np.ma.MaskedArray) for value in (*args, *kwargs.values())):
            args = tuple(map(validation.without_mask, args))
            kwargs = {name: validation.without_mask(value) for name, value in kwargs.items()}
        try:
            if not get_config()["skip_parameter_validation"]:
                known_values(self.__class__).check(self)
            given = {**dict(zip(("X", "y", "sample_weight"), args)), **kwargs}
            X, y, weight = given.get("X"), given.get("y"), given.get("sample_weight")
            if type(X).__module__.startswith("torch"):
                check_fit_on_device(self, X)
            check_sizes(self, X)
            listened = method.__name__ == "fit" and getattr(self, "_skl_callbacks", None)
            ending = ending_with(self) if listened else nullcontext()
            steps = (
                nullcontext()
                if (journal := active.get()) is None
                else recorded_fit(journal, self, method.__name__, given)
            )
            with (
                steps,
                single_blas() if self._fits_need_single_blas else nullcontext(),
                np.errstate(over="ignore", invalid="ignore"),  # what overflowed is refused by name below
                ending,
            ):
                if listened and not self._reports_passes:
                    reporting(self, 0, X=X, y=y, sample_weight=weight)
                result = method(self, *args, **kwargs)
            check_learned(self, X)
            fitted_classes.add(type(self).__name__)
            return result
        except BaseException as error:
            self.__dict__.clear()
            self.__dict__.update(before)
            if (
                isinstance(error, ValueError)
                and not isinstance(error, ParameterError)
                and (huge := overflow_of(self, X))
            ):
                raise huge from error
            if isinstance(error, Exception) and (known := error_with_name(error, self, method.__name__)) is not error:
                raise known from error
            raise

    return cast(Method, wrapper)


class Estimator(Pictures, CallbackSupportMixin, BaseEstimator):
    """Base of all estimators.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns that `fit` saw.
    feature_names_in_ : array of str
        Their names, where they have any.
    """

    n_features_in_: int
    feature_names_in_: np.ndarray
    _domains: dict[str, domains.Domain] = {}
    _squares_columns = False  # whether sums of squares must be finite: then huge numbers are refused by name
    _squares_rows = False  # the same of the rows that are predicted
    _rows_need_blas = True  # whether the functions that `_rows` is given call BLAS, which must then keep to one thread
    _fits_need_single_blas = True  # False where a fit chooses by the size of its matrices
    _reports_passes = (
        False  # whether `fit` itself reports its passes to the callbacks; if not, `fits` announces it as one task
    )

    def _source(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, target: str | None = None, **options: Any
    ) -> Source:
        """Return training data as blocks; records the features."""
        source = validation.open_source(
            self, X, y, sample_weight, target=target, n_jobs=getattr(self, "n_jobs", None), **options
        )
        if self._squares_columns:
            check_size(self, source)
        return source

    def _rows(self, X: Any, function: Callable, params: Any = None, verify: bool = True, *, shows: bool = False) -> Any:
        """Return `function(params, block)` for every row of X, in the home of X.

        `shows` says that the result of a row with NaN or infinity has one too, so that looking at results will do; without
        `verify` the function itself refuses such rows.
        """
        if "n_features_in_" not in vars(self):
            check_is_fitted(self)
        with single_blas() if self._rows_need_blas else nullcontext():
            defer = shows or not verify
            source = validation.open_rows(self, X, n_jobs=getattr(self, "n_jobs", None), defer=defer)
            if self._squares_rows and source.home != "memory":  # rows in memory were looked at when they were opened
                function = OfSmallRows(function, type(self).__name__)
            out = source.rows(function, params)
            if shows:
                source.check_results(out)
            check_predictions(self, source, out)
            return out

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        return super()._get_param_names()  # read off the signature: clones and searches ask for it at every step

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
