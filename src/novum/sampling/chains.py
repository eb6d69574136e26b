"""Draws of several chains: what every sampler returns. They print with their diagnosis, index by name, draw themselves, go on."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import NotConverged, ParameterError
from novum.report.axes import drawing_axes, new_figure
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.style import SMALL, ink, shade
from novum.runtime.message_text import first_few
from novum.runtime.typing import Axes, DataFrame
from novum.runtime.warn import warn
from novum.sampling.diagnosis import ChainDiagnosis, diagnose

__all__ = ["Chains", "after_earlier", "flat_labels", "resumed_state", "shapes_of"]

MOST_TRACES = 6  # rows of panels that `plot` draws by default
ROW_HEIGHT, WIDTH = 1.6, 9.0  # inches

Shapes = Mapping[str, tuple[int, ...]]


def shapes_of(owner: str, names: Any, d: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every named part of d numbers: None, a list of d names, or a mapping of names to shapes."""
    if names is None:
        return {"x": (d,)} if d > 1 else {"x": ()}
    if isinstance(names, Mapping):
        shapes: dict[str, tuple[int, ...]] = {
            str(k): tuple(np.atleast_1d(np.asarray(v, dtype=int)).tolist()) if v != () else () for k, v in names.items()
        }
    else:
        shapes = {str(name): () for name in ([names] if isinstance(names, str) else names)}
    total = sum(int(np.prod(shape)) for shape in shapes.values())
    if total != d:
        raise ParameterError(
            f"{owner}(names=...): the names hold {counted(total, 'number')}, but the start has {d}; give a name "
            "for each, or a mapping of "
            "names to shapes."
        )
    return shapes


def flat_labels(shapes: Shapes) -> tuple[str, ...]:
    """Return the name of every number: mu, theta[0], theta[1], ..."""
    labels = []
    for name, shape in shapes.items():
        labels += [f"{name}[{','.join(map(str, at))}]" for at in np.ndindex(shape)] if shape else [name]
    return tuple(labels)


def resumed_state(owner: str, resume: Any) -> dict[str, Any]:
    """Return what chains go on from, or raise."""
    if not isinstance(resume, Chains) or resume.state.get("sampler") != owner:
        made = getattr(resume, "sampler", type(resume).__name__)
        raise ParameterError(f"{owner}(resume=...): give the chains that {owner} returned, not those of {made}.")
    return resume.state


def after_earlier(
    earlier: "Chains", draws: NDArray, statistics: dict[str, NDArray], seconds: float
) -> tuple[NDArray, dict[str, NDArray], float]:
    """Return draws, statistics and seconds with those of the chains that they go on from before them."""
    joined = {name: np.concatenate([earlier.statistics[name], value], axis=1) for name, value in statistics.items()}
    return np.concatenate([earlier.draws, draws], axis=1), joined, seconds + earlier.seconds


class Chains(Result):
    """Draws of several chains.

    Attributes
    ----------
    draws : ndarray of shape (n_chains, n_draws, n_quantities)
    shapes : dict of str to tuple
        The named parts of a draw.
    labels : tuple of str
        The name of every quantity.
    statistics : dict of str to ndarray of shape (n_chains, n_draws)
        What the sampler says of every draw: `log_prob`, `acceptance_rate`, and of a Hamiltonian one `energy`, `diverging`,
        `tree_depth`, `n_steps`, `reached_max_depth`.
    settings : dict
        What the chains learned while warming up: `step_size`, `covariance`, ... of every chain.
    seconds : float
        Time that the draws took, warm-up included.
    state : dict
        What `sample(resume=chains)` goes on from.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sampling import MetropolisHastings
    >>> walk = MetropolisHastings(lambda x: -0.5 * float(x @ x))
    >>> chains = walk.sample(4000, start=[0.0], names=["mu"], random_state=0)
    >>> chains["mu"].shape, bool(abs(chains["mu"].mean()) < 0.1)
    ((4, 4000), True)
    """

    _in_journals = True  # novum.runtime.journal.values
    draws: Any
    shapes: dict[str, tuple[int, ...]]
    labels: Any
    statistics: dict[str, Any]
    settings: dict[str, Any]
    seconds: float
    state: dict[str, Any]

    def __init__(
        self,
        draws: NDArray[np.float64],
        shapes: Shapes,
        statistics: Mapping[str, NDArray[Any]] | None = None,
        settings: Mapping[str, Any] | None = None,
        seconds: float = float("nan"),
        state: Mapping[str, Any] | None = None,
        sampler: str = "",
    ) -> None:
        self.draws, self.shapes, self.labels = draws, dict(shapes), flat_labels(shapes)
        self.statistics, self.settings = dict(statistics or {}), dict(settings or {})
        self.seconds, self.state, self.sampler = seconds, dict(state or {}), sampler

    def __len__(self) -> int:
        return self.draws.shape[1]

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """Return the draws of a named part, shape (n_chains, n_draws, ...), or of one quantity such as theta[0]."""
        if name in self.shapes:
            at = 0
            for part, shape in self.shapes.items():
                size = int(np.prod(shape))
                if part == name:
                    return self.draws[:, :, at : at + size].reshape(*self.draws.shape[:2], *shape)
                at += size
        if name in self.labels:
            return self.draws[:, :, self.labels.index(name)]
        raise ParameterError(f"Chains[{name!r}]: no such name; there are {first_few(self.shapes, quoted=True)}.")

    @cached_property
    def diagnosis(self) -> ChainDiagnosis:
        """The table of `diagnose`."""
        return diagnose(self)

    def complain(self) -> None:
        """Warn aloud where something speaks against using the draws."""
        if len(self) and self.diagnosis.complaints:
            warn(f"{self.sampler}: {' Also: '.join(self.diagnosis.complaints)}", NotConverged)

    def _result_columns(self) -> dict[str, Any]:
        return self.diagnosis._result_columns()

    def _result_cells(self) -> list[list[str]]:
        return self.diagnosis._result_cells()

    def _result_caption(self) -> str:
        return f"{self._headline()}; {self.diagnosis._result_caption()}"

    def _headline(self) -> str:
        chains, n, _ = self.draws.shape
        return f"{self.sampler}: {counted(chains, 'chain')} of {counted(n, 'draw')}, {num(self.seconds):.2g} s"

    def __repr__(self) -> str:
        return f"{self._headline()}\n{self.diagnosis!r}" if len(self) else self._headline()

    def to_frame(self) -> DataFrame:
        """Return a pandas frame with a row per draw: chain, draw, and a column per quantity."""
        import pandas as pd

        chains, n, d = self.draws.shape
        columns = {"chain": np.repeat(np.arange(chains), n), "draw": np.tile(np.arange(n), chains)}
        flat = self.draws.reshape(-1, d)
        return pd.DataFrame(columns | {label: flat[:, j] for j, label in enumerate(self.labels)})

    def to_dict(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return the groups that `arviz.from_dict` takes: posterior, sample_stats."""
        renamed = {"log_prob": "lp", "reached_max_depth": "reached_max_treedepth"}  # ArviZ's words
        statistics = {renamed.get(name, name): values for name, values in self.statistics.items()}
        return {"posterior": {name: self[name] for name in self.shapes}, "sample_stats": statistics}

    def to_arviz(self) -> Any:
        """Return the draws as ArviZ holds them: an InferenceData, or a DataTree from ArviZ 1 on."""
        import arviz

        groups: dict[str, Any] = self.to_dict()
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict(groups)
        return arviz.from_dict(**groups)

    def plot(self, ax: Axes | None = None, names: Sequence[str] | Mapping[str, tuple[int, ...]] | None = None) -> Axes:
        """Draw the traces beside their histograms, a row per quantity with its R-hat and effective size; one quantity on `ax`."""
        chosen = (
            list(self.labels[:MOST_TRACES]) if names is None else [names] if isinstance(names, str) else list(names)
        )
        for name in chosen:
            self[name]
        chosen = [
            label
            for name in chosen
            for label in ([name] if name in self.labels else flat_labels({name: self.shapes[name]}))
        ]
        if ax is not None:
            self._draw_trace(ax, chosen[0])
            return ax
        figure = new_figure(WIDTH, ROW_HEIGHT * len(chosen) + 0.4)
        panels = figure.subplots(len(chosen), 2, squeeze=False, width_ratios=[3, 1])
        for (left, right), label in zip(panels, chosen):
            self._draw_trace(left, label)
            right.hist(self[label].T, bins=30, histtype="step", density=True)
            right.set_yticks([])
            right.set_xlabel(label)
        return panels

    def _draw_trace(self, ax: Any, label: str) -> None:
        """Draw a line per chain; divergent draws are ticks on the axis."""
        ax.plot(self[label].T, lw=0.5, alpha=0.8)
        if "diverging" in self.statistics:
            divergent = np.flatnonzero(self.statistics["diverging"].any(axis=0))
            if divergent.size:
                ax.plot(
                    divergent, np.full(divergent.size, self[label].min()), "|", color=ink(ax), ms=6, label="divergent"
                )
                draw_legend(ax)
        at = self.labels.index(label)
        ax.set_title(
            f"{label}: R-hat {num(self.diagnosis.r_hat[at]):.3f}, {num(self.diagnosis.ess_bulk[at]):,.0f} effective draws",
            fontsize=SMALL,
        )
        ax.set(xlabel="draw", ylabel=label)

    def plot_path(
        self, x: str, y: str, ax: Axes | None = None, n_draws: int = 50, chain: int = 0, corners: bool | None = None
    ) -> Axes:
        """Draw the first draws of a chain as a path in the plane of two quantities.

        With `corners`, the default for systematic Gibbs sampling, x moves before y: the path is a staircase.
        """
        ax = drawing_axes(ax)
        a, b = self[x][chain, :n_draws], self[y][chain, :n_draws]
        if corners is None:
            corners = self.settings.get("order") == "systematic"
        if corners:
            a, b = np.repeat(a, 2)[1:], np.repeat(b, 2)[:-1]  # (x1, y0) lies between (x0, y0) and (x1, y1)
        ax.plot(a, b, "-", lw=0.8, color=shade(ax, 0.4))
        ax.plot(self[x][chain, :n_draws], self[y][chain, :n_draws], "o", ms=3)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        return ax
