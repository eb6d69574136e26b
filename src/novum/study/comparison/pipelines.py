r"""From a prepared frame to what a model takes: gaps filled, numbers scaled where units matter, categories and texts made numbers.

A column that can be read in several ways has a treatment for each (which one is kept, `novum.study.comparison.treatments` decides
by validation). Of categories:

    one-hot     0/1 columns of the most frequent levels; rarer ones share a column
    target      of columns with many levels, the mean target of the level, drawn to that of all rows by how few it has, and how
                many these are (novum.preprocessing.level_means); a training row is given those of the rows in other folds
    native      the number of the level, of which the trees know that its order means nothing
    codes       the number of the level, for other trees
    native, target;  codes, target      both

Whole numbers that come back (of a student, a shop) may be read as categories as well as numbers. Of texts:

    words       weights of the most frequent words
    n-grams     weights of words, pairs of words and pieces of three to five letters; sparse
    components  the leading directions of these weights, (U S) of a truncated singular value decomposition

Where rows have a time, what the target was of late may be added (novum.preprocessing.last_values).

Everything is fitted inside the training part of a fold, so no test row ever lends its mean, its target or its categories.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from novum.feature_extraction.text import TfidfVectorizer
from novum.preprocessing import LastValues, LevelMeans

__all__ = [
    *("CODES", "CODES_AND_TARGET", "NATIVE", "NATIVE_AND_TARGET", "ONE_HOT", "PLAIN", "TARGET", "WORDS"),
    *("Treatment", "columns_for", "many_levels", "pipeline_of", "text_columns", "with_native"),
]

MOST_LEVELS = 40  # of a category that get a column of their own; rarer ones share one
MOST_NATIVE = 200  # of a category that trees split by; rarer ones share a number
MANY = 10  # levels above which there is more than one way to read a category
MOST_WORDS = 200  # of a column of free text: the most frequent
MOST_GRAMS = (5_000, 5_000)  # words and pairs, pieces of words
LEAST_ROWS_OF_A_GRAM = 2
COMPONENTS = 32
WORDS = " (words)"  # ends the name of a column of free text
TARGET_FOLDS = 5
ONE_HOT, TARGET, NATIVE, CODES = "one-hot", "target", "native", "codes"
NATIVE_AND_TARGET, CODES_AND_TARGET = "native, target", "codes, target"
BY_MEANS, BY_NUMBERS = (
    (TARGET, NATIVE_AND_TARGET, CODES_AND_TARGET),
    (NATIVE, CODES, NATIVE_AND_TARGET, CODES_AND_TARGET),
)


class Treatment(NamedTuple):
    """How the columns that can be read in several ways are read."""

    categories: str = ONE_HOT
    ids: tuple[str, ...] = ()  # columns of whole numbers that are read as categories too
    texts: str = "words"
    lags: tuple[str, ...] = ()  # the column of time, and a key whose rows are a series of their own


PLAIN = Treatment()


def text_columns(frame: Any) -> tuple[list[str], list[str], list[str]]:
    """Return the columns of numbers, of categories and of free text."""
    kinds = dict(zip(frame.columns, frame.dtypes))
    numbers = [name for name, kind in kinds.items() if kind.kind != "O"]
    words = [name for name, kind in kinds.items() if kind.kind == "O" and name.endswith(WORDS)]
    return numbers, [name for name in kinds if name not in {*numbers, *words}], words


def many_levels(frame: Any, names: list[str]) -> list[str]:
    """Return the categories that have more levels than everybody gives a column of its own."""
    return [name for name in names if frame[name].nunique() > MANY]


def columns_for(frame: Any, scaled: bool, treatment: Treatment = PLAIN, seed: int = 0) -> ColumnTransformer:
    """Return what turns a prepared frame into a matrix, not yet fitted."""
    numbers, categories, words = text_columns(frame)
    fill: list[Any] = [("fill", SimpleImputer(strategy="median", keep_empty_features=True))]
    scale: list[Any] = [("scale", StandardScaler())] if scaled else []
    gaps = ("fill", SimpleImputer(strategy="constant", fill_value="(missing)"))
    many = many_levels(frame, categories) if treatment.categories in BY_MEANS else []
    coded = categories if treatment.categories in BY_NUMBERS else []
    marked = [name for name in categories if name not in {*many, *coded}]
    sparse = treatment.texts == "n-grams" and bool(words)
    parts: list[Any] = [("numbers", Pipeline([*fill, *scale]), numbers)] if numbers else []
    if marked:
        parts.append(("categories", Pipeline([gaps, ("encode", one_hot(sparse))]), marked))
    if many:
        parts.append(("means", Pipeline([("encode", target_means(seed)), *scale]), many))
    if coded:
        parts.append(("codes", Pipeline([gaps, ("encode", level_numbers(treatment.categories))]), coded))
    if treatment.ids:
        ids = list(treatment.ids)
        if treatment.categories in BY_NUMBERS:
            parts.append(("id codes", Pipeline([("encode", level_numbers(treatment.categories))]), ids))
        if treatment.categories in BY_MEANS or treatment.categories not in BY_NUMBERS:
            parts.append(("id means", Pipeline([("encode", target_means(seed)), *scale]), ids))
    if treatment.lags:
        parts.append(("lags", Pipeline([("lags", LastValues(random_state=seed)), *scale]), list(treatment.lags)))
    parts += [(name, of_text(treatment.texts, scaled, seed), name) for name in words]
    return ColumnTransformer(parts, verbose_feature_names_out=False, sparse_threshold=1.0 if sparse else 0)


def one_hot(sparse: bool) -> OneHotEncoder:
    """Return 0/1 columns of the most frequent levels."""
    return OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=MOST_LEVELS, sparse_output=sparse)


def target_means(seed: int) -> LevelMeans:
    """Return what gives every level its mean target, and the number of its rows."""
    return LevelMeans(cv=TARGET_FOLDS, random_state=seed)


def level_numbers(how: str) -> OrdinalEncoder:
    """Return the numbers of levels; one that was not seen is missing."""
    native = how in (NATIVE, NATIVE_AND_TARGET)
    return OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=np.nan if native else -1,
        encoded_missing_value=np.nan if native else -2,
        max_categories=MOST_NATIVE if native else None,
    )


def of_text(how: str, scaled: bool, seed: int) -> Any:
    """Return what makes numbers of a column of free text."""
    if how == "words":
        return TfidfVectorizer(max_features=MOST_WORDS, sublinear_tf=True)
    words, pieces = MOST_GRAMS
    shared: Any = {"sublinear_tf": True, "min_df": LEAST_ROWS_OF_A_GRAM}
    grams = FeatureUnion(
        [
            ("words", TfidfVectorizer(max_features=words, ngram_range=(1, 2), **shared)),
            ("pieces", TfidfVectorizer(max_features=pieces, analyzer="char_wb", ngram_range=(3, 5), **shared)),
        ]
    )
    if how == "n-grams":
        return grams
    scale: list[Any] = [("scale", StandardScaler())] if scaled else []
    return Pipeline([("grams", grams), ("components", TruncatedSVD(COMPONENTS, n_iter=3, random_state=seed)), *scale])


def pipeline_of(columns: Any, model: Any) -> Pipeline:
    """Return one estimator of two fitted parts."""
    return Pipeline([("columns", columns), ("model", model)])


def with_native(estimator: Any, columns: Any) -> Any:
    """Return an estimator that knows which columns of the matrix are numbers of levels."""
    if getattr(columns, "named_transformers_", None) is None or "categorical_features" not in estimator.get_params(
        deep=False
    ):
        return estimator
    native = [
        j
        for name, part, _ in columns.transformers_
        if name in ("codes", "id codes") and np.isnan(part[-1].unknown_value)
        for j in range(columns.output_indices_[name].start, columns.output_indices_[name].stop)
    ]
    return clone(estimator).set_params(categorical_features=native) if native else estimator
