"""What chains are worth, as a table with a verdict in words; formulas: `novum.sampling.convergence`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.report.axes import name_places
from novum.report.legends import draw_legend
from novum.report.numbers import num, number
from novum.report.result import Result
from novum.runtime.checks import check_level, float_array
from novum.runtime.message_text import first_few
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count
from novum.runtime.typing import Numbers
from novum.sampling.convergence import energy_fraction, ess_tail, mcse_mean, mcse_sd, mixing

if TYPE_CHECKING:
    from novum.sampling.chains import Chains


__all__ = ["ChainDiagnosis", "diagnose"]

MOST_R_HAT = 1.01  # Vehtari and others (2021)
LARGEST = 1e150  # number whose square, and sums of such, are still numbers
LEAST_ESS_PER_CHAIN = 100  # below, R-hat and ESS are not to be trusted themselves
MANY_NUMBERS = 100_000  # draws of all quantities from which on threads share them
LEAST_ENERGY_FRACTION = 0.3  # Betancourt (2016)


@dataclass(frozen=True, repr=False)
class ChainDiagnosis(Result):
    """How well chains have mixed; true in an `if` where nothing speaks against using them.

    Attributes
    ----------
    names : tuple of str
    mean, sd, low, high : ndarray
        Of every quantity; `low` and `high` bound the central share `level`.
    mcse_mean, mcse_sd : ndarray
        What the mean and the sd may be off by, as a standard error.
    ess_bulk, ess_tail, r_hat : ndarray
    energy_fraction : ndarray or None
        E-BFMI of every chain, where the sampler has an energy.
    n_divergent, n_deepest : int
        Draws whose trajectory diverged, or was cut off at the largest depth.
    complaints : tuple of str
        What speaks against using the draws, with the remedy; empty where nothing does.
    level : float
    """

    names: tuple[str, ...]
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    mcse_mean: NDArray[np.float64]
    mcse_sd: NDArray[np.float64]
    ess_bulk: NDArray[np.float64]
    ess_tail: NDArray[np.float64]
    r_hat: NDArray[np.float64]
    energy_fraction: NDArray[np.float64] | None
    n_divergent: int
    n_deepest: int
    complaints: tuple[str, ...]
    level: float

    def __bool__(self) -> bool:
        return not self.complaints

    def _result_columns(self) -> dict[str, Any]:
        tail = (1 - self.level) / 2
        return {
            "name": list(self.names),
            "mean": self.mean.tolist(),
            "sd": self.sd.tolist(),
            f"{100 * tail:g}%": self.low.tolist(),
            f"{100 * (1 - tail):g}%": self.high.tolist(),
            "mcse_mean": self.mcse_mean.tolist(),
            "mcse_sd": self.mcse_sd.tolist(),
            "ess_bulk": self.ess_bulk.tolist(),
            "ess_tail": self.ess_tail.tolist(),
            "r_hat": self.r_hat.tolist(),
        }

    def _result_scalars(self) -> dict[str, Any]:
        return {"n_divergent": self.n_divergent, "n_deepest": self.n_deepest}

    def _result_cells(self) -> list[list[str]]:
        columns = self._result_columns()
        whole = ("ess_bulk", "ess_tail")
        texts = {"name": columns.pop("name")[:60]}
        for name, values in columns.items():
            show = (
                (lambda v: f"{num(v):,.0f}")
                if name in whole
                else (lambda v: f"{num(v):.3f}")
                if name == "r_hat"
                else number
            )
            texts[name] = [show(v) if np.isfinite(v) else "-" for v in values[:60]]
        rows = [list(row) for row in zip(*([name, *column] for name, column in texts.items()))]
        left = len(self.names) - 60
        return [*rows, [f"... {left} more", *[""] * (len(texts) - 1)]] if left > 0 else rows

    def _result_caption(self) -> str:
        return "; ".join(self.complaints) if self.complaints else "nothing speaks against these chains"

    def __repr__(self) -> str:
        from novum.report.tables import text_table

        verdict = [f"! {words}" for words in self.complaints] or ["nothing speaks against these chains"]
        return "\n".join([*text_table(self._result_cells(), indent=""), *verdict])

    def _result_picture(self, ax: Any) -> None:
        places = np.arange(len(self.names))
        ax.plot(self.ess_bulk, places, "o", label="bulk")
        ax.plot(self.ess_tail, places, "s", label="tail")
        name_places(ax, "y", places, self.names)
        ax.set_xlabel("effective draws")
        ax.invert_yaxis()
        draw_legend(ax)


def quantities(chains: Any) -> tuple[tuple[str, ...], NDArray[np.float64], Mapping[str, Any]]:
    """Return names, draws (chains, draws, quantities) and statistics of whatever holds chains."""
    if hasattr(chains, "draws") and hasattr(chains, "labels"):
        return chains.labels, chains.draws, chains.statistics
    if isinstance(chains, Mapping):
        names, columns = [], []
        for name, value in chains.items():
            array = float_array("diagnose", f"chains[{name!r}]", value).astype(np.float64, copy=False)
            if array.ndim < 2:
                raise DataError(
                    f"diagnose: {name!r} has shape {array.shape}; give (chains, draws) or (chains, draws, ...)."
                )
            flat = array.reshape(*array.shape[:2], -1)
            names += (
                [f"{name}[{','.join(map(str, at))}]" for at in np.ndindex(array.shape[2:])]
                if array.ndim > 2
                else [name]
            )
            columns.append(flat)
        if not columns or len({c.shape[:2] for c in columns}) > 1:
            raise DataError(
                "diagnose: every quantity needs the same number of chains and of draws, and there must be one."
            )
        return tuple(names), np.concatenate(columns, axis=2), {}
    array = float_array("diagnose", "chains", chains).astype(np.float64, copy=False)
    if array.ndim == 2:
        return ("x",), array[:, :, None], {}
    if array.ndim != 3 or not array.size:
        raise DataError(
            f"diagnose: an array of shape {array.shape} holds no chains; give (chains, draws[, quantities])."
        )
    return tuple(f"x[{j}]" for j in range(array.shape[2])), array, {}


def complaints_of(
    names: tuple[str, ...],
    finite: NDArray[np.bool_],
    hat: Any,
    bulk: Any,
    tail: Any,
    n_chains: int,
    n_divergent: int,
    n_deepest: int,
    energy: Any,
) -> list[str]:
    """Return what speaks against using the draws, each with its remedy; `finite`: of which quantities the squares are."""
    said = []
    with np.errstate(invalid="ignore"):
        unmixed, few = np.flatnonzero(hat > MOST_R_HAT), np.fmin(bulk, tail)
    endless = np.flatnonzero(~finite)
    stuck = np.flatnonzero(np.isnan(hat) & finite)
    if endless.size:
        said.append(
            f"{first_few([names[j] for j in endless])} hold NaN, infinity or numbers whose squares overflow: nothing can be said "
            "of them. Mend what drew them, or rescale."
        )
    if unmixed.size:
        worst = unmixed[np.argmax(hat[unmixed])]
        said.append(
            f"the chains have not mixed: R-hat of {names[worst]} is {num(hat[worst]):.3f} (should be below {MOST_R_HAT}; "
            f"{unmixed.size} of {len(names)} quantities). Raise n_warmup= and n_samples=, or write the model in other parameters."
        )
    if stuck.size:
        said.append(
            f"{first_few([names[j] for j in stuck])} did not move, or hold too few draws to judge; look at the acceptance rate."
        )
    least = LEAST_ESS_PER_CHAIN * n_chains
    if np.isfinite(few).any() and np.nanmin(few) < least:
        worst = int(np.nanargmin(few))
        said.append(
            f"{names[worst]} has {num(few[worst]):.0f} effective draws only (at least {least} are wanted); raise n_samples=."
        )
    if n_divergent:
        said.append(
            f"{n_divergent} trajectories diverged: the draws miss a region where the density bends sharply. Raise target_accept= "
            "(to 0.95 or 0.99) or write the model in other parameters (non-centered, log scales)."
        )
    if n_deepest:
        said.append(
            f"{n_deepest} trajectories were cut off at max_depth; raise it, use metric='dense', or rescale the parameters."
        )
    if energy is not None and np.nanmin(energy) < LEAST_ENERGY_FRACTION:
        said.append(
            f"the energy moves slowly (E-BFMI {num(np.nanmin(energy)):.2f}, should be above "
            f"{LEAST_ENERGY_FRACTION}): heavy tails are "
            "explored badly; write the model in other parameters."
        )
    return said


def judged(x: NDArray[np.float64]) -> tuple[float, ...]:
    """Return R-hat, the effective sizes of bulk and tail, and the errors of mean and sd, of one quantity."""
    return *mixing(x), ess_tail(x), mcse_mean(x), mcse_sd(x)


def diagnose(chains: "Chains | Numbers | Mapping[str, Any]", *, level: float = 0.9) -> ChainDiagnosis:
    """Say what chains are worth: R-hat, effective sizes, Monte Carlo errors, divergences, energy.

    Parameters
    ----------
    chains : Chains, array of shape (chains, draws[, quantities]), or mapping of names to such arrays
    level : float, default=0.9
        Share of the draws between the columns `low` and `high`.

    Returns
    -------
    ChainDiagnosis
        Rank-normalised split R-hat, bulk and tail effective sizes and Monte Carlo errors, equal to ArviZ's, and
        complaints in words.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sampling import diagnose
    >>> found = diagnose(np.random.default_rng(0).normal(size=(4, 1000)))
    >>> bool(found), float(found.r_hat[0].round(2))
    (True, 1.0)
    >>> stuck = diagnose(np.random.default_rng(0).normal(size=(4, 1000)) + [[0], [0], [0], [3]])
    >>> bool(stuck), stuck.complaints[0][:28]
    (False, 'the chains have not mixed: R')
    """
    level = check_level("diagnose", level)
    names, draws, statistics = quantities(chains)
    if draws.ndim != 3 or not draws.shape[1]:
        raise ParameterError("diagnose: there are no draws yet.")
    finite = (draws.max(axis=(0, 1)) < LARGEST) & (draws.min(axis=(0, 1)) > -LARGEST)
    n_threads = thread_count() if draws.size > MANY_NUMBERS else 1
    found = list(
        map_ordered(
            lambda j: judged(np.ascontiguousarray(draws[:, :, j])) if finite[j] else (np.nan,) * 5,
            range(draws.shape[2]),
            n_threads,
        )
    )
    shown = draws if finite.all() else np.where(finite, draws, np.nan)
    hat, bulk, tail, of_mean, of_sd = np.array(found).T
    energy = energy_fraction(statistics["energy"]) if "energy" in statistics and draws.shape[1] > 1 else None
    n_divergent = int(np.sum(statistics.get("diverging", 0)))
    n_deepest = int(np.sum(statistics.get("reached_max_depth", 0)))
    return ChainDiagnosis(
        names=names,
        mean=shown.mean(axis=(0, 1)),
        sd=shown.std(axis=(0, 1), ddof=1) if draws.shape[0] * draws.shape[1] > 1 else np.full(draws.shape[2], np.nan),
        low=np.quantile(shown, (1 - level) / 2, axis=(0, 1)),
        high=np.quantile(shown, (1 + level) / 2, axis=(0, 1)),
        mcse_mean=of_mean,
        mcse_sd=of_sd,
        ess_bulk=bulk,
        ess_tail=tail,
        r_hat=hat,
        energy_fraction=energy,
        n_divergent=n_divergent,
        n_deepest=n_deepest,
        complaints=tuple(
            complaints_of(
                names,
                finite=finite,
                hat=hat,
                bulk=bulk,
                tail=tail,
                n_chains=len(draws),
                n_divergent=n_divergent,
                n_deepest=n_deepest,
                energy=energy,
            )
        ),
        level=level,
    )
