"""Hold-out scores of `novum study` beside scikit-learn's usual three and FLAML, all with the same seconds on the same cores.

    python -m benchmarks.studies --out found.jsonl [--seconds 30] [--splits 0,1,2] [--tables "cars MPG,food"] [--part 0/8]
    python -m benchmarks.studies --dump tables                        for a machine without these packages: --folder tables
    python -m benchmarks.studies --summary found*.jsonl

Every table is parted as the study parts it. novum's study has `time_limit=seconds`; FLAML has `time_budget=seconds`; each of the
other peers has a random search of so many seconds, five folds a try, one search per core, the best fitted again on all training
rows. All are judged once on the rows put away, by accuracy or RMSE. A line of JSON per table, split and contestant goes to the
file; what is there already is not done again. `--part i/n` takes every n-th of the tables and splits, so that n processes, each
bound to its own cores (`taskset -c 0,1 ...`) and with a file of its own, share the work. AutoGluon, where there is an interpreter
that has it: `--autogluon .../bin/python`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import rankdata
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

from benchmarks.study_tables import TABLES, dump, load
from novum.study import Study
from novum.study.comparison.folds import split_rows

TEXT = make_column_selector(dtype_include=["object", "category", "string"])
NUMBERS = make_column_selector(dtype_include=["number", "bool"])
LAST = 0.9  # of a peer's seconds after which its search begins no further try
AUTOGLUON = """
import sys, pandas as pd
from autogluon.tabular import TabularPredictor
train, test, out, target, kind, seconds, folder = sys.argv[1:]
frame = pd.read_parquet(train)
problem = "regression" if kind == "regression" else "binary" if frame[target].nunique() == 2 else "multiclass"
metric = "root_mean_squared_error" if kind == "regression" else "accuracy"
model = TabularPredictor(target, problem_type=problem, eval_metric=metric, path=folder, verbosity=0)
model.fit(frame, time_limit=float(seconds))
pd.DataFrame({"said": model.predict(pd.read_parquet(test))}).to_parquet(out)
"""


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


def tries(make, kind, X, y, until, seed):
    """Return the best of as many random settings as fit into the time, with its score."""
    rng = np.random.default_rng(seed)
    least = min(5, np.unique(y, return_counts=True)[1].min()) if kind == "classification" else 5
    folds = (StratifiedKFold if kind == "classification" else KFold)(max(2, least), shuffle=True, random_state=0)
    scoring = "accuracy" if kind == "classification" else "neg_root_mean_squared_error"
    best, top, made = None, -np.inf, 0
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        while best is None or time.time() < until:
            model = make(kind, rng)
            score = cross_val_score(model, X, y, cv=folds, scoring=scoring).mean()
            made += 1
            if score > top or best is None:
                best, top = model, score
    return best, top, made


def searched(make):
    """Return a contestant: a random search on all cores, then a fit."""

    def contest(frame, target, kind, y, train, held, seconds, seed, cores):
        X = frame.drop(columns=target)
        until = time.time() + LAST * seconds
        found = Parallel(cores)(
            delayed(tries)(make, kind, X.iloc[train], y[train], until, (seed, core)) for core in range(cores)
        )
        best, _, _ = max(found, key=lambda one: one[1])
        said = best.fit(X.iloc[train], y[train]).predict(X.iloc[held])
        return said, {"tries": sum(made for _, _, made in found)}

    return contest


def study(frame, target, kind, y, train, held, seconds, seed, cores):
    """Our own."""
    result = Study(frame, target, task=kind, random_state=seed, n_jobs=cores, time_limit=seconds).run()
    if len(result.hold_out.y) != len(held):
        raise RuntimeError("the study has parted the rows otherwise")
    return result.hold_out.predicted, {"kept": result.kept.name, "stopped": result.scores.stopped}


def flaml(frame, target, kind, y, train, held, seconds, seed, cores):
    """FLAML as it comes."""
    from flaml import AutoML

    X = frame.drop(columns=target)
    X = X.astype({c: "category" for c in X.columns if X[c].dtype == object})
    metric = "accuracy" if kind == "classification" else "rmse"
    model = AutoML()
    model.fit(
        X.iloc[train], y[train], task=kind, metric=metric, time_budget=seconds, n_jobs=cores, seed=seed, verbose=0
    )
    return model.predict(X.iloc[held]), {"kept": model.best_estimator}


def autogluon(python):
    """AutoGluon of another environment, in a process of its own."""

    def contest(frame, target, kind, y, train, held, seconds, seed, cores):
        with tempfile.TemporaryDirectory() as folder:
            paths = [str(Path(folder) / name) for name in ("train.parquet", "test.parquet", "said.parquet", "models")]
            frame.iloc[train].to_parquet(paths[0])
            frame.drop(columns=target).iloc[held].to_parquet(paths[1])
            subprocess.run(
                [python, "-c", AUTOGLUON, *paths[:3], target, kind, str(seconds), paths[3]],
                check=True,
                capture_output=True,
            )
            import pandas as pd

            said = pd.read_parquet(paths[2])["said"].to_numpy()
        return said, {}

    return contest


CONTESTANTS = {
    "novum": study,
    "boosting": searched(boosting),
    "forest": searched(forest),
    "linear": searched(linear),
    "flaml": flaml,
}


# ---------------------------------------------------------------------------------------------------- the comparison


def judge(kind, y, said):
    if kind == "classification":
        return float(accuracy_score(y, np.asarray(said).astype(y.dtype)))
    return float(root_mean_squared_error(y, said))


def contend(name, seed, contestant, options):
    """Return the line of one contestant on one split of one table."""
    frame, target, kind, y = load(name, options.folder)
    train, held = split_rows(y, kind, 0.25, seed)
    contest = autogluon(options.autogluon) if contestant == "autogluon" else CONTESTANTS[contestant]
    start, cores = time.perf_counter(), options.jobs
    line = {"table": name, "seed": seed, "contestant": contestant, "kind": kind, "limit": options.seconds}
    line |= {"rows": len(frame), "columns": frame.shape[1] - 1, "cores": cores}
    try:
        said, more = contest(frame, target, kind, y, train, held, options.seconds, seed, cores)
        line |= {"score": judge(kind, y[held], said), **more}
    except Exception as problem:  # the others go on
        line["error"] = f"{type(problem).__name__}: {str(problem)[:200]}"
    return line | {"seconds": round(time.perf_counter() - start, 1)}


def read_lines(paths):
    return [json.loads(text) for path in paths if Path(path).exists() for text in Path(path).read_text().splitlines()]


def run(options):
    names = options.tables.split(",") if options.tables else list(TABLES)
    part, parts = (int(number) for number in options.part.split("/"))
    chosen = options.contestants.split(",") if options.contestants else list(CONTESTANTS)
    chosen += ["autogluon"] if options.autogluon else []
    jobs = [(name, seed) for seed in map(int, options.splits.split(",")) for name in names][part::parts]
    done = {(line["table"], line["seed"], line["contestant"]) for line in read_lines([options.out])}
    Parallel(options.jobs)(delayed(abs)(number) for number in range(options.jobs))  # processes start outside the time
    for name, seed in jobs:
        for contestant in chosen:
            if (name, seed, contestant) in done:
                continue
            line = contend(name, seed, contestant, options)
            with options.out.open("a") as file:
                file.write(json.dumps(line) + "\n")
            print(json.dumps(line), flush=True)


def summary(lines):
    """Print the scores, the mean rank of every contestant (1 the best; equal to four digits shares it) and the seconds."""
    found = {}
    for line in lines:
        if "score" in line:
            found.setdefault((line["table"], line["seed"]), {})[line["contestant"]] = line
    names = list(dict.fromkeys(line["contestant"] for line in lines))
    whole = {key: row for key, row in found.items() if all(name in row for name in names)}
    print(f"{'table':22}{'splits':>7}" + "".join(f"{name:>11}" for name in names) + "   rank of novum, what it kept")
    ranks = {}
    for key, row in whole.items():
        sign = -1 if row[names[0]]["kind"] == "classification" else 1
        ranks[key] = rankdata([sign * float(f"{row[name]['score']:.4g}") for name in names])
    for table in dict.fromkeys(table for table, _ in whole):
        rows = [row for (one, _), row in whole.items() if one == table]
        cells = "".join(f"{np.mean([row[name]['score'] for row in rows]):>11.4g}" for name in names)
        place = np.mean([rank[0] for (one, _), rank in ranks.items() if one == table])
        kept = ", ".join(dict.fromkeys(str(row[names[0]].get("kept", "")) for row in rows))
        print(f"{table:22}{len(rows):>7}{cells}   {place:.1f}  {kept}")
    if not ranks:
        return
    by_table = [
        np.mean([rank for (one, _), rank in ranks.items() if one == table], axis=0)
        for table in dict.fromkeys(table for table, _ in ranks)
    ]
    print("mean rank over tables:", dict(zip(names, np.round(np.mean(by_table, axis=0), 2).tolist())))
    print("seconds:", {n: round(float(np.mean([row[n]["seconds"] for row in whole.values()])), 1) for n in names})
    for line in lines:
        if "error" in line:
            print("failed:", line["table"], line["seed"], line["contestant"], line["error"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("studies.jsonl"))
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--splits", default="0,1,2", help="seeds of the partings, parted by commas")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--tables", help="names parted by commas")
    parser.add_argument("--contestants", help=f"of {', '.join(CONTESTANTS)}")
    parser.add_argument("--part", default="0/1", help="i/n: every n-th of the tables and splits, from the i-th on")
    parser.add_argument("--folder", help="of tables that --dump wrote")
    parser.add_argument("--dump", help="write the tables into a folder and end")
    parser.add_argument("--autogluon", help="interpreter of an environment that has AutoGluon")
    parser.add_argument("--summary", nargs="+", help="files to sum up, and end")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.dump:
        print(", ".join(dump(options.dump)))
    elif options.summary:
        summary(read_lines(options.summary))
    else:
        run(options)
        summary(read_lines([options.out]))


if __name__ == "__main__":
    sys.exit(main())
