"""The first fit from Parquet and its later passes, next to memory: the bars that files are held to.

    python -m benchmarks.file_passes [rows]

    first    least squares, one pass of which decodes         at most 1.2 times a bare scan and the fit in memory
    later    a pass of k-means or of Newton's method over rows that are kept          at most 1.3 times memory
    trees    boosting and a forest, from files to the end                              at most 1.5 times memory

A later pass is a difference: a fit of many passes less one of few, divided by the passes between. All are the shortest of several
runs in turn, so that other work on the machine counts little.
"""

import sys
import time
import warnings

import novum
from benchmarks.files import COLUMNS, FEATURES, PASSES, Data, bare_scan
from novum.cluster import KMeans
from novum.linear_model import LinearRegression, LogisticRegression

RUNS = 5
FEW, MANY = 4, 24  # passes


def shortest(*functions, runs=RUNS):
    """Return the shortest time of every function, run in turn."""
    best = [float("inf")] * len(functions)
    for _ in range(runs):
        for i, function in enumerate(functions):
            begin = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - begin)
    return best


def k_means(passes):
    return KMeans(16, n_init=1, max_iter=passes, tol=0, random_state=0)


def newton(passes):
    return LogisticRegression(max_iter=passes, tol=1e-300, C=1e9)


def later_passes(make, data, target, few, many):
    """Return seconds of a pass from the file and in memory."""
    y = None if target is None else getattr(data, target)
    here = (data.X,) if y is None else (data.X, y)
    there = novum.scan(data.parquet, FEATURES, target)
    a, b, c, d = shortest(
        lambda: make(few).fit(there),
        lambda: make(many).fit(there),
        lambda: make(few).fit(*here),
        lambda: make(many).fit(*here),
    )
    return (b - a) / (many - few), (d - c) / (many - few)


def whole_fit(name, data):
    """Return seconds of a fit of trees from the file and in memory."""
    make, target, _ = PASSES[name]
    there = novum.scan(data.parquet, FEATURES, target)
    return shortest(lambda: make().fit(there), lambda: make().fit(data.X, data.label), runs=2)


def line(name, ours, theirs, bar):
    print(f"{name:44s} {ours * 1e3:9.1f} ms {theirs * 1e3:9.1f} ms   {ours / theirs:5.2f} (at most {bar})", flush=True)


def main(rows):
    data = Data(rows)
    print(f"{rows:,} rows of {COLUMNS} columns: from Parquet, next to memory, and the ratio")
    scan = novum.scan(data.parquet, FEATURES, "y")
    first, bare, memory = shortest(
        lambda: LinearRegression().fit(scan), lambda: bare_scan(data), lambda: LinearRegression().fit(data.X, data.y)
    )
    line("least squares, next to scan and memory", first, bare + memory, 1.2)
    line("a later pass of k-means", *later_passes(k_means, data, None, FEW, MANY), 1.3)
    line("a later pass of Newton's method", *later_passes(newton, data, "label", 1, 4), 1.3)
    for name in ("boosting", "forest"):
        line(name, *whole_fit(name, data), 1.5)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # fits are cut off after so many passes
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
