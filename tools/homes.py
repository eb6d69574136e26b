"""Write docs/guide/where-learners-run.md: what every estimator over tables does with files, Dask collections and tensors on a GPU.

    python tools/homes.py     (with PyTorch)

Fits and predictions are tried on the table of the contract tests, in every home; tests/contract/test_homes.py and
test_device_crossings.py hold the agreement that the page claims.
"""

import sys
import tempfile
import warnings
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from contract.cases import TRANSDUCTIVE, data, estimators, quick  # noqa: E402
from contract.given import METHODS, givens  # noqa: E402
from contract.homes import PREDICTIONS, REFUSALS, brought, home, predicts  # noqa: E402
from sklearn.base import clone  # noqa: E402

from novum.base.device_forms import form_of  # noqa: E402
from novum.fold import gathering  # noqa: E402

PAGE = ROOT / "docs" / "guide" / "where-learners-run.md"
BEGIN = """# Where learners run

One estimator, four places. This page is written by `tools/homes.py` from what every estimator over tables does there, and the
suite holds it: what agrees with memory does so to 1e-7 of what is learned (most to 1e-12), and everything else refuses in a
sentence that says what to use.

- **Files** are [scans](larger-than-memory), **Dask** are arrays and frames [on a cluster](on-a-cluster). *fit* and *predict* say
  what agrees with memory.
- **Brings**: what comes of the rows into your process beside sums. *all*: the learner compares rows with each other, so it holds
  all of them, 8 n d bytes (4 of float32), beside what it makes of them; it refuses before it reads if they do not fit. *sample*:
  rows drawn for a start, for bins or for a last look, at most 65,536, 260,000 and 4,096 of them. *leaves*: rows of leaves too
  small for histograms, 32 MiB of them (forests: 8 MiB of codes) at a time, and every row once for each tree; none with
  `max_leaf_nodes`.
- Distributions (`predict_distribution`, `return_std`) are made of rows in memory.
- **GPU** is a PyTorch [tensor on a device](on-a-gpu). *all*: fit and predictions leave the rows there. *predictions*: a model
  fitted in memory answers there. Where nothing stands, a tensor on a device is refused by name; a tensor in the memory of the
  processor is read as an array is.

| Estimator | Files | Dask | Brings | GPU |
|---|---|---|---|---|
"""


AFTER = """
## What is no table

Sequences, structures of networks, and networks on PyTorch, which hold all rows they are fitted on in memory and answer block by
block. A file or a collection without `groups=` is one sequence. *sequence*: the first bundle of sequences (on Dask the first
partition) comes into your process for a start and for the order of states. `GAN` looks at up to 1,000 rows in memory at its end.
Where nothing stands, texts, lists of sequences, graphs or environments are taken, and rows elsewhere are refused in a sentence.

| Estimator | Files | Dask | Brings | GPU |
|---|---|---|---|---|
"""


def tried(model, X, y, kind, folder):
    """Return what agrees in a home, "fit, predict", and whether all rows were kept."""
    kept = mock.Mock(side_effect=gathering.kept_rows)
    there, target = home(kind, X, y, folder)
    done = []
    with mock.patch.object(gathering, "kept_rows", kept), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = clone(model).fit(there) if target is None else clone(model).fit(there, target)
            done.append("fit")
        except REFUSALS:
            found = clone(model).fit(X) if y is None else clone(model).fit(X, y)
        gathered = bool(kept.call_count)
        names = (
            []
            if type(model).__name__ in TRANSDUCTIVE
            else [name for name in PREDICTIONS if predicts(found, name) and name != "predict_distribution"]
        )
        with tempfile.TemporaryDirectory() as rows:
            new, _ = home(kind, X, None, Path(rows))
            if names and all(answers(found, name, new) for name in names):
                done.append("predict")
    return ", ".join(done), gathered


def answers(model, name, rows):
    """Return whether a prediction is made."""
    try:
        getattr(model, name)(rows)
    except REFUSALS:
        return False
    return True


def other_line(given):
    """Return the line of an estimator that takes no table of independent rows."""
    name, places = type(given.model).__name__, {"npy": "", "array": ""}
    for kind in places:
        if given.X is None:
            continue
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = given.y if given.target else None
            there, target = home(kind, given.X, y, Path(folder))
            target = target if given.target else given.y
            try:
                found = clone(given.model).fit(there) if target is None else clone(given.model).fit(there, target)
            except REFUSALS:
                continue
            done, asked = ["fit"], [method for method in METHODS if predicts(found, method)]
            with tempfile.TemporaryDirectory() as rows:
                new, _ = home(kind, given.X, None, Path(rows))
                if asked and all(answers(found, method, new) for method in asked):
                    done.append("predict")
            places[kind] = ", ".join(done)
    brings = "" if not any(places.values()) else "sequence" if name.endswith(("HMM", "Model")) else "all"
    return f"| `{name}` | {places['npy']} | {places['array']} | {brings} | {form_of(type(given.model))} |"


def line_of(estimator):
    """Return the line of an estimator."""
    X, y = data(estimator)
    model = clone(quick(estimator))
    with tempfile.TemporaryDirectory() as folder:
        files, kept = tried(model, X, y, "npy", Path(folder))
        dask, _ = tried(model, X, y, "array", Path(folder))
    name = type(estimator).__name__
    return f"| `{name}` | {files} | {dask} | {'all' if kept else brought(name)} | {form_of(type(estimator))} |"


def main():
    lines = [line_of(estimator) for estimator in sorted(estimators(), key=lambda one: type(one).__name__)]
    others = {other_line(given) for deep in (False, True) for given in givens(deep)}
    PAGE.write_text(BEGIN + "\n".join(lines) + "\n" + AFTER + "\n".join(sorted(others)) + "\n", encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {len(lines) + len(others)} estimators")


if __name__ == "__main__":
    main()
