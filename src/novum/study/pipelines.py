"""From a prepared frame to what a model takes: gaps filled, numbers scaled where units matter, categories as 0/1 columns.

Everything is fitted inside the training part of a fold, so no test row ever lends its mean or its categories.
"""

from typing import Any

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from novum.study.candidates import Candidate

__all__ = ["pipeline_for"]

MOST_LEVELS = 40  # of a category that get a column of their own; rarer ones share one


def pipeline_for(candidate: Candidate, frame: Any) -> Pipeline:
    """Return an unfitted pipeline from the columns of a prepared frame to a candidate."""
    numbers = [name for name in frame.columns if frame[name].dtype != object]
    texts = [name for name in frame.columns if frame[name].dtype == object]
    fill: list[Any] = [("fill", SimpleImputer(strategy="median", keep_empty_features=True))]
    if candidate.scaled:
        fill.append(("scale", StandardScaler()))
    encode = [
        ("fill", SimpleImputer(strategy="constant", fill_value="(missing)")),
        (
            "encode",
            OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_LEVELS, sparse_output=False),
        ),
    ]
    parts = [("numbers", Pipeline(fill), numbers)] if numbers else []
    parts += [("categories", Pipeline(encode), texts)] if texts else []
    columns = ColumnTransformer(parts, verbose_feature_names_out=False)
    return Pipeline([("columns", columns), ("model", clone(candidate.estimator))])
