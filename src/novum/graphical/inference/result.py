"""What queries return: posteriors, most probable values, and how they print."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.distributions import JointTable
from novum.exceptions import ParameterError
from novum.report.numbers import counted, num
from novum.report.result import Result, result
from novum.report.tables import html_table
from novum.runtime.message_text import first_few, value_text

__all__ = ["ExplainingAway", "Marginals", "MostProbable", "Posterior", "short"]

LEAST_LOG = -700.0  # exp underflows soon after
MOST_STATES = 8  # of a single variable that are printed on one line


def short(number: float, digits: int = 4) -> str:
    """Return a probability without the zero before the point: .2571, 1.0000, 3.1e-12."""
    if 0 < number < 0.5 * 10.0**-digits:
        return f"{num(number):.2g}"
    text = f"{num(number):.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def significant(number: float) -> str:
    """Return four significant digits, without the zero before the point: .315, 2.1e-07."""
    text = f"{num(number):.4g}"
    return text[1:] if text.startswith("0.") else text


def probability_words(name: str, log: float, relation: str = "=") -> str:
    """Return `P(evidence) = .315`, or its logarithm where the number would be zero in floating point."""
    if LEAST_LOG < log < -LEAST_LOG:
        return f"{name} {relation} {significant(float(np.exp(log)))}"
    return f"log {name} {relation} {num(log):.6g}"


class Posterior(Result):
    """P(variables | evidence).

    Attributes
    ----------
    p : ndarray
        An axis per variable, in the order requested.
    names : tuple
    states : dict of variable to tuple of states
    log_evidence : float
        log P(evidence); NaN where the method does not give it (mean field bounds it: `details["bound"]`).
    method : str
    standard_error : ndarray or None
        Of the cells of `p`, where the method draws samples.
    details : dict
        What the method reports: iterations, convergence, samples, ...

    Examples
    --------
    >>> from novum.datasets import load_fuel_gauge
    >>> fuel = load_fuel_gauge().query("fuel", evidence={"gauge": "empty"})
    >>> fuel
    P(fuel | gauge=empty)        empty .2571   full .7429        P(evidence) = .315, exact (variable elimination)
    >>> fuel["empty"].round(6).item(), fuel.mode
    (0.257143, 'full')
    """

    def __init__(
        self,
        p: NDArray[np.float64],
        names: tuple[Any, ...],
        states: Mapping[Any, tuple[Any, ...]],
        given: str = "",
        log_evidence: float = float("nan"),
        method: str = "exact",
        standard_error: NDArray[np.float64] | None = None,
        details: Mapping[str, Any] | None = None,
        relation: str = "=",
    ) -> None:
        self.p, self.names = p, names
        self.states = {name: tuple(states[name]) for name in names}
        self.given, self.log_evidence, self.method = given, float(log_evidence), method
        self.standard_error, self.details = standard_error, dict(details or {})
        self.relation = relation  # of P(evidence) to the number that is printed: "=", "about"

    @property
    def evidence_probability(self) -> float:
        return float(np.exp(self.log_evidence))

    @property
    def mode(self) -> Any:
        """The most probable state, or tuple of states."""
        at = np.unravel_index(int(np.argmax(self.p)), self.p.shape)
        best = tuple(self.states[name][i] for name, i in zip(self.names, at, strict=True))
        return best[0] if len(best) == 1 else best

    def __getitem__(self, state: Any) -> Any:
        """Return the probability of a state; of several variables: of a tuple of states."""
        given = (state,) if len(self.names) == 1 else tuple(state) if isinstance(state, tuple | list) else ()
        if len(given) != len(self.names):
            raise ParameterError(f"Posterior[{value_text(state)}]: name one state for each of {first_few(self.names)}.")
        at = []
        for name, value in zip(self.names, given, strict=True):
            if value not in self.states[name]:
                raise ParameterError(
                    f"Posterior[{value_text(state)}]: {value_text(value)} is no state of {name!r}; its states are "
                    f"{first_few(self.states[name], quoted=True)}."
                )
            at.append(self.states[name].index(value))
        return self.p[tuple(at)]

    def to_table(self) -> JointTable:
        """Return the posterior as a table with the calculus of `novum.distributions`."""
        return JointTable(self.p, tuple(map(str, self.names)), {str(n): s for n, s in self.states.items()})

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per combination of states."""
        import pandas as pd

        index = pd.MultiIndex.from_product(list(self.states.values()), names=self.names)
        frame = pd.DataFrame({"p": self.p.ravel()}, index=index).reset_index()
        if self.standard_error is not None:
            frame["standard_error"] = self.standard_error.ravel()
        return frame

    @property
    def title(self) -> str:
        names = ", ".join(map(str, self.names))
        return f"P({names} | {self.given})" if self.given else f"P({names})"

    @property
    def footnote(self) -> str:
        known = self.given and np.isfinite(self.log_evidence)
        return (
            f"{probability_words('P(evidence)', self.log_evidence, self.relation)}, " if known else ""
        ) + self.method

    def __repr__(self) -> str:
        if len(self.names) == 1 and self.p.size <= MOST_STATES:
            cells = "   ".join(f"{s} {short(v)}" for s, v in zip(self.states[self.names[0]], self.p, strict=True))
            return f"{self.title}        {cells}        {self.footnote}"
        return "\n".join([f"{self.title}        {self.footnote}", *self._rows(20)])

    def _rows(self, most: int) -> list[str]:
        cells = list(np.ndindex(self.p.shape))
        words = [[str(self.states[n][i]) for n, i in zip(self.names, cell, strict=True)] for cell in cells[:most]]
        width = [max([len(str(n)), *(len(w[k]) for w in words)]) for k, n in enumerate(self.names)]
        head = "  ".join(str(n).rjust(w) for n, w in zip(self.names, width, strict=True)) + "      p"
        lines = [head] + [
            "  ".join(v.rjust(w) for v, w in zip(word, width, strict=True)) + f"  {short(float(self.p[cell]))}"
            for word, cell in zip(words, cells, strict=False)
        ]
        if len(cells) > most:
            lines.append(f"... {len(cells) - most} more")
        return ["  " + line for line in lines]

    def _repr_html_(self) -> str:
        rows = [
            [*(str(self.states[n][i]) for n, i in zip(self.names, cell, strict=True)), short(float(self.p[cell]))]
            for cell in list(np.ndindex(self.p.shape))[:200]
        ]
        return html_table([[*map(str, self.names), "p"], *rows], f"{self.title}; {self.footnote}")

    def plot(self, ax: Any = None) -> Any:
        """Draw the probabilities as bars, with two standard errors where they are estimates."""
        from novum.report.axes import drawing_axes

        ax = drawing_axes(ax)
        labels = [
            ", ".join(str(self.states[n][i]) for n, i in zip(self.names, c, strict=True))
            for c in np.ndindex(self.p.shape)
        ]
        error = None if self.standard_error is None else 2 * self.standard_error.ravel()
        ax.bar(labels, self.p.ravel(), yerr=error)
        ax.set(ylim=(0, 1), xlabel=", ".join(map(str, self.names)), ylabel="probability", title=self.title)
        return ax


class Marginals(Mapping[Any, Posterior], Result):
    """The posterior of every variable, by name.

    Examples
    --------
    >>> from novum.datasets import load_fuel_gauge
    >>> found = load_fuel_gauge().marginals(evidence={"gauge": "empty"})
    >>> found["fuel"]["empty"].round(4).item(), list(found)
    (0.2571, ['battery', 'fuel'])
    """

    def __init__(
        self,
        p: dict[Any, NDArray[np.float64]],
        states: Mapping[Any, tuple[Any, ...]],
        given: str,
        log_evidence: float,
        real: Mapping[Any, Any] | None = None,
    ) -> None:
        self._p, self._states, self.given, self.log_evidence = p, states, given, log_evidence
        self._real = dict(real or {})  # of real variables, which have a distribution instead of states

    def __getitem__(self, name: Any) -> Any:
        if name in self._real:
            return self._real[name]
        return Posterior(self._p[name], (name,), self._states, self.given, self.log_evidence, "exact (junction tree)")

    def __iter__(self) -> Iterator[Any]:
        return iter([*self._p, *self._real])

    def __len__(self) -> int:
        return len(self._p) + len(self._real)

    def to_frame(self) -> Any:
        """Return a pandas frame with the columns variable, state, p; with real variables also mean and sd."""
        import pandas as pd

        found = {n: self[n] for n in self._p}
        rows = [(n, s, v) for n, q in found.items() for s, v in zip(q.states[n], q.p.tolist(), strict=True)]
        frame = pd.DataFrame(rows, columns=["variable", "state", "p"])
        return (
            pd.concat([frame, *(q.to_frame() for q in self._real.values())], ignore_index=True) if self._real else frame
        )

    def _result_columns(self) -> dict[str, Any]:
        frame = self.to_frame()
        return {name: frame[name].tolist() for name in frame}

    def __repr__(self) -> str:
        width = max((len(str(name)) for name in self), default=0)
        lines = []
        for name in list(self)[:40]:
            q = self[name]
            if name in self._real:
                lines.append(
                    f"  {str(name).ljust(width)}  mean {num(float(q.mean)):.4g}   sd {num(float(np.sqrt(q.cov))):.4g}"
                )
                continue
            cells = [f"{s} {short(float(v))}" for s, v in zip(q.states[name], q.p, strict=True)]
            lines.append(
                f"  {str(name).ljust(width)}  {'   '.join(cells[:MOST_STATES])}{'   ...' if len(cells) > MOST_STATES else ''}"
            )
        if len(self) > 40:
            lines.append(f"  ... {len(self) - 40} more")
        given = f" given {self.given}" if self.given else ""
        return "\n".join([f"Marginals of {counted(len(self), 'variable')}{given}", *lines])


@result
class ExplainingAway(NamedTuple):
    """The probability of a cause before, after its effect was seen, and after another cause was found."""

    cause: str
    effect: str
    other: str
    prior: float
    given_effect: float
    given_both: float

    def __bool__(self) -> bool:
        return self.given_both < self.given_effect

    def __repr__(self) -> str:
        end = "explained away" if self else "not explained away"
        return (
            f"P({self.cause}) {short(self.prior)}, given {self.effect} {short(self.given_effect)}, given also {self.other} "
            f"{short(self.given_both)}: {end}"
        )


@result
class MostProbable(NamedTuple):
    """argmax P(variables | evidence), with its probability."""

    values: dict[Any, Any]
    probability: float  # P(values | evidence)
    joint_probability: float  # P(values, evidence)
    log_probability: float  # log P(values, evidence)
    given: str

    def __getitem__(self, key: Any) -> Any:
        return self.values[key] if key in self.values else tuple.__getitem__(self, key)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self.values.items())
        given = f" | {self.given}" if self.given else ""
        return f"argmax P({', '.join(map(str, self.values))}{given}): {values}        probability {significant(self.probability)}"
