"""Where the columns of a table are in the matrix that a model takes, and what the matrix columns are called."""

from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from novum.evaluation import TemperatureScaledClassifier
from novum.preprocessing.last_values import PARTS
from novum.study.comparison.isotonic import IsotonicScaled
from novum.study.comparison.pipelines import WORDS

__all__ = ["CondensedColumns", "column_words", "condensed", "dense", "how_read", "matrix_places"]

RARE = "infrequent_sklearn"  # the levels that share a column
COMPONENT = "topic"
MOST_NAMED = 3  # columns in a sentence
WAYS = {  # of the parts that not every table has
    "means": "by the mean target of its levels",
    "codes": "by its levels themselves",
    "id means": "numbers that come back, read as categories too (mean target)",
    "lags": "last values and rolling means of the target, as known at the end of the rows learned from",
    "id codes": "numbers that come back, read as categories too (levels)",
}


def dense(X: Any) -> np.ndarray:
    """Return a matrix as an array."""
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)


def matrix_places(columns: Any, frame: Any) -> dict[str, np.ndarray]:
    """Return which columns of the matrix come from which column of the frame."""
    if isinstance(columns, CondensedColumns):
        return columns.places(frame)
    found: dict[str, list[np.ndarray]] = {str(name): [] for name in frame.columns}
    for name, part, chosen in columns.transformers_:
        place = columns.output_indices_[name]
        if name == "remainder":
            continue
        if isinstance(chosen, str):
            found[chosen].append(np.arange(place.start, place.stop))
            continue
        if name == "categories":
            origin = np.array([number for number, _ in levels_of(part, chosen)], dtype=np.intp)
        elif name == "lags":
            origin = np.zeros(place.stop - place.start, dtype=np.intp)  # of the time
        else:  # as many for each
            origin = np.repeat(np.arange(len(chosen)), (place.stop - place.start) // len(chosen))
        for i, column in enumerate(chosen):
            found[column].append(place.start + np.flatnonzero(origin == i))
    return {name: np.concatenate(places) for name, places in found.items()}


def levels_of(part: Any, chosen: list[str]) -> list[tuple[int, str]]:
    """Return the column, by its place, and the level of every 0/1 column."""
    marks = [f"{number}\x1f" for number in range(len(chosen))]
    pairs = [out.split("\x1f", 1) for out in part[-1].get_feature_names_out(marks)]
    return [(int(number), level.removeprefix("_")) for number, level in pairs]


def column_words(columns: Any) -> tuple[list[str], list[tuple[int, int] | None]]:
    """Return the names of the matrix columns in words, and for 0/1 columns their category (by number) and level."""
    names: list[str] = []
    levels: list[tuple[int, int] | None] = []
    for name, part, chosen in columns.transformers_:
        if name == "remainder":
            continue
        if name == "categories":
            for place, (number, level) in enumerate(levels_of(part, chosen)):
                names.append(f"{chosen[number]} is {'(others)' if level == RARE else level}")
                levels.append((number, place))
            continue
        if isinstance(chosen, str):
            made = [f"{chosen.removesuffix(WORDS)} {word}" for word in words_of(part)]
        elif name == "numbers":
            made = [str(column) for column in chosen]
        elif name == "lags":
            made = [f"target of late: {what}" for what in PARTS]
        else:
            what = part.named_steps["encode"].parts_ if name.endswith("means") else ["level"]
            made = [f"{one} of {column}" for column in chosen for one in what]
        names += made
        levels += [None] * len(made)
    return names, levels


def words_of(part: Any) -> list[str]:
    """Return the words, pairs and pieces of words, or the numbers of the components of a text."""
    if hasattr(part, "named_steps"):
        return [f"{COMPONENT} {k + 1}" for k in range(part.named_steps["components"].n_components)]
    several = hasattr(part, "transformer_list")  # their words begin with the name of the part
    words = [str(word) for word in part.get_feature_names_out()]
    return [f"says {word!r}" for word in ([word.split("__", 1)[1] for word in words] if several else words)]


class CondensedColumns:
    """The columns of a linear model with sparse texts, of which every text is one column for each output: its weighted sum."""

    def __init__(self, columns: Any, weights: np.ndarray, texts: dict[str, slice]) -> None:
        self.columns, self.weights, self.texts = columns, weights, texts
        self.others = np.setdiff1d(np.arange(weights.shape[1]), np.concatenate([np.r_[at] for at in texts.values()]))

    def transform(self, frame: Any) -> np.ndarray:
        """Return the matrix."""
        X = sparse.csr_array(self.columns.transform(frame))
        sums = [X[:, at] @ self.weights[:, at].T for at in self.texts.values()]
        return np.hstack([dense(X[:, self.others]), *sums])

    def places(self, frame: Any) -> dict[str, np.ndarray]:
        """Return which columns of the matrix come from which column of the frame."""
        k, n = len(self.weights), len(self.others)
        at_first = matrix_places(self.columns, frame)
        found = {
            name: np.searchsorted(self.others, places) for name, places in at_first.items() if name not in self.texts
        }
        found.update({name: n + k * i + np.arange(k) for i, name in enumerate(self.texts)})
        return {name: found[name] for name in at_first}


def condensed(columns: Any, model: Any) -> tuple[Any, Any]:
    """Return columns and model as explanations take them: of a linear model with sparse texts few columns that say the same."""
    if isinstance(model, TemperatureScaledClassifier):
        made, small = condensed(columns, model.estimator_)
        return made, TemperatureScaledClassifier.from_fitted(small, model.temperature_)
    if isinstance(model, IsotonicScaled):
        made, small = condensed(columns, model.estimator)
        return made, IsotonicScaled(small, model.curves)
    if not getattr(columns, "sparse_output_", False) or not hasattr(model, "coef_"):
        return columns, model
    weights = np.atleast_2d(model.coef_)
    texts = {
        chosen: columns.output_indices_[name] for name, _, chosen in columns.transformers_ if isinstance(chosen, str)
    }
    made = CondensedColumns(columns, weights, texts)
    coef = np.hstack([weights[:, made.others], *[np.eye(len(weights))] * len(texts)])
    small = copy(model)
    small.coef_ = coef if np.ndim(model.coef_) == 2 else coef[0]
    small.n_features_in_ = coef.shape[1]
    return made, small


def how_read(models: list[tuple[str, Any]]) -> list[str]:
    """Return a sentence for each way in which models read columns that can be read in several.

    Parameters
    ----------
    models : list of (name, fitted columns)
    """
    found: dict[tuple[str, str], list[str]] = {}
    for model, columns in models:
        ways: dict[str, list[str]] = {}
        for name, part, chosen in columns.transformers_:
            if isinstance(chosen, str):
                ways.setdefault(text_way(part), []).append(chosen.removesuffix(WORDS))
            elif name in WAYS:
                ways.setdefault(WAYS[name], []).extend(chosen)
        for way, names in ways.items():
            found.setdefault((way, named(names)), []).append(model)
    return [f"{names}: {way}, in {', '.join(models)} (chosen by validation)" for (way, names), models in found.items()]


def text_way(part: Any) -> str:
    """Return how a text is read."""
    if hasattr(part, "named_steps"):
        return (
            f"text by {part.named_steps['components'].n_components} latent components of its words and pieces of words"
        )
    if hasattr(part, "transformer_list"):
        return "text by words, pairs of words and pieces of words"
    return "text by its most frequent words"


def named(names: list[str]) -> str:
    """Return the names of columns for a sentence."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
