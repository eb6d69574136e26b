"""The table of the coefficients of a logistic regression, with what the likelihood says of the whole."""

from dataclasses import dataclass

import numpy as np

from novum.linear_model.least_squares.coefficient_table import UNDEFINED, CoefficientTable
from novum.report.numbers import counted, num

__all__ = ["LogisticInference"]

SCARCE = (
    5.0  # rows of the rarest class for each slope, below which simulated profile intervals of 95 % cover 83 to 93 %
)


@dataclass(frozen=True, repr=False)
class LogisticInference(CoefficientTable):
    """Coefficients of a logistic regression and how far to trust them. Prints as a table; `to_frame()` gives the rows."""

    n_rows: float
    log_likelihood: float
    null_log_likelihood: float
    likelihood_ratio: float
    likelihood_ratio_p_value: float
    degrees_of_freedom: int  # of the likelihood ratio
    pseudo_r_squared: float
    aic: float
    bic: float
    method: str = "wald"
    rarest: float = np.inf  # rows of the rarest class

    def odds_ratios(self) -> np.ndarray:
        """Return exp of the coefficients and of their bounds, one row per coefficient."""
        return np.exp(np.column_stack([self.coef, self.lower, self.upper]))

    def _foot(self) -> list[str]:
        first = f"{num(self.n_rows):.10g} rows, covariance {self.covariance_type}"
        if self.method != "wald":
            first = f"{num(self.n_rows):.10g} rows, p and intervals from the likelihood" + (
                " after Firth" if self.method == "firth" else ""
            )
        ratio = (
            f"likelihood ratio {num(self.likelihood_ratio):.5g} on {counted(self.degrees_of_freedom, 'degree')} of freedom"
            f" (p {num(self.likelihood_ratio_p_value):.3g})"
        )
        ends = f"log-likelihood {num(self.log_likelihood):.6g} (null {num(self.null_log_likelihood):.6g})"
        if self.method == "firth":
            return [first, ratio, f"penalised {ends}"]
        if np.isnan(self.aic):
            return [
                first,
                *self._notes(),
                "rows are weighted, so that there is no likelihood: its ratio, AIC and BIC are undefined",
            ]
        scarce = f"{num(self.rarest):.10g} rows of the rarest class are few: these intervals are too short; method='firth' covers"
        return [
            first,
            *([scarce] if self.method == "profile" and self.rarest < SCARCE * max(1, self.degrees_of_freedom) else []),
            *self._notes(),
            f"{ratio}, pseudo R2 {num(self.pseudo_r_squared):.4f}",
            f"{ends}, AIC {num(self.aic):.6g}, BIC {num(self.bic):.6g}",
        ]

    def _untold(self) -> list[str]:
        if self.method == "wald":
            return super()._untold()
        endless = [name for name, b in zip(self.names, self.coef) if np.isinf(b)]
        anything = [name for name, b in zip(self.names, self.coef) if np.isnan(b)]
        return [
            *([f"the classes are separated: {', '.join(endless)} would be infinite"] if endless else []),
            *([f"{UNDEFINED} is undefined: the other columns separate the classes"] if anything else []),
        ]
