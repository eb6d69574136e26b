"""How often the 95 % interval of a study's hold-out score holds the true score.

    python -m benchmarks.study_coverage [--replications 2000] [--studies 0]

First the intervals alone (novum.study.intervals): predictors that are fixed, so that their true score is known from a huge sample,
judged on parts of 40 to 1,000 rows, many times over. Then, if asked, whole studies of simulated tables.
"""

import argparse

import numpy as np
import pandas as pd

from novum.study import Study


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
    parser.add_argument("--studies", type=int, default=100)
    print(coverage(parser.parse_args().studies))


if __name__ == "__main__":
    main()
