"""Words that hidden Markov models share: paragraphs of their docstrings, and the lines of their reprs."""

import inspect
from typing import Any

import numpy as np

from novum.report.numbers import counted, decimal

__all__ = ["completed_doc", "describe"]

ALMOST = 0.9995  # a probability that prints as 1.000

PARAGRAPHS = {
    "chain priors": """startprob_prior : float or array-like of shape (n_components,), default=1.0
    Parameters of the Dirichlet prior of `startprob_`; 1 is flat.
transmat_prior : float or array-like of shape (n_components, n_components), default=1.0
    Parameters of the Dirichlet prior of every row of `transmat_`; above 1 keeps states alive.""",
    "learning": """algorithm : {"viterbi", "map"}, default="viterbi"
    What `predict` and `decode` return: the most probable path, or the most probable state of every row.
random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
n_iter : int, default=200
    Most passes; 0 keeps the start.
tol : float, default=1e-4
    Stop when a pass gains less log-likelihood than this.
verbose : bool or int, default=False
    Whether to log every pass, to the logger "novum".""",
    "implementation": """implementation : {"log", "scaling"}, default="log"
    Accepted for hmmlearn's sake: both are scaled, and turn to logarithms where scaling loses a state.""",
    "ours": """n_init : int, default=10
    Starts to try; the best after 20 passes goes on. One where nothing is started afresh.
topology : {"full", "left-right", "banded"}, default="full"
    Transitions that are allowed: all; to the state itself and later ones; to itself and the next. The last two start in state 0,
    with states that are stretches of time.
sticky : float, default=0.0
    Visits from every state to itself that are added to the prior: states last longer.
stationary : bool, default=False
    Whether sequences start in the law that the transitions leave as it is, in place of a start of their own.
n_jobs : int or None, default=None
    Threads over bundles of sequences.""",
    "chain attributes": """startprob_ : array of shape (n_components,)
transmat_ : array of shape (n_components, n_components)
    From row to column.""",
    "learned": """monitor_ : ConvergenceMonitor
    What every pass was reported to: its `history` and `iter`.
converged_ : bool
n_iter_ : int
history_ : History
    Log-likelihood plus log-prior of the parameters that entered every pass, which never falls, and the log-likelihood alone.
log_likelihood_ : float
    Of the data of the fit under the parameters learned (above 100,000 rows: under those that entered the last pass).
n_samples_ : int or None
    Rows of the fit.
bic_one_state_ : float or None
    The Bayesian criterion of one state, for comparison.
n_features_in_, feature_names_in_
    As in scikit-learn.""",
    "order of states": """Notes
-----
States come in the order of their first visit, so that fits can be compared; they keep their numbers where a part of the start was
given (an attribute set, its letter left out of `init_params`), where states are known, and under a topology.""",
}


def completed_doc(doc: str | None) -> str | None:
    """Return the docstring of a class with the paragraphs that it names, `[learning]`, in their places."""
    if doc is None:
        return doc
    lines = inspect.cleandoc(doc).split("\n")
    return "\n".join(
        PARAGRAPHS.get(line[1:-1], line) if line[:1] == "[" and line[-1:] == "]" else line for line in lines
    )


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
    words.append(
        f"converged in {counted(model.n_iter_, 'pass').replace('passs', 'passes')}"
        if model.converged_
        else "not converged"
    )
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
