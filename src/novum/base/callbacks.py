"""Iterative learners report their passes here; scikit-learn's callbacks listen.

A fit is a tree of tasks in scikit-learn's protocol: the fit itself, its passes, and between them the runs of a
learner that starts more than once. A callback hears the begin and the end of each task, may ask for a fitted copy
of the estimator as it stands, and may stop the passes by returning True. Beyond the protocol, the context of a pass
carries `n_iter` and `objective`, and a callback with a method `on_pass_progress(estimator, context, progress)` hears, while
files are read, how many of their rows a pass has seen (novum.fold.pass_progress).

    with reporting(self, self.max_iter, X=X, y=y) as report:
        fold(..., report=report)                      # calls report(n_iter, objective, params) after every pass

Without callbacks the report is one object that does nothing. Every estimator takes callbacks. One that iterates sets
`_reports_passes = True` and opens `reporting` in its `fit`; the fit of any other is announced as one task by `fits`.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from novum.fold.pass_progress import PassProgress, listen_to_passes
from novum.runtime.sklearn_private import CallbackContext, CallbackSupportMixin, callback_management_context

__all__ = ["SILENT", "CallbackSupportMixin", "Iterations", "fitted_attributes", "reporting"]


def fitted_attributes(params: Any) -> dict[str, Any]:
    """Return the fitted attributes that a NamedTuple of parameters stands for: field `means` is attribute `means_`."""
    return {f"{name}_": value for name, value in params._asdict().items()}


class Silent:
    """The report of an estimator without callbacks."""

    listens = False

    def __enter__(self) -> "Silent":
        return self

    def __exit__(self, *_: object) -> None: ...

    def begin(self) -> None: ...

    def run(self) -> "Silent":
        return self

    def __call__(self, n_iter: int, objective: float, params: Any = None) -> bool:
        return False


SILENT = Silent()


class Iterations:
    """The passes of one task: call it after each, stop when it returns True.

    Parameters
    ----------
    estimator : estimator
        The one that is being fitted.
    context : sklearn.callback.CallbackContext
        The task whose parts are reported.
    max_iter : int or None
        The passes of each run.
    data : dict
        X, y and metadata, handed to callbacks that ask for them.
    attributes : callable
        Turns the parameters of a pass into fitted attributes; called only when a callback needs a fitted estimator.
    """

    def __init__(
        self,
        estimator: Any,
        context: CallbackContext,
        max_iter: int | None,
        data: dict[str, Any],
        attributes: Callable[[Any], dict[str, Any]],
    ) -> None:
        self.estimator = estimator
        self.context = context
        self.max_iter = max_iter
        self.data = data
        self.attributes = attributes
        self.current: CallbackContext | None = None
        self.reconstruct: Callable[[], dict[str, Any]] | None = None

    def begin(self) -> None:
        """Announce a pass. Optional: `__call__` announces a pass that was not."""
        # A learner whose passes have a name in scikit-learn gives it: callbacks tell tasks apart by it.
        self.current = self.context.subcontext(task_name=getattr(self.estimator, "_pass_name", "pass"))
        self.current.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def __call__(self, n_iter: int, objective: float, params: Any = None) -> bool:
        """Report the end of pass `n_iter`, counted from 1; return whether a callback requests to stop."""
        if self.current is None:
            self.begin()
        context, self.current = self.current, None
        context.n_iter, context.objective = n_iter, objective  # type: ignore[union-attr]
        if params is not None:
            self.reconstruct = lambda: {**self.attributes(params), "n_iter_": n_iter}
        return self._end(context)

    def _end(self, context: CallbackContext) -> bool:
        return context.call_on_fit_task_end(
            estimator=self.estimator, **self.data, reconstruction_attributes=self.reconstruct
        )

    @contextmanager
    def run(self) -> Iterator["Iterations"]:
        """Open one of several runs; its passes are reported to what this yields."""
        context = self.context.subcontext(task_name="run", max_subtasks=self.max_iter)
        context.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        inner = Iterations(self.estimator, context, 0, self.data, self.attributes)
        yield inner
        self.reconstruct = inner.reconstruct
        inner._end(context)


@contextmanager
def _listening(
    estimator: Any, max_iter: int | None, n_runs: int, data: dict[str, Any], attributes: Callable
) -> Iterator[Iterations]:
    with callback_management_context(estimator):
        root = estimator._init_callback_context(max_subtasks=max_iter if n_runs == 1 else n_runs)
        root.call_on_fit_task_begin(estimator=estimator, **data)
        report = Iterations(estimator, root, max_iter, data, attributes)
        with listen_to_passes(listener_of(estimator, root)):
            yield report
        report._end(root)


def listener_of(estimator: Any, context: CallbackContext) -> Callable[[PassProgress], None] | None:
    """Return what tells the callbacks of a fit how far a pass over files has come; None where none of them asks."""
    hearing = [callback for callback in estimator._skl_callbacks if hasattr(callback, "on_pass_progress")]

    def tell(progress: PassProgress) -> None:
        for callback in hearing:
            callback.on_pass_progress(estimator=estimator, context=context, progress=progress)

    return tell if hearing else None


def reporting(
    estimator: Any,
    max_iter: int | None,
    *,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    n_runs: int = 1,
    attributes: Callable[[Any], dict[str, Any]] = fitted_attributes,
) -> AbstractContextManager[Any]:
    """Return a context manager whose value is called as `report(n_iter, objective, params)` after every pass of a fit.

    Parameters
    ----------
    estimator : estimator
        The one that is being fitted; its callbacks, if any, listen.
    max_iter : int or None
        The most passes there can be (of each run); 0 for a learner without passes, None if unknown.
    X, y, sample_weight : objects, default=None
        What is learned from, handed to callbacks that ask for it.
    n_runs : int, default=1
        With more than one, every run is opened by `with report.run() as report_run`.
    attributes : callable, default=fitted_attributes
        `attributes(params)` returns the fitted attributes as a dict, for callbacks that want to predict meanwhile.

    Returns
    -------
    context manager
        Its value returns True when a callback requests to stop, and has `begin()` and `run()`.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from novum.base.callbacks import CallbackSupportMixin, reporting
    >>> class Halver(CallbackSupportMixin, BaseEstimator):
    ...     def fit(self, X, y=None):
    ...         self.value_ = 1.0
    ...         with reporting(self, 10, X=X) as report:
    ...             for n_iter in range(1, 11):
    ...                 self.value_ /= 2
    ...                 if report(n_iter, self.value_):
    ...                     break
    ...         return self
    >>> class Watch:
    ...     def setup(self, estimator, context): ...
    ...     def teardown(self, estimator, context): ...
    ...     def on_fit_task_begin(self, estimator, context): ...
    ...     def on_fit_task_end(self, estimator, context):
    ...         return getattr(context, "objective", 1.0) < 0.2
    >>> Halver().set_callbacks(Watch()).fit([[0]]).value_
    0.125
    """
    if not getattr(estimator, "_skl_callbacks", None):
        return SILENT
    data = {"X": X, "y": y, "metadata": {} if sample_weight is None else {"sample_weight": sample_weight}}
    return _listening(estimator, max_iter, n_runs, data, attributes)
