"""Pictures of naive Bayes: what each class expects of each feature as a heat table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.base.fitted import check_is_fitted
from novum.exceptions import ParameterError
from novum.report.axes import FRAME, LARGEST, WIDE, drawing_axes, name_places
from novum.report.numbers import num
from novum.runtime.typing import Axes, Classifier

__all__ = ["plot_class_tables"]

SMALLEST_LETTER = 5.0  # points of numbers in cells; smaller ones are left out
LONGEST_NUMBER = 8  # letters
MOST_NUMBERS = 120  # cells up to which their values are written into the table


def table_of(model: Any) -> tuple[np.ndarray, list[str]]:
    """Return the probabilities (or means) of every class (k, columns), and names of the columns."""
    given = getattr(model, "feature_names_in_", None)
    if isinstance(getattr(model, "feature_log_prob_", None), list):
        names = given if given is not None else [f"x{j}" for j in range(model.n_features_in_)]
        columns = [f"{name}={a}" for name, part in zip(names, model.feature_log_prob_) for a in range(part.shape[1])]
        return np.exp(np.hstack(model.feature_log_prob_)), columns
    for attribute, function in (("feature_log_prob_", np.exp), ("theta_", np.asarray)):
        if hasattr(model, attribute):
            values = function(getattr(model, attribute))
            return values, list(given) if given is not None else [f"x{j}" for j in range(values.shape[1])]
    raise ParameterError(f"plot_class_tables: {type(model).__name__} has neither feature_log_prob_ nor theta_.")


def plot_class_tables(model: Classifier, feature_names: Sequence[Any] | None = None, ax: Axes | None = None) -> Axes:
    """Draw the parameters of every class as a heat table.

    Parameters
    ----------
    model : fitted naive Bayes classifier
    feature_names : sequence of str, default=None
        Names of the columns of the table; None takes those of `fit`.
    ax : matplotlib Axes, default=None

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(model)
    values, names = table_of(model)
    names = names if feature_names is None else list(feature_names)
    if len(names) != values.shape[1]:
        raise ParameterError(f"plot_class_tables: {len(names)} feature_names for {values.shape[1]} columns.")
    ax = drawing_axes(ax)
    ax.imshow(values, aspect="auto", cmap="Blues")
    name_places(ax, "x", range(len(names)), names)
    ax.set_yticks(range(len(model.classes_)), [str(label) for label in model.classes_])
    ax.set(xlabel="column", ylabel="class")
    size = letter_size(ax, len(names))
    if values.size <= MOST_NUMBERS and size >= SMALLEST_LETTER:
        middle = (values.max() + values.min()) / 2
        for (i, j), value in np.ndenumerate(values):
            color = "white" if value > middle else "black"  # on blue and on nearly white
            ax.text(j, i, f"{num(value):.3g}", ha="center", va="center", color=color, fontsize=size)
    return ax


def letter_size(ax: Any, n_columns: int) -> float:
    """Return the points of letters with which the longest number fits a cell of a table of so many columns."""
    inches = ax.get_figure().get_size_inches()[0] * ax.get_position().width
    return min(LARGEST, 72 * FRAME * inches / n_columns / (LONGEST_NUMBER * WIDE))
