r"""Bounds on the true error R of a hypothesis from its error r on n independent examples; each holds with probability 1 - delta.

    consistent   R <= (ln|H| + ln(1/delta)) / n,  or 1 - (delta/|H|)^(1/n)     finite class, r = 0                    (1)
    agnostic     R <= r + sqrt((ln|H| + ln(1/delta)) / 2n)                     finite class                           (2)
    vc           R <= r + sqrt((h (ln(2n/h) + 1) + ln(4/delta)) / n)           VC dimension h                         (3)
    growth       R <= r + sqrt((ln Pi(2n) + ln(4/delta)) / n)                  growth function Pi; (3) is Sauer's     (4)
    margin       R <= v + sqrt(c/n ((B L / m)^2 ln^2 n + ln(1/delta)))         |w| <= L, |x| <= B, v = share of
                                                                               examples with y w'x < m, c universal   (5)
    rademacher   R <= r + 2 Q + 3 sqrt(ln(2/delta) / 2n)                       Q: empirical Rademacher complexity of
                                                                               the losses, or of the class over m     (6)
    test_set     the largest R with P(Binomial(n, R) <= n r) >= delta          examples not used for fitting          (7)

(1) to (6) hold for all hypotheses of a class at once and hence for the one that was chosen by looking; (7) for one fixed
before, and is the sharpest by far. A bound above one says nothing. In (5) the constant c is not known: with c = 1 it shows
how the bound moves with n and m, no more. Derivation: docs/theory/learning_theory.md.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from scipy.special import betaincinv

from novum.exceptions import ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import cell_text, counted, num
from novum.report.result import Result
from novum.report.style import ink, series
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.typing import Axes, DataFrame, Fittable, Rows, Seed, Target
from novum.theory.capacity import log_growth
from novum.theory.sample_size import log_count

__all__ = ["ErrorBound", "bound_of", "error_bound"]

KINDS = ("consistent", "agnostic", "vc", "growth", "margin", "rademacher", "stability", "test_set")


@dataclass(frozen=True)
class ErrorBound(Result):
    """A bound on the true error; `float(bound)` is its value.

    Attributes
    ----------
    value : float
        True error is at most this with probability 1 - delta, over the draw of the examples.
    training_error : float
        Error on the examples that were counted.
    complexity : float
        What is added to it.
    n : int
    delta : float
    kind : str
        Which inequality.
    capacity : str
        What the class is and how large it was taken to be.
    """

    value: float
    training_error: float
    complexity: float
    n: int
    delta: float
    kind: str
    capacity: str

    def __float__(self) -> float:
        return self.value

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing: every error is at most one."""
        return not self.value < 1

    def __repr__(self) -> str:
        note = "; vacuous: above one it says nothing" if self.vacuous else ""
        return (
            f"error <= {num(self.value):.4f} with probability {num(1 - self.delta):g}"
            f" ({num(self.training_error):.4f} on {counted(self.n, 'example')} + {num(self.complexity):.4f}; "
            f"{self.kind}: {self.capacity}{note})"
        )

    def to_frame(self) -> DataFrame:
        """Return the fields as a frame of one row."""
        import pandas as pd

        return pd.DataFrame([{**vars(self), "vacuous": self.vacuous}])

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(index=False, float_format=cell_text)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the training error and what the inequality adds, as one bar."""
        ax = drawing_axes(ax)
        ax.bar([self.kind], [self.training_error], color=series(ax, 0), label="error on the examples")
        added = min(self.complexity, 10.0)  # an infinite capacity still gives a picture
        look = {"color": series(ax, 3), "alpha": 0.5, "label": "added by the bound"}
        ax.bar([self.kind], [added], bottom=[self.training_error], **look)
        ax.axhline(1.0, color=ink(ax), lw=1, ls=":")
        ax.set(ylabel=f"error, with probability {num(1 - self.delta):g}")
        draw_legend(ax)
        return ax


def by_count(n: int, delta: float, log_h: float, *, consistent: bool, form: str) -> float:
    """Return what (1) or (2) adds."""
    need = log_h - math.log(delta)
    if not consistent:
        return math.sqrt(need / (2 * n))
    return need / n if form == "exponential" else -math.expm1(-need / n)


def by_growth(n: int, delta: float, log_pi: float) -> float:
    """Return what (4) adds, and (3) for log_pi = h (ln(2n/h) + 1)."""
    return math.sqrt((log_pi + math.log(4 / delta)) / n)


def by_margin(n: int, delta: float, margin: float, radius: float, norm: float, constant: float) -> float:
    """Return what (5) adds."""
    return math.sqrt(constant / n * ((radius * norm / margin) ** 2 * math.log(n) ** 2 + math.log(1 / delta)))


def by_rademacher(n: int, delta: float, complexity: float) -> float:
    """Return what (6) adds."""
    return 2 * complexity + 3 * math.sqrt(math.log(2 / delta) / (2 * n))


def by_inversion(n: int, delta: float, errors: int) -> float:
    """Return (7), the upper end of Clopper and Pearson's interval at one-sided level 1 - delta."""
    return 1.0 if errors >= n else float(betaincinv(errors + 1, n - errors, 1 - delta))


def bound_of(added: float, training_error: float, n: int, delta: float, kind: str, capacity: str) -> ErrorBound:
    return ErrorBound(training_error + added, training_error, added, n, delta, kind, capacity)


def infer_kind(kind: Any, training_error: float, log_h: Any, vc: Any, margin: Any, rademacher: Any) -> str:
    """Return the kind that the arguments given determine."""
    if kind is not None:
        return check_choice("error_bound", "kind", kind, KINDS[:3] + ("margin", "rademacher", "test_set"))
    given = [
        name
        for name, value in (("finite", log_h), ("vc", vc), ("margin", margin), ("rademacher", rademacher))
        if value is not None
    ]
    if len(given) != 1:
        raise ParameterError(
            "error_bound: give one of hypotheses, log_hypotheses, vc, margin and rademacher, or a fitted model with X and y, "
            f"or kind='test_set'; got {', '.join(given) or 'none'}."
        )
    if given != ["finite"]:
        return given[0]
    return "consistent" if training_error == 0 else "agnostic"


def from_numbers(
    n: int,
    delta: float,
    training_error: float,
    kind: str,
    log_h: float | None,
    vc: float | None,
    margin: tuple[float, float, float, float] | None,
    rademacher: float | None,
    form: str,
) -> ErrorBound:
    """Return the bound of the given kind."""

    def needed(value: Any, name: str) -> Any:
        if value is None:
            raise ParameterError(f"error_bound(kind={kind!r}): give {name}.")
        return value

    if kind in ("consistent", "agnostic"):
        log_h = needed(log_h, "hypotheses or log_hypotheses")
        if kind == "consistent" and training_error > 0:
            raise ParameterError(
                f"error_bound(kind='consistent', training_error={training_error:g}): this bound is for hypotheses without "
                "error on the examples; pass kind='agnostic'."
            )
        added = by_count(n, delta, log_h, consistent=kind == "consistent", form=form)
        return bound_of(added, training_error, n, delta, kind, f"finite class, ln|H| = {num(log_h):.6g}")
    if kind == "vc":
        h = needed(vc, "vc")
        added = math.inf if math.isinf(h) else by_growth(n, delta, log_growth(2 * n, h))
        return bound_of(added, training_error, n, delta, kind, f"VC dimension {h:g}")
    if kind == "margin":
        width, radius, norm, constant = needed(margin, "margin")
        added = by_margin(n, delta, width, radius, norm, constant)
        said = f"|w| <= {norm:g}, |x| <= {radius:g}, margin {width:g}, constant {constant:g}"
        return bound_of(added, training_error, n, delta, kind, said)
    if kind == "rademacher":
        q = needed(rademacher, "rademacher")
        return bound_of(
            by_rademacher(n, delta, q), training_error, n, delta, kind, f"Rademacher complexity {num(q):.6g}"
        )
    errors = training_error * n
    if abs(errors - round(errors)) > 1e-6 * max(1.0, errors):
        raise ParameterError(
            f"error_bound(kind='test_set', training_error={training_error!r}, n={n}): {errors:g} errors are no whole number."
        )
    value = by_inversion(n, delta, round(errors))
    bound = bound_of(
        value - training_error, training_error, n, delta, kind, "one hypothesis, fixed before these examples"
    )
    return replace(bound, value=value)


def error_bound(
    model: Fittable | None = None,
    X: Rows | None = None,
    y: Target = None,
    delta: float = 0.05,
    *,
    n: int | None = None,
    training_error: float = 0.0,
    hypotheses: int | None = None,
    log_hypotheses: float | None = None,
    vc: float | None = None,
    margin: float | None = None,
    radius: float = 1.0,
    norm: float = 1.0,
    constant: float = 1.0,
    rademacher: float | None = None,
    kind: str | None = None,
    form: str = "exponential",
    held_out: bool = False,
    n_draws: int = 20,
    random_state: Seed = None,
) -> ErrorBound:
    """Return a bound on the true error: of a fitted classifier on (X, y), or from numbers.

    Parameters
    ----------
    model : fitted classifier, default=None
        Linear models, naive Bayes and discriminant analysis, trees, forests and boosting, nearest neighbors, rectangles, dummies,
        pipelines of scalers and one of these; with `held_out` any classifier. None computes from the numbers below.
    X, y : array-like, default=None
        The examples.
    delta : float, default=0.05
        The bound may fail with this probability.
    n : int, default=None
        Number of examples, without a model.
    training_error : float, default=0
        Share of errors among them; for `margin` the share with a smaller margin.
    hypotheses, log_hypotheses : int, float, default=None
        Size of a finite class or its logarithm: (1) without training error, else (2).
    vc : float, default=None
        VC dimension: (3).
    margin : float, default=None
        Margin m, fixed beforehand: (5). With a model, the share of examples below it counts as error: (6), for linear models of two
        classes and AdaBoost.
    radius, norm, constant : float, default=1
        B, L and c of (5), without a model.
    rademacher : float, default=None
        Complexity Q: (6).
    kind : {"consistent", "agnostic", "vc", "margin", "rademacher", "test_set"}, default=None
        Which bound; None is decided by what is given. With a model: None takes the growth function of its class, "margin" and
        "rademacher" as above, the latter estimated by fitting copies to random labels.
    form : {"exponential", "power"}, default="exponential"
        Which of the two forms of (1).
    held_out : bool, default=False
        Whether the examples had no part in fitting or choosing the model: (7). False is always right, and far weaker.
    n_draws : int, default=20
        Random labelings for "rademacher".
    random_state : int, Generator, RandomState or None, default=None
        For these.

    Returns
    -------
    ErrorBound
        With value, its parts, and the capacity that was used, in words.

    Examples
    --------
    >>> from novum.theory import error_bound
    >>> float(round(error_bound(n=1000, training_error=0.1, vc=3).value, 6))
    0.263978
    >>> from sklearn.datasets import load_breast_cancer
    >>> from novum.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> error_bound(GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2], held_out=True)
    error <= .1007 with probability .95 (.0704 on 284 examples + .0303; test_set: one hypothesis, fixed before these examples)
    """
    delta = check_number("error_bound", "delta", delta, 0, 1, open_low=True, open_high=True)
    if model is not None:
        from novum.theory.fitted_bounds import bound_of_model  # needs every family of models

        if (
            n is not None
            or hypotheses is not None
            or log_hypotheses is not None
            or rademacher is not None
            or vc is not None
        ):
            raise ParameterError(
                "error_bound: n and the capacity are read off the model; leave out n, hypotheses, vc and rademacher."
            )
        draws = check_count("error_bound", "n_draws", n_draws)
        return bound_of_model(
            model,
            X=X,
            y=y,
            delta=delta,
            kind=kind,
            margin=margin,
            held_out=bool(held_out),
            n_draws=draws,
            random_state=random_state,
        )
    if X is not None or y is not None:
        raise ParameterError(
            "error_bound: X and y belong to a fitted model; pass it first, or give n and training_error."
        )
    if n is None:
        raise ParameterError("error_bound: give the number of examples as n, or a fitted model with X and y.")
    n = check_count("error_bound", "n", n)
    error = check_number("error_bound", "training_error", training_error, 0, 1)
    form = check_choice("error_bound", "form", form, ("exponential", "power"))
    log_h = log_count("error_bound", hypotheses, log_hypotheses)
    if vc is not None and not (isinstance(vc, float) and math.isinf(vc) and vc > 0):
        vc = check_number("error_bound", "vc", vc, 0)
    widths = None
    if margin is not None:
        widths = (
            check_number("error_bound", "margin", margin, 0, open_low=True),
            check_number("error_bound", "radius", radius, 0, open_low=True),
            check_number("error_bound", "norm", norm, 0, open_low=True),
            check_number("error_bound", "constant", constant, 0, open_low=True),
        )
    if rademacher is not None:
        rademacher = check_number("error_bound", "rademacher", rademacher, 0)
    kind = infer_kind(kind, error, log_h, vc, margin, rademacher)
    return from_numbers(
        n,
        delta=delta,
        training_error=error,
        kind=kind,
        log_h=log_h,
        vc=vc,
        margin=widths,
        rademacher=rademacher,
        form=form,
    )
