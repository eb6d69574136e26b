"""How often the 95 % interval of a study's hold-out score holds the true score.

    python -m benchmarks.study_coverage [--replications 1000] [--measures auc,rmse] [--jobs 16]
    python -m benchmarks.study_coverage --studies 400 [--jobs 16]

First the intervals alone (novum.study.scoring.intervals): predictors that are fixed, so that their true score is known from a huge
sample, judged on parts of 40 to 1,000 rows, many times over. Then, if asked, whole studies of simulated tables.
"""

import argparse
import time
from itertools import product

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from novum.study import Study, conclusion
from novum.study.comparison.folds import split_rows
from novum.study.scoring.intervals import score_interval
from novum.study.scoring.measures import MEASURES, Predicted, measure_for

CLASSES = np.array([0, 1])
HELD = (40, 150, 1000)
STUDIED = {
    "classification": ["LogisticRegression", "GaussianNB", "DecisionTree"],
    "regression": ["Ridge", "DecisionTree"],
}


# ---------------------------------------------------------------------------------------------------- intervals alone


def draw_classes(rng, n, positive, distance, shift):
    """Return classes, and what a fixed predictor says whose score is normal with unit variance in either class.

    Its probabilities are the true ones, moved by a shift of their logit, which makes it better in one class than in the other.
    """
    y = (rng.random(n) < positive).astype(int)
    score = rng.normal(size=n) + distance * y
    logit = distance * (score - distance / 2) + np.log(positive / (1 - positive)) - shift
    p = 1 / (1 + np.exp(-logit))
    return y, Predicted((p > 0.5).astype(int), np.column_stack([1 - p, p]))


def draw_numbers(rng, n, noise, slope):
    """Return numbers and what a fixed predictor says, with errors that are normal, have long tails, or are skewed."""
    x = rng.normal(size=n)
    error = {
        "normal": lambda: rng.normal(size=n),
        "long tails": lambda: rng.standard_t(5, size=n),
        "skewed": lambda: rng.exponential(size=n) - 1,
    }[noise]()
    return slope * x + error, Predicted(0.9 * slope * x, None)


def cells():
    """Yield the name, the kind and the drawing of every situation."""
    for positive, distance, shift in product((0.5, 0.2), (0.5, 1.7, 2.6, 4.6), (0.0, 1.0)):
        name = f"positive {positive}, distance {distance}, shift {shift:g}"
        yield name, "classification", lambda rng, n, a=(positive, distance, shift): draw_classes(rng, n, *a)
    for noise, slope in product(("normal", "long tails", "skewed"), (0.5, 2.0)):
        yield f"{noise} errors, slope {slope}", "regression", lambda rng, n, a=(noise, slope): draw_numbers(rng, n, *a)


def held_part(rng, draw, kind, n):
    """Return a hold-out part as a study puts it away: a quarter of the rows, with the classes in the shares of all."""
    y, said = draw(rng, 4 * n)
    if kind == "classification" and np.bincount(y, minlength=2).min() < 4:
        return held_part(rng, draw, kind, n)
    _, held = split_rows(y, kind, 0.25, int(rng.integers(2**31)))
    return y[held], Predicted(said.values[held], None if said.proba is None else said.proba[held])


def interval_coverage(place, replications, names=None, held=HELD, seed=0):
    """Return (cell, rows, measure, true score, share of the intervals that hold it) for the measures of one situation."""
    name, kind, draw = list(cells())[place]
    found, rng = [], np.random.default_rng(seed)
    y, said = draw(rng, 1_000_000)
    wanted = [m.name for m in MEASURES.values() if m.kind == kind and (names is None or m.name in names)]
    measures = [measure_for(kind, one, 1 if kind == "classification" else None) for one in wanted]
    truth = {m.name: m.score(y, said, CLASSES) for m in measures}
    for n in held:
        hits = dict.fromkeys(truth, 0)
        for number in range(replications):
            part, told = held_part(rng, draw, kind, n)
            for m in measures:
                low, high = score_interval(m, part, told, CLASSES, number, share=0.25)
                hits[m.name] += low <= truth[m.name] <= high
        found += [(name, n, m.name, truth[m.name], hits[m.name] / replications) for m in measures]
    return found


def print_intervals(replications, names, jobs):
    found = {}
    lines = Parallel(jobs)(delayed(interval_coverage)(i, replications, names) for i in range(len(list(cells()))))
    for name, n, measure, truth, share in (line for part in lines for line in part):
        print(
            f"{name:44}{n:>6}  {measure:18}{truth:>9.4g}{share:>8.3f}{'' if 0.93 <= share <= 0.97 else '  <'}",
            flush=True,
        )
        found.setdefault((measure, n), []).append(share)
    for (measure, n), shares in sorted(found.items()):
        print(f"{measure:18}{n:>6} rows: mean {np.mean(shares):.3f}, from {min(shares):.3f} to {max(shares):.3f}")


# ---------------------------------------------------------------------------------------------------- whole studies


def covered_by(number, seed=0):
    """Return by measure whether the intervals of one simulated study held the truth, found on 10,000 further rows.

    The study goes its whole way, from reading to the explained model; the explanation, which no interval rests on, has no time.
    """
    conclusion.MOST_SECONDS = 0.01
    rng = np.random.default_rng((seed, number))
    hits = {}
    n = int(rng.choice([120, 240, 480]))
    X = rng.normal(size=(n + 10_000, 4))
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * np.abs(X[:, 3])
    frame = pd.DataFrame(X, columns=list("abcd"))
    noisy = signal + rng.normal(size=len(X)) * rng.choice([0.5, 1.0, 2.0])
    for kind, names in STUDIED.items():
        y = np.where(noisy > 0.4, "yes", "no") if kind == "classification" else noisy
        table = frame.assign(y=y)
        study = Study(table[:n], "y", models=names, random_state=number, n_jobs=1, folds=3, repeats=1, tune=False)
        judge_coverage(study.run(), table[n:], hits)
    return hits


def print_studies(studies, jobs):
    start, found = time.perf_counter(), []
    for hits in Parallel(jobs, return_as="generator")(delayed(covered_by)(number) for number in range(studies)):
        found.append(hits)
        if len(found) % 50 == 0 or len(found) == studies:
            print_shares(found, time.perf_counter() - start)


def print_shares(found, seconds):
    """Print how many of the studies so far held the truth, by measure and in all."""
    print(f"{len(found)} studies in {seconds:.0f} s", flush=True)
    for name in found[0]:
        share = np.mean([hits[name] for hits in found])
        print(f"{name:18}{share:.3f} (standard error {np.sqrt(share * (1 - share) / len(found)):.3f})", flush=True)
    every = np.array([np.mean(list(hits.values())) for hits in found])
    print(f"{'all measures':18}{every.mean():.3f} (standard error {every.std() / np.sqrt(len(every)):.3f})", flush=True)


def judge_coverage(result, rows, hits):
    from novum.study.data.schema import prepare
    from novum.study.data.table import table_of

    frame = prepare(table_of(rows.drop(columns="y")), result.schema)
    classes = np.unique(result.task.y) if result.task.labels else None
    proba = result.judged_model.predict_proba(frame) if result.task.labels else None
    said = Predicted(result.judged_model.predict(frame), proba)
    for name, measure in MEASURES.items():
        if name in result.hold_out.every:  # those that these rows allow
            measure = measure_for(result.task.kind, name, 1 if result.task.labels else None)
            truth = measure.score(rows["y"].to_numpy(), said, classes)
            low, high = result.hold_out.every[name][1]
            hits[name] = bool(low <= truth <= high)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replications", type=int, default=1000)
    parser.add_argument("--measures", help="names parted by commas")
    parser.add_argument("--studies", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if options.studies:
        print_studies(options.studies, options.jobs)
    else:
        print_intervals(options.replications, options.measures.split(",") if options.measures else None, options.jobs)


if __name__ == "__main__":
    main()
