"""A fit that is listened to, as an object that shows itself: the player of the lab in a notebook, or a picture of a pass."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novum.base.passes import Frame as Pass
from novum.base.passes import PassRecorder
from novum.exceptions import DataError, ParameterTypeError
from novum.lab.calls import code_of
from novum.lab.player import player_page, recording_of
from novum.report.result import Result
from novum.runtime.typing import Axes

__all__ = ["Frames", "record"]

MOST_BYTES = 300_000  # of the player in a notebook
MOST_FRAMES = 100  # in the player; fewer where they do not fit
SHORT = 200  # characters of the call that a title repeats
PLAYER = (
    '<p>{title}</p><iframe sandbox="allow-scripts" title="{title}" style="width:100%;height:46rem;border:0" '
    'srcdoc="{page}"></iframe>'
)


class Frames(Result):
    """The passes of a fit: `frames[n]` is the fitted copy of pass `n`, 0 the start where the learner has one.

    A notebook shows it as the player of the lab: points, regions and the objective, pass by pass. It needs neither a server nor a
    network and is at most 300 kB; longer fits keep fewer passes in the player, all of them in the object.

    Attributes
    ----------
    model : estimator
        The fitted estimator itself.
    passes : list of novum.base.passes.Frame
        What was heard of every pass of the run that the estimator kept: `n_iter`, `objective`, `model`, `facts`.
    """

    def __init__(self, model: Any, passes: list[Pass], X: Any, y: Any) -> None:
        self.model, self.passes = model, passes
        self._X, self._y = X, y

    def __len__(self) -> int:
        return len(self.passes)

    def __iter__(self) -> Iterator[Any]:
        return (one.model for one in self.passes)

    def __getitem__(self, n: int) -> Any:
        return self._pass(n).model

    def _pass(self, n: int) -> Pass:
        """Return what was heard of pass `n`; negative numbers count from the last."""
        found = [one for one in self.passes if one.n_iter == n] if n >= 0 else self.passes[n:][:1]
        if not found or n < -len(self.passes):
            first, last = self.passes[0].n_iter, self.passes[-1].n_iter
            raise IndexError(f"pass {n}: {type(self.model).__name__} was heard from pass {first} to pass {last}.")
        return found[0]

    def _call(self) -> str:
        code = code_of(self.model)
        named = code if len(code) <= SHORT else f"{type(self.model).__name__}(...)"
        return f"record({named}, X{'' if self._y is None else ', y'})"

    def _result_columns(self) -> dict[str, Any]:
        table = {"pass": [one.n_iter for one in self.passes]}
        return {**table, "objective": [one.objective for one in self.passes]}

    def _result_title(self) -> str:
        return f"{self._call()}: {len(self)} frames, the last of them after pass {self.passes[-1].n_iter}"

    def _repr_html_(self) -> str:
        for most in (MOST_FRAMES, 50, 25, 12, 6, 2):
            shown = recording_of(self.model, self._call(), self.passes, self._X, self._y, min(most, len(self)))
            page = PLAYER.format(title=quoted(self._result_title()), page=quoted(player_page(shown, len(self))))
            if len(page.encode()) <= MOST_BYTES:
                return page
        return super()._repr_html_()

    def plot(self, n: int = -1, ax: Axes | None = None) -> Axes:  # type: ignore[override]
        """Draw a pass: the picture that its copy makes of the rows, or the objective where it makes none.

        Parameters
        ----------
        n : int, default=-1
            The pass; negative numbers count from the last.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        matplotlib Axes
        """
        heard = self._pass(n)
        if not hasattr(heard.model, "plot"):
            return super().plot(ax)
        drawn = heard.model.plot(self._X, self._y, ax=ax)
        axes = getattr(drawn, "ax_", drawn)
        axes.set_title(f"{type(self.model).__name__}, pass {heard.n_iter}")
        return axes


def quoted(text: str) -> str:
    """Return a text as an attribute or an element of a page holds it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def record(model: Any, X: Any, y: Any = None) -> Frames:
    """Fit an estimator and keep every pass of it.

    Parameters
    ----------
    model : estimator
        Any that tells its passes (docs/guide/watching-a-fit.md). It is fitted as by `model.fit(X, y)`, to the bit.
    X : array-like of shape (n_samples, n_features)
        Rows, or what else the estimator learns from.
    y : array-like of shape (n_samples,), default=None
        Labels or targets, where it learns from them.

    Returns
    -------
    Frames
        The passes; in a notebook, their player. Of a learner that starts more than once, those of the start that it kept.

    Raises
    ------
    DataError
        The estimator tells no passes, or none of them with a model.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.cluster import KMeans
    >>> from novum.lab import record
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [10.0, 0.0]])
    >>> frames = record(KMeans(2, init=[[0.0, 0.0], [1.0, 0.0]]), X)
    >>> len(frames), frames[1].cluster_centers_[:, 0].round(2).tolist()
    (4, [0.0, 4.33])
    >>> bool((frames[-1].predict(X) == frames.model.predict(X)).all())
    True
    """
    name = type(model).__name__
    if not hasattr(model, "set_callbacks") or not hasattr(model, "fit"):
        raise ParameterTypeError(
            f"record(model={name}): takes no callbacks, so nothing can be heard; give an estimator of novum."
        )
    before = list(getattr(model, "_skl_callbacks", None) or [])
    recorder = PassRecorder()
    model.set_callbacks(*before, recorder)
    try:
        model.fit(X) if y is None else model.fit(X, y)
    finally:
        model.set_callbacks(*before)
    heard = list(recorder)
    if not heard:
        raise DataError(
            f"record: {name} reports no passes with these parameters; it is fitted, with nothing to step through."
        )
    if any(one.model is None for one in heard):
        raise DataError(
            f"record: {name} reports passes without a model of them; it is fitted, with nothing to step through."
        )
    return Frames(model, kept_run(model, heard), X, y)


def kept_run(model: Any, heard: list[Pass]) -> list[Pass]:
    """Return the passes of the start whose last copy is what the estimator kept; of the last start where that cannot be told."""
    ends = {one.run: one for one in heard}
    kept = next((run for run, end in ends.items() if same_fit(model, end.model)), heard[-1].run)
    return [one for one in heard if one.run == kept]


def same_fit(model: Any, copy: Any) -> bool:
    """Return whether two estimators have learned the same arrays."""
    learned = {
        name: value
        for name, value in vars(model).items()
        if name.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind in "fiu"
    }
    shared = [name for name in learned if isinstance(vars(copy).get(name), np.ndarray)]
    return bool(shared) and all(np.array_equal(learned[name], vars(copy)[name], equal_nan=True) for name in shared)
