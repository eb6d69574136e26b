"""The same table in every home of data, and what an estimator says of it there: agreement in digits, or a refusal in words."""

from itertools import pairwise

import numpy as np
import pandas as pd
import scipy.sparse

import novum
from novum.exceptions import DataError, ParameterError

PREDICTIONS = (
    *("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "score_samples", "apply"),
    *("kneighbors", "predict_distribution", "responsibilities"),
)
FILES, DASK = ("npy", "csv", "parquet"), ("array", "frame")
REFUSALS = (DataError, ParameterError)
BROUGHT = {  # of the rows of files and of Dask, beside sums; what compares rows with each other keeps all of them
    "sample": (
        *(
            "BayesianGaussianMixture",
            "GaussianMixture",
            "HistGradientBoostingClassifier",
            "HistGradientBoostingRegressor",
        ),
        *(
            "KMeans",
            "Mixture",
            "MLPClassifier",
            "MLPRegressor",
            "NoveltyDetector",
            "Nystroem",
            "RBFNetwork",
            "RadialBasis",
        ),
        *("SparseGaussianProcessRegressor",),
    ),
    "leaves": (
        *("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"),
        *("RandomForestClassifier", "RandomForestRegressor"),
    ),
}
WORDS = ("memory", "sample of the rows", "batches", "give", "use ")  # a refusal says why, or what to do instead


def brought(name):
    """Return what an estimator brings of the rows into this process beside sums."""
    return next((kind for kind, names in BROUGHT.items() if name in names), "")


def partitions(n):
    """Return the rows of Dask partitions: uneven, one of them empty."""
    return (n // 3, 0, 7, n - n // 3 - 7)


def in_file(kind, X, y, folder):
    """Return X and y as a scan in batches of 25 rows."""
    target = None
    if kind == "npy":
        np.save(folder / "rows.npy", X)
        if y is not None:
            np.save(folder / "target.npy", y)
            target = folder / "target.npy"
    else:
        frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
        if y is not None:
            names = ["t"] if y.ndim == 1 else [f"t{j}" for j in range(y.shape[1])]
            frame[names] = y[:, None] if y.ndim == 1 else y
            target = "t" if y.ndim == 1 else names
        write = {"csv": lambda path: frame.to_csv(path, index=False), "parquet": frame.to_parquet}[kind]
        write(folder / f"rows.{kind}")
    return novum.scan(folder / f"rows.{kind}", target=target, batch_rows=25), None


def partitions_by_label(y):
    """Return the rows of the partitions of sorted labels: one for every label, and an empty one."""
    return (0, *np.unique(y, return_counts=True)[1].tolist())


def on_dask(kind, X, y, chunks=None):
    """Return X and y as Dask collections."""
    import dask.array as da
    import dask.dataframe as dd

    chunks = partitions(len(X)) if chunks is None else chunks
    target = None if y is None else da.from_array(y, chunks=(chunks, *y.shape[1:]))
    if kind == "array":
        return da.from_array(X, chunks=(chunks, X.shape[1])), target
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    edges = np.cumsum([0, *chunks])
    lazy = dd.concat([dd.from_pandas(frame.iloc[a:b], npartitions=1) for a, b in pairwise(edges)])
    return lazy, target


def home(kind, X, y, folder, chunks=None):
    """Return (X, y) as they are given to `fit` in that home."""
    return in_file(kind, X, y, folder) if kind in FILES else on_dask(kind, X, y, chunks)


def predicts(model, name):
    """Return whether the model has a prediction of rows alone under that name."""
    return hasattr(model, name) and not (name == "responsibilities" and type(model).__name__ == "MixtureOfExperts")


def gathered(answer):
    """Return an answer of any home as it would be in memory."""
    if isinstance(answer, tuple):
        return tuple(gathered(part) for part in answer)
    if hasattr(answer, "compute"):
        return answer.compute()
    if not hasattr(answer, "__next__"):
        return answer
    batches = list(answer)
    if isinstance(batches[0], tuple):
        return tuple(np.concatenate(parts) for parts in zip(*batches))
    if isinstance(batches[0], list):
        return [one for batch in batches for one in batch]
    return scipy.sparse.vstack(batches) if scipy.sparse.issparse(batches[0]) else np.concatenate(batches)


def difference(a, b):
    """Return the largest difference between two answers, relative to the largest number; the share of unequal labels."""
    if isinstance(a, tuple):
        return max(difference(x, y) for x, y in zip(a, b, strict=True))
    a, b = (x.toarray() if scipy.sparse.issparse(x) else np.asarray(x) for x in (a, b))
    assert a.shape == b.shape
    if a.dtype == object and a.size and hasattr(a.flat[0], "mean"):
        a, b = (np.array([np.ravel([one.mean, one.std]) for one in x.flat]) for x in (a, b))  # distributions
    if a.dtype.kind != "f":
        return float((a != b).mean())
    same = (a == b) | (np.isnan(a) & np.isnan(b))  # also minus infinity, the logarithm of zero
    gap = np.subtract(a, b, out=np.zeros_like(a), where=~same)
    return float(np.abs(gap).max(initial=0.0) / max(np.abs(a[np.isfinite(a)]).max(initial=0.0), 1e-300))


def refuses_in_words(error, name):
    """Return whether an error names the estimator and says what is wrong or what to do."""
    return name in str(error) and any(word in str(error) for word in WORDS)
