"""A progress bar with the objective in it, for any estimator that reports its passes; drawn by rich. While a pass reads files,
a bar below shows its rows and the time that is left.

Set it on the outermost estimator: it follows scikit-learn's meta-estimators down to the learners inside, also in
worker processes, which send their news to the process that draws. Nested bars vanish when they are full, so that a
grid search of a thousand fits stays on one screen.
"""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

from novum.fold.pass_progress import PassProgress
from novum.runtime.sklearn_private import (
    CallbackContext,
    ListenerHandle,
    close_listener,
    open_listener,
    send_to_listener,
)

__all__ = ["ProgressBar"]

Path = tuple[Any, ...]  # the identifiers of a task and of those above it, from the fit down


def path_of(context: CallbackContext) -> Path:
    """Return the place of a task in the tree of a fit."""
    path = []
    while context is not None:
        path.append(context.task_id)
        context = context.parent
    return tuple(reversed(path))


class Display:
    """The bars of one fit, fed with messages from this process and its workers."""

    def __init__(self, console: Any) -> None:
        try:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
        except ImportError as error:
            raise ImportError("ProgressBar draws with rich, which is not installed: pip install rich") from error

        order = self.order = {}  # type: dict[Path, int]

        class Nested(Progress):
            """Bars in the order of the tree, not of their beginning."""

            def get_renderables(self) -> Iterator[Any]:
                place = {task: path for path, task in order.items()}
                arrival = {path: number for number, path in enumerate(order)}

                def key(task: Any) -> Any:
                    path = place.get(task.id, ())
                    return [arrival.get(path[:depth], -1) for depth in range(1, len(path) + 1)]

                yield self.make_tasks_table(sorted(self.tasks, key=key))

        self.lock = threading.Lock()
        self.progress = Nested(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[objective]}"),
            TimeElapsedColumn(),
            console=console,
        )
        self.progress.start()

    def receive(self, message: dict[str, Any]) -> None:
        """Begin or end a task."""
        with self.lock:
            path = message["path"]
            if message["event"] == "begin":
                label = "  " * (len(path) - 1) + message["label"]
                self.order[path] = self.progress.add_task(label, total=message["total"], objective="")
            elif message["event"] == "rows":
                self._advance(path, message["progress"])
            else:
                self._end(path, message["objective"])

    def _advance(self, path: Path, progress: PassProgress) -> None:
        """Draw the rows of a pass below its fit, as long as some are left."""
        bar = self.order.get(path)
        if progress.rows == progress.n_rows:
            if bar is not None:
                self.progress.remove_task(self.order.pop(path))
            return
        if bar is None:
            label = "  " * (len(path) - 1) + "rows"
            bar = self.order[path] = self.progress.add_task(label, total=progress.n_rows, objective="")
        left = progress.seconds_left
        text = "" if left is None else f"{timedelta(seconds=round(left))} left"
        self.progress.update(bar, completed=progress.rows, objective=text)

    def _end(self, path: Path, objective: float | None) -> None:
        if (bar := self.order.get(path)) is not None:
            if len(path) > 1:
                self.progress.remove_task(self.order.pop(path))
            else:  # converged early: the bar of the whole fit ends full
                done = self.progress.tasks[self.progress.task_ids.index(bar)].completed
                self.progress.update(bar, total=max(done, 1), completed=max(done, 1))
        if (above := self.order.get(path[:-1])) is not None:
            self.progress.advance(above)
            if objective is not None:
                self.progress.update(above, objective=f"objective {objective:.6g}")


# Displays hold threads and locks, which no pickle carries to a worker: they stay in the process that draws, by the
# run they belong to.
_displays: dict[UUID, Display] = {}


class ProgressBar:
    """Callback that draws a bar for every fit below it, with passes done, objective and time.

    Parameters
    ----------
    max_propagation_depth : int or None, default=1
        How many levels of nested estimators get bars of their own; 0: the outermost only, None: all.
    console : rich.console.Console or None, default=None
        Where to draw; None: standard output.

    Examples
    --------
    >>> from novum.base.progress import ProgressBar
    >>> ProgressBar(max_propagation_depth=0)
    ProgressBar(max_propagation_depth=0)

    `estimator.set_callbacks(ProgressBar()).fit(X)` then shows the fit as it goes.
    """

    def __init__(self, max_propagation_depth: int | None = 1, *, console: Any = None) -> None:
        self.max_propagation_depth = max_propagation_depth
        self.console = console
        self._listeners: dict[UUID, ListenerHandle] = {}

    def __repr__(self) -> str:
        return f"ProgressBar(max_propagation_depth={self.max_propagation_depth})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "console": None}  # a worker sends, it never draws

    def setup(self, estimator: Any, context: CallbackContext) -> None:
        """Open the display at the beginning of the outermost fit."""
        display = _displays[context.root_uuid] = Display(self.console)
        self._listeners[context.root_uuid] = open_listener(display.receive)

    def teardown(self, estimator: Any, context: CallbackContext) -> None:
        """Close the display, whether the fit succeeded or not."""
        if (listener := self._listeners.pop(context.root_uuid, None)) is not None:
            close_listener(listener)
        if (display := _displays.pop(context.root_uuid, None)) is not None:
            display.progress.stop()

    def _send(self, context: CallbackContext, **message: Any) -> None:
        send_to_listener(self._listeners[context.root_uuid], {"path": path_of(context), **message})

    def on_fit_task_begin(self, estimator: Any, context: CallbackContext) -> None:
        """Draw a bar for a task that has parts, or that is a whole fit."""
        if context.max_subtasks != 0 or context.parent is None:
            part = "" if context.task_name == "fit" else f" {context.task_name}"
            label = context.estimator_name + part
            self._send(context, event="begin", label=label, total=context.max_subtasks or None)

    def on_fit_task_end(self, estimator: Any, context: CallbackContext) -> None:
        """Advance the bar above."""
        self._send(context, event="end", objective=getattr(context, "objective", None))

    def on_pass_progress(self, estimator: Any, context: CallbackContext, progress: PassProgress) -> None:
        """Advance the bar of the rows that a pass over files has seen."""
        send_to_listener(
            self._listeners[context.root_uuid],
            {"path": (*path_of(context), "rows"), "event": "rows", "progress": progress},
        )
