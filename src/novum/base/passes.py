"""A callback that keeps every pass of a fit: a copy that predicts, the objective of that copy, and what else was said.

frame 0       the start, before the first pass; learners whose first pass makes the parameters have none
frame t       the model after pass t; `objective` is its own value, where the learner says it: one that reports the value
              of the parameters that entered a pass (context.objective_of, novum.base.callbacks) gives it to the frame before
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from novum.runtime.sklearn_private import CallbackContext

__all__ = ["Frame", "PassRecorder"]


class Frame(NamedTuple):
    """A moment of a fit."""

    n_iter: int  # passes before it; 0: the start
    objective: float | None  # of this model; None where the learner does not say it
    model: Any  # a fitted copy of the estimator; None where the learner gives none
    facts: dict[str, Any]  # what else the learner says of the pass that led here, by name
    run: int  # number of the start, from 0, of a learner that starts more than once


class PassRecorder(Sequence[Frame]):
    """Callback that keeps the frames of the last fit, in order: a sequence of `Frame`.

    Parameters
    ----------
    stop_at : int or None, default=None
        The pass after which the fit is to end.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.base.passes import PassRecorder
    >>> from novum.cluster import KMeans
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> frames = PassRecorder()
    >>> model = KMeans(2, init=[[0.0], [1.0]]).set_callbacks(frames).fit(X)
    >>> [frame.model.cluster_centers_.ravel().round(2).tolist() for frame in frames]
    [[0.0, 1.0], [0.0, 4.33], [1.0, 10.0], [1.0, 10.0]]
    >>> [round(frame.objective, 2) for frame in frames[:-1]]  # J of these very centers
    [82.0, 37.11, 2.0]
    >>> int(frames[0].model.predict([[2.0]])[0]), int(frames[1].model.predict([[2.0]])[0])
    (1, 0)
    """

    def __init__(self, stop_at: int | None = None) -> None:
        self.stop_at = stop_at
        self.frames: list[Frame] = []
        self._run = 0

    def __repr__(self) -> str:
        return f"PassRecorder(stop_at={self.stop_at}), {len(self.frames)} frames"

    def __len__(self) -> int:
        return len(self.frames)

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.frames)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...

    def __getitem__(self, index: Any) -> Any:
        return self.frames[index]

    def setup(self, estimator: Any, context: CallbackContext) -> None:
        """Forget the fit before."""
        self.frames, self._run = [], 0

    def teardown(self, estimator: Any, context: CallbackContext) -> None:
        """Nothing is left to do."""

    def on_fit_task_begin(self, estimator: Any, context: CallbackContext, *, fitted_estimator: Any = None) -> None:
        """Keep the start of the first pass of a run."""
        if context.task_name == "run":
            self._run = context.task_id
        elif context.parent is not None and context.task_id == 0 and fitted_estimator is not None:
            self.frames.append(Frame(0, None, fitted_estimator, {}, self._run))

    def on_fit_task_end(self, estimator: Any, context: CallbackContext, *, fitted_estimator: Any = None) -> bool:
        """Keep a pass; return whether it was the last one that was asked for."""
        n_iter = getattr(context, "n_iter", None)
        if n_iter is None:
            return False
        objective: float | None = float(context.objective)
        if context.objective_of == "entering":
            if self.frames and self.frames[-1].run == self._run and self.frames[-1].n_iter == n_iter - 1:
                self.frames[-1] = self.frames[-1]._replace(objective=objective)
            objective = None
        self.frames.append(Frame(n_iter, objective, fitted_estimator, context.facts, self._run))
        return self.stop_at is not None and n_iter >= self.stop_at
