"""Hold-out scores of `novum study` beside scikit-learn's usual three, each tuned by a search of equal time, on public tables.

    python -m benchmarks.studies [--seconds 20] [--seeds 1] [--peers peers.json] [--only name ...]

Every table is parted as the study parts it; each peer is searched on the training rows for so many seconds of a processor, with
five folds, and judged once on the rows put away; the seconds of the study stand beside it. What counts is the
mean rank over tables. Tables ship with scikit-learn, statsmodels and vega_datasets; those not installed are left out.

`python -m benchmarks.studies --coverage` simulates studies and counts how often the reported interval holds the true score.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn import datasets as bundled
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, root_mean_squared_error
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from novum.study import Study
from novum.study.folds import split_rows

TEXT = make_column_selector(dtype_include=["object", "category", "string"])
NUMBERS = make_column_selector(dtype_include=["number", "bool"])


# ---------------------------------------------------------------------------------------------------- tables


def from_sklearn(name):
    return getattr(bundled, f"load_{name}")(as_frame=True).frame


def from_statsmodels(name, **columns):
    from statsmodels import datasets

    return getattr(datasets, name).load_pandas().data.assign(**columns)


def from_vega(name):
    from vega_datasets import data

    return getattr(data, name)()


def fair():
    return from_statsmodels("fair", unfaithful=lambda f: np.where(f["affairs"] > 0, "yes", "no")).drop(
        columns="affairs"
    )


def weather():
    return from_vega("seattle_weather").assign(month=lambda f: f["date"].dt.month).drop(columns="date")


def star98():
    frame = from_statsmodels("star98")
    return frame.assign(share=frame["NABOVE"] / (frame["NABOVE"] + frame["NBELOW"])).drop(columns=["NABOVE", "NBELOW"])


def cars():
    return from_vega("cars").drop(columns="Name").assign(Year=lambda f: pd.to_datetime(f["Year"]).dt.year)


TABLES = {
    "iris species": (lambda: from_sklearn("iris"), "target", "classification"),
    "wine cultivar": (lambda: from_sklearn("wine"), "target", "classification"),
    "breast cancer": (lambda: from_sklearn("breast_cancer"), "target", "classification"),
    "digits": (lambda: from_sklearn("digits"), "target", "classification"),
    "diabetes": (lambda: from_sklearn("diabetes"), "target", "regression"),
    "cars MPG": (lambda: cars().dropna(subset="Miles_per_Gallon"), "Miles_per_Gallon", "regression"),
    "cars origin": (cars, "Origin", "classification"),
    "cars acceleration": (cars, "Acceleration", "regression"),
    "barley yield": (lambda: from_vega("barley"), "yield", "regression"),
    "Seattle weather": (weather, "weather", "classification"),
    "Seattle temperature": (lambda: weather().drop(columns="temp_min"), "temp_max", "regression"),
    "election 1996": (lambda: from_statsmodels("anes96"), "vote", "classification"),
    "income 1996": (lambda: from_statsmodels("anes96"), "income", "regression"),
    "affairs": (fair, "unfaithful", "classification"),
    "schools": (star98, "share", "regression"),
    "doctor visits": (lambda: from_statsmodels("randhie")[::5].reset_index(drop=True), "mdvis", "regression"),
    "travel mode": (lambda: from_statsmodels("modechoice").drop(columns=["individual"]), "choice", "classification"),
    "state crime": (lambda: from_statsmodels("statecrime").reset_index(drop=True), "murder", "regression"),
    "food": (lambda: from_statsmodels("engel"), "foodexp", "regression"),
    "investment": (lambda: from_statsmodels("grunfeld"), "invest", "regression"),
    "credit card": (lambda: from_statsmodels("ccard"), "AVGEXP", "regression"),
    "strikes": (lambda: from_statsmodels("strikes"), "duration", "regression"),
    "inflation": (lambda: from_statsmodels("macrodata"), "infl", "regression"),
    "grades": (lambda: from_statsmodels("spector"), "GRADE", "classification"),
}


# ---------------------------------------------------------------------------------------------------- peers


def boosting(kind, rng):
    cls = HistGradientBoostingClassifier if kind == "classification" else HistGradientBoostingRegressor
    settings = {
        "learning_rate": 10 ** rng.uniform(-2, -0.3),
        "max_iter": int(rng.integers(50, 400)),
        "max_leaf_nodes": int(rng.integers(4, 64)),
        "min_samples_leaf": int(rng.integers(2, 40)),
        "l2_regularization": 10 ** rng.uniform(-4, 2),
        "max_features": rng.uniform(0.3, 1),
    }
    encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan)
    prepare = make_column_transformer((encode, TEXT), remainder="passthrough")
    return make_pipeline(prepare, cls(random_state=0, **settings))


def forest(kind, rng):
    cls = RandomForestClassifier if kind == "classification" else RandomForestRegressor
    settings = {"max_features": rng.uniform(0.15, 1), "min_samples_leaf": int(rng.integers(1, 12))}
    return make_pipeline(one_hot(False), cls(200, random_state=0, **settings))


def linear(kind, rng):
    strength = 10 ** rng.uniform(-4, 4)
    model = LogisticRegression(C=strength, max_iter=2000) if kind == "classification" else Ridge(alpha=strength)
    return make_pipeline(one_hot(True), model)


def one_hot(scaled):
    numbers = [SimpleImputer(strategy="median"), *([StandardScaler()] if scaled else [])]
    return make_column_transformer(
        (make_pipeline(*numbers), NUMBERS),
        (OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=40, sparse_output=False), TEXT),
    )


PEERS = {"boosting": boosting, "forest": forest, "linear": linear}


def search(make, kind, X, y, seconds, seed):
    """Return the best of as many random settings as fit into the time, fitted on all training rows."""
    rng, end = np.random.default_rng(seed), time.process_time() + seconds
    least = min(5, np.unique(y, return_counts=True)[1].min()) if kind == "classification" else 5
    folds = (StratifiedKFold if kind == "classification" else KFold)(max(2, least), shuffle=True, random_state=seed)
    scoring = "accuracy" if kind == "classification" else "neg_root_mean_squared_error"
    best, top = None, -np.inf
    while best is None or time.process_time() < end:
        model = make(kind, rng)
        score = cross_val_score(model, X, y, cv=folds, scoring=scoring).mean()
        if score > top or best is None:
            best, top = model, score
    return best.fit(X, y)


def score(kind, y, predicted):
    return (
        float(accuracy_score(y, predicted))
        if kind == "classification"
        else float(root_mean_squared_error(y, predicted))
    )


# ---------------------------------------------------------------------------------------------------- the comparison


def load(name):
    make, target, kind = TABLES[name]
    frame = make()
    frame = frame.dropna(subset=target).reset_index(drop=True)
    for column in frame.columns:
        if frame[column].dtype.kind not in "biufM":
            frame[column] = frame[column].astype(object)
    y = frame[target].to_numpy()
    return frame, target, kind, y.astype(str) if y.dtype == object else y


def measure_table(name, seconds, seed, known):
    frame, target, kind, y = load(name)
    train, held = split_rows(y, kind, 0.25, seed)
    found = dict(known.get(f"{name}/{seed}", {}))
    start = time.process_time()
    result = Study(frame, target, task=kind, random_state=seed, n_jobs=1).run()
    took = time.process_time() - start
    found["novum"] = score(kind, y[held], result.hold_out.predicted)
    found.update(kept=result.kept.name, seconds=round(took, 1), rows=len(frame), columns=frame.shape[1] - 1)
    X = frame.drop(columns=target)
    for peer, make in PEERS.items():
        if peer not in found:
            with threadpool_limits(1):
                model = search(make, kind, X.iloc[train], y[train], seconds, seed)
            found[peer] = score(kind, y[held], model.predict(X.iloc[held]))
    return found


def mean_ranks(rows, names):
    """Return the mean rank of every contestant, 1 the best; what nobody can tell apart to four digits shares its ranks."""
    ranks = []
    for key, row in rows.items():
        sign = -1 if TABLES[key.split("/")[0]][2] == "classification" else 1
        ranks.append(rankdata([sign * float(f"{row[name]:.4g}") for name in names]))
    return dict(zip(names, np.mean(ranks, axis=0)))


def coverage(studies, seed=0):
    """Return how often the interval of the reported score held the truth, found on 20,000 further rows."""
    rng = np.random.default_rng(seed)
    hits = {"accuracy": [], "rmse": [], "auc": [], "log_loss": []}
    for number in range(studies):
        n = int(rng.choice([120, 240, 480]))
        X = rng.normal(size=(n + 20_000, 4))
        signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * np.abs(X[:, 3])
        frame = pd.DataFrame(X, columns=list("abcd"))
        noisy = signal + rng.normal(size=len(X)) * rng.choice([0.5, 1.0, 2.0])
        for kind in ("classification", "regression"):
            y = np.where(noisy > 0.4, "yes", "no") if kind == "classification" else noisy
            table = frame.assign(y=y)
            names = (
                ["LogisticRegression", "GaussianNB", "DecisionTree"]
                if kind == "classification"
                else ["Ridge", "DecisionTree"]
            )
            study = Study(table[:n], "y", models=names, random_state=number, n_jobs=1, folds=3, repeats=1, tune=False)
            result = study.run()
            judge_coverage(result, table[n:], hits)
    return {name: (np.mean(found), len(found)) for name, found in hits.items()}


def judge_coverage(result, rows, hits):
    from novum.study.measures import MEASURES, Predicted, measure_for
    from novum.study.schema import prepare
    from novum.study.table import table_of

    frame = prepare(table_of(rows.drop(columns="y")), result.schema)
    classes = np.unique(result.task.y) if result.task.labels else None
    proba = result.judged_model.predict_proba(frame) if result.task.labels else None
    said = Predicted(result.judged_model.predict(frame), proba)
    for name in hits:
        if MEASURES[name].kind == result.task.kind:
            measure = measure_for(result.task.kind, name, 1 if result.task.labels else None)
            truth = measure.score(rows["y"].to_numpy(), said, classes)
            low, high = result.hold_out.every[name][1]
            hits[name].append(low <= truth <= high)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--coverage", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.coverage:
        print(coverage(options.coverage))
        return
    known = json.loads(options.peers.read_text()) if options.peers and options.peers.exists() else {}
    rows, names = {}, ["novum", *PEERS]
    print(f"{'table':22}{'rows':>7}{'columns':>8}" + "".join(f"{name:>10}" for name in names) + "   kept")
    for name in options.only or TABLES:
        for seed in range(options.seeds):
            key = f"{name}/{seed}"
            try:
                rows[key] = row = measure_table(name, options.seconds, seed, known)
            except ImportError as error:
                print(f"{name}: left out, {error}")
                break
            known[key] = {peer: row[peer] for peer in PEERS}
            if options.peers:
                options.peers.write_text(json.dumps(known, indent=1))
            cells = "".join(f"{row[one]:>10.4g}" for one in names)
            print(
                f"{name:22}{row['rows']:>7}{row['columns']:>8}{cells}   {row['kept']}, {row['seconds']} s", flush=True
            )
    print("mean rank (1 is best):", {name: round(float(rank), 2) for name, rank in mean_ranks(rows, names).items()})


if __name__ == "__main__":
    main()
