"""Iterative learners report their passes here; scikit-learn's callbacks listen.

A fit is a tree of tasks in scikit-learn's protocol: the fit itself, its passes, and between them the runs of a
learner that starts more than once. A callback hears the begin and the end of each task, may ask for a fitted copy
of the estimator as it stands, and may stop the passes by returning True. The copy at the begin of the first pass is the
start, the copy at the end of the fit is what was learned. Beyond the protocol, the context of a pass carries at its end

    n_iter         its number, from 1
    objective      a value of what is minimised or maximised
    objective_of   whose value that is: "entering", of the parameters that the pass began with (those of the copy at its
                   begin), "leaving", of those that it came to (those of the copy at its end), or "during": measured row by
                   row while they moved

    facts          a dict of what else the learner says of the pass: the updates of a perceptron, the gap of a support vector
                   machine, the split of a tree; see the guide, docs/guide/watching-a-fit.md

A callback with a method `on_pass_progress(estimator, context, progress)` hears, while files are read, how many
of their rows a pass has seen (novum.fold.pass_progress). `novum.base.passes.PassRecorder` is a callback that keeps all of this.

    with reporting(self, self.max_iter, X=X, y=y) as report:
        fold(..., report=report)      # report.begin(params) before, report(n_iter, objective, params) after every pass

Without callbacks the report is one object that does nothing. Every estimator takes callbacks. One that iterates sets
`_reports_passes = True` and opens `reporting` in its `fit`; the fit of any other is announced as one task by `fits`.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from copy import copy
from functools import partial
from typing import Any, Literal

from novum.fold.pass_progress import PassProgress, listen_to_passes
from novum.runtime.sklearn_private import CallbackContext, CallbackSupportMixin, callback_management_context

__all__ = [
    "SILENT",
    "CallbackSupportMixin",
    "Iterations",
    "Logged",
    "by_learning",
    "ending_with",
    "fitted_attributes",
    "reporting",
]

Side = Literal["entering", "leaving", "during"]


def fitted_attributes(params: Any) -> dict[str, Any]:
    """Return the fitted attributes that a NamedTuple of parameters stands for: field `means` is attribute `means_`."""
    return {f"{name}_": value for name, value in params._asdict().items()}


def by_learning(estimator: Any, learn: Callable[[Any, Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """Return the fitted attributes that `learn(estimator, params)` gives a copy of an estimator, as a function of params."""

    def attributes(params: Any) -> dict[str, Any]:
        twin = copy(estimator)
        learn(twin, params)
        return vars(twin)

    return attributes


class Silent:
    """The report of an estimator without callbacks."""

    listens = False

    def __enter__(self) -> "Silent":
        return self

    def __exit__(self, *_: object) -> None: ...

    def begin(self, params: Any = None, n_done: int = 0) -> None: ...

    def run(self) -> "Silent":
        return self

    def __call__(self, n_iter: int, objective: float, params: Any = None, **facts: Any) -> bool:
        return False


SILENT = Silent()


class Logged:
    """A report whose passes are also written down, by `write(n_iter, objective)`."""

    listens = True

    def __init__(self, report: Any, write: Callable[[int, float], Any]) -> None:
        self.report = report
        self.write = write

    def begin(self, params: Any = None, n_done: int = 0) -> None:
        self.report.begin(params, n_done)

    def __call__(self, n_iter: int, objective: float, params: Any = None, **said: Any) -> bool:
        self.write(n_iter, objective)
        return self.report(n_iter, objective, params, **said)


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
    objective_of : {"entering", "leaving", "during"}
        Whose value the objective of a pass is: of the parameters before it, after it, or on the way.
    """

    listens = True

    def __init__(
        self,
        estimator: Any,
        context: CallbackContext,
        max_iter: int | None,
        data: dict[str, Any],
        attributes: Callable[[Any], dict[str, Any]],
        objective_of: Side = "entering",
    ) -> None:
        self.estimator = estimator
        self.context = context
        self.max_iter = max_iter
        self.data = data
        self.attributes = attributes
        self.objective_of = objective_of
        self.current: CallbackContext | None = None
        self.reconstruct: Callable[[], dict[str, Any]] | None = None

    def begin(self, params: Any = None, n_done: int = 0) -> None:
        """Announce a pass after `n_done` others, and the parameters that enter it; without, those of the pass before.

        Optional: `__call__` announces a pass that was not.
        """
        if params is not None:
            self._know(params, n_done)
        # A learner whose passes have a name in scikit-learn gives it: callbacks tell tasks apart by it.
        self.current = self.context.subcontext(task_name=getattr(self.estimator, "_pass_name", "pass"))
        self.current.call_on_fit_task_begin(
            estimator=self.estimator, **self.data, reconstruction_attributes=self.reconstruct
        )

    def __call__(
        self, n_iter: int, objective: float, params: Any = None, objective_of: Side | None = None, **facts: Any
    ) -> bool:
        """Report the end of pass `n_iter`, counted from 1; return whether a callback requests to stop.

        `params` may be a function that returns them, for those that are costly to make. `facts` are handed on.
        """
        if self.current is None:
            self.begin()
        context, self.current = self.current, None
        side = objective_of or self.objective_of
        vars(context).update(n_iter=n_iter, objective=objective, objective_of=side, facts=facts)
        if params is not None:
            self._know(params, n_iter)
        return self._end(context)

    def _know(self, params: Any, n_iter: int) -> None:
        """Make fitted copies from these parameters, when somebody asks."""

        def attributes() -> dict[str, Any]:
            counted = {} if hasattr(type(self.estimator), "n_iter_") else {"n_iter_": n_iter}
            return {**counted, **self.attributes(params() if callable(params) else params)}

        self.reconstruct = attributes

    def _end(self, context: CallbackContext | None) -> bool:
        return context.call_on_fit_task_end(  # type: ignore[union-attr]
            estimator=self.estimator, **self.data, reconstruction_attributes=self.reconstruct
        )

    @contextmanager
    def run(self) -> Iterator["Iterations"]:
        """Open one of several runs; its passes are reported to what this yields."""
        context = self.context.subcontext(task_name="run", max_subtasks=self.max_iter)
        context.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        inner = Iterations(self.estimator, context, 0, self.data, self.attributes, self.objective_of)
        yield inner
        self.reconstruct = inner.reconstruct
        inner._end(context)


# The estimator whose `fit` is under way, and what ends when it has learned.
_under_way: ContextVar[tuple[Any, ExitStack] | None] = ContextVar("fit under way", default=None)


@contextmanager
def ending_with(estimator: Any) -> Iterator[None]:
    """Let the report that a fit opens end with this block, when the estimator has learned: its last copy is what was learned."""
    with ExitStack() as ends:
        token = _under_way.set((estimator, ends))
        try:
            yield
        finally:
            _under_way.reset(token)


@contextmanager
def _listening(
    estimator: Any,
    max_iter: int | None,
    n_runs: int,
    data: dict[str, Any],
    attributes: Callable,
    objective_of: Side,
    learned: bool,
) -> Iterator[Iterations]:
    with callback_management_context(estimator):
        root = estimator._init_callback_context(max_subtasks=max_iter if n_runs == 1 else n_runs)
        root.call_on_fit_task_begin(estimator=estimator, **data)
        report = Iterations(estimator, root, max_iter, data, attributes, objective_of)
        with listen_to_passes(listener_of(estimator, root)):
            yield report
        if learned:
            report.reconstruct = dict  # a copy of the estimator as it is
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
    objective_of: Side = "entering",
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
    objective_of : {"entering", "leaving", "during"}, default="entering"
        Whether the objective of a pass is that of the parameters that entered it, as in `fold`, of those that left it, or was
        measured while they moved.

    Returns
    -------
    context manager
        Its value returns True when a callback requests to stop, and has `begin(params)` and `run()`.

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
    fit, ends = _under_way.get() or (None, None)
    listening = partial(_listening, estimator, max_iter, n_runs, data, attributes, objective_of)
    if fit is not estimator or ends is None:
        return listening(learned=False)
    return nullcontext(ends.enter_context(listening(learned=True)))
