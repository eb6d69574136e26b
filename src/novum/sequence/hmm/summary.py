"""The repr of a fitted hidden Markov model: a line on the fit, then a line per state."""

from typing import Any

import numpy as np

from novum.report.numbers import counted, decimal

__all__ = ["describe"]

ALMOST = 0.9995  # a probability that prints as 1.000


def describe(model: Any, columns: dict[str, list[str]]) -> str:
    """Return the repr of a fitted model: a line on the fit, then a line per state."""
    k = model._k
    words = [type(model).__name__, counted(k, "state")]
    if model.n_samples_ is not None:
        words.append(counted(model.n_samples_, "observation"))
    criterion = ""
    if model.n_samples_ is not None and np.isfinite(model.log_likelihood_):
        bic = -2 * model.log_likelihood_ + model._n_parameters() * np.log(model.n_samples_)
        one = "" if model.bic_one_state_ is None or k == 1 else f"; one state: {model.bic_one_state_:.1f}"
        criterion = f" (BIC {bic:.1f}{one})"
    words.append(f"log-likelihood {model.log_likelihood_:.3f}{criterion}")
    words.append(f"converged in {counted(model.n_iter_, 'pass')}" if model.converged_ else "not converged")
    stays = np.diag(model.transmat_)
    table = {**columns, "stays": [decimal(float(p)) if p < ALMOST else "1.000" for p in stays]}
    widths = {
        name: max(map(len, cells)) if name == "stays" else max(len(name), *map(len, cells))
        for name, cells in table.items()
    }
    # deviations are shorter than means: their head stands over the middle of them
    heads = [f"{name + ' ' * name.startswith('sd'):>{widths[name]}}" for name in columns]
    lines = [", ".join(words), "   ".join(["   ", *heads, "stays"])]
    for state in range(k):
        cells = [f"{cells[state]:>{widths[name]}}" for name, cells in columns.items()]
        note = "     absorbing" if stays[state] >= ALMOST and k > 1 else ""
        lines.append("   ".join([f"{state:>3d}", *cells, table["stays"][state]]) + note)
    return "\n".join(lines)
