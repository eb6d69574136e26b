"""From a prepared frame to what a model takes.

Gaps are filled, numbers scaled where units matter, categories become 0/1 columns, free text becomes the weights of its words.
Everything is fitted inside the training part of a fold, so no test row ever lends its mean or its categories.
"""

from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from novum.feature_extraction.text import TfidfVectorizer

__all__ = ["WORDS", "columns_for", "pipeline_of"]

MOST_LEVELS = 40  # of a category that get a column of their own; rarer ones share one
MOST_WORDS = 200  # of a column of free text: the most frequent
WORDS = " (words)"  # ends the name of a column of free text


def columns_for(frame: Any, scaled: bool) -> ColumnTransformer:
    """Return what turns a prepared frame into a matrix, not yet fitted."""
    kinds = dict(zip(frame.columns, frame.dtypes))
    numbers = [name for name, kind in kinds.items() if kind.kind != "O"]
    words = [name for name, kind in kinds.items() if kind.kind == "O" and name.endswith(WORDS)]
    texts = [name for name, kind in kinds.items() if kind.kind == "O" and not name.endswith(WORDS)]
    fill: list[Any] = [("fill", SimpleImputer(strategy="median", keep_empty_features=True))]
    if scaled:
        fill.append(("scale", StandardScaler()))
    encode = [
        ("fill", SimpleImputer(strategy="constant", fill_value="(missing)")),
        (
            "encode",
            OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_LEVELS, sparse_output=False),
        ),
    ]
    parts: list[Any] = [("numbers", Pipeline(fill), numbers)] if numbers else []
    parts += [("categories", Pipeline(encode), texts)] if texts else []
    parts += [(name, TfidfVectorizer(max_features=MOST_WORDS, sublinear_tf=True), name) for name in words]
    return ColumnTransformer(parts, verbose_feature_names_out=False, sparse_threshold=0)


def pipeline_of(columns: Any, model: Any) -> Pipeline:
    """Return one estimator of two fitted parts."""
    return Pipeline([("columns", columns), ("model", model)])
