r"""Universal approximation, to see: networks with more and more hidden units come as near to a function as one likes.

    y(x) = sum_j v_j h(w_j x + b_j) + c,      sup |f - y| over the span -> 0 as the units grow, for h no polynomial       (1)

One hidden layer does it for continuous functions on a compact set; with two, steps and other functions too. How many units it takes
and whether training finds them is another matter: each number here is the best of several starts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novum.exceptions import ParameterError
from novum.neural_network import MLPRegressor
from novum.report.axes import drawing_axes, drawing_panels
from novum.report.legends import draw_legend
from novum.report.result import Result
from novum.report.style import ink, series
from novum.runtime.checks import check_count, vector
from novum.runtime.typing import Axes, Seed

__all__ = ["TARGETS", "Approximation", "plot_universal_approximation", "universal_approximation"]

TARGETS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "x^2": np.square,
    "sin": lambda x: np.sin(np.pi * x),
    "|x|": np.abs,
    "step": lambda x: (x > 0).astype(float),
}
POINTS = 201


@dataclass(repr=False)
class Approximation(Result):
    """How near networks of several widths come to a function."""

    target: str
    widths: list[int]
    max_error: np.ndarray  # (len(widths),) largest distance on the span
    rms_error: np.ndarray
    models: list[Any]
    x: np.ndarray  # (points,)
    y: np.ndarray

    def _result_columns(self) -> dict[str, Any]:
        return {"hidden units": self.widths, "largest error": self.max_error, "root mean square": self.rms_error}

    def _result_scalars(self) -> dict[str, Any]:
        return {"target": self.target}

    def plot(self, ax: Axes | None = None, *, width: int | None = None) -> Axes:
        """Draw the function, the network of a width (the widest), and the outputs of its last hidden units, dashed."""
        ax = drawing_axes(ax)
        model = self.models[-1 if width is None else self.widths.index(width)]
        x = self.x[:, None]
        ax.plot(self.x, self.y, ".", color=ink(ax), markersize=3, label=self.target)
        for unit in model.hidden_outputs(x)[-1].T:
            ax.plot(self.x, unit, "--", linewidth=0.8, label="_unit")
        ax.plot(self.x, model.predict(x), color=series(ax, 3), label="network")
        ax.set(xlabel="x", ylabel="value", title=f"{self.target}, {model.hidden_layer_sizes[-1]} hidden units")
        draw_legend(ax)
        return ax


def fitted(x: np.ndarray, y: np.ndarray, sizes: tuple[int, ...], activation: str, n_init: int, seed: Any) -> Any:
    """Return the network that comes nearest to (x, y), of several starts."""
    import warnings

    from novum.exceptions import NotConverged

    model = MLPRegressor(
        hidden_layer_sizes=sizes,
        activation=activation,
        solver="lbfgs",
        alpha=0.0,
        max_iter=1500,
        tol=1e-9,
        max_fun=4000,
        n_init=n_init,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)  # the demonstration measures the error itself
        return model.fit(x[:, None], y)


def universal_approximation(
    target: str | Callable[..., Any] = "sin",
    *,
    widths: Sequence[int] = (1, 2, 3, 5, 10),
    layers: int = 1,
    activation: str = "tanh",
    span: tuple[float, float] = (-1.0, 1.0),
    n_init: int = 5,
    random_state: Seed = 0,
) -> Approximation:
    """Fit networks with one or more hidden layers of growing width to a function, and measure their largest error (1).

        y(x) = sum_j v_j h(w_j x + b_j) + c,   sup |f - y| -> 0 as the units grow    (1)

    Parameters
    ----------
    target : {"x^2", "sin", "|x|", "step"} or callable, default="sin"
    widths : sequence of int, default=(1, 2, 3, 5, 10)
        Units of every hidden layer.
    layers : int, default=1
        Hidden layers.
    activation : str, default="tanh"
    span : (float, float), default=(-1, 1)
    n_init : int, default=5
        Starts per width; the least squared error is kept.
    random_state : int, Generator, RandomState, SeedSequence or None, default=0

    Examples
    --------
    >>> from novum.teaching.learning_theory.approximation import universal_approximation
    >>> found = universal_approximation("|x|", widths=(1, 3, 8), n_init=3)
    >>> bool(found.max_error[0] > 0.2), bool(found.max_error[-1] < 0.05)
    (True, True)
    """
    if isinstance(target, str) and target not in TARGETS:
        raise ParameterError(
            f"universal_approximation(target={target!r}): use one of {', '.join(TARGETS)}, or a function."
        )
    f = TARGETS[target] if isinstance(target, str) else target
    low, high = vector("universal_approximation", "span", span, 2)
    if not low < high:
        raise ParameterError(f"universal_approximation(span={span!r}): span must be (low, high) with low < high.")
    layers = check_count("universal_approximation", "layers", layers)
    sizes = [check_count("universal_approximation", "widths", n) for n in widths]
    x = np.linspace(low, high, POINTS)
    y = np.asarray(f(x), float)
    models = [fitted(x, y, (n,) * layers, activation, n_init, random_state) for n in sizes]
    away = [np.abs(model.predict(x[:, None]) - y) for model in models]
    name = target if isinstance(target, str) else getattr(target, "__name__", "f")
    errors = np.array([a.max() for a in away]), np.array([np.sqrt(np.mean(a**2)) for a in away])
    return Approximation(name, sizes, *errors, models, x, y)


def plot_universal_approximation(
    targets: Any = tuple(TARGETS), *, n_hidden: int = 3, random_state: Seed = 0, ax: Sequence[Axes] | None = None
) -> list[Axes]:
    """Draw networks of a few hidden units fitted to functions, with the outputs of the hidden units dashed: a panel each.

    Parameters
    ----------
    targets : list of str or callables
    n_hidden : int, default=3
    random_state : int, Generator, RandomState, SeedSequence or None, default=0
    ax : list of matplotlib Axes, default=None

    Returns
    -------
    list of matplotlib Axes
    """
    targets = list(targets)
    panels = drawing_panels(len(targets)) if ax is None else list(ax)
    for panel, target in zip(panels, targets):
        universal_approximation(target, widths=(n_hidden,), random_state=random_state).plot(panel)
    return panels
