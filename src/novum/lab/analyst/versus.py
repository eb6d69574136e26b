r"""A against B: two models on the same folds and rows.

With d_j the difference of their scores on fold j of J, test and training parts of n_2 and n_1 rows, the corrected resampled t-test
(Nadeau and Bengio 2003, `novum.evaluation.corrected_test`) takes

    t = mean(d) / sqrt((1/J + n_2/n_1) var(d))                                                                             (1)

Rows on which both were asked unseen say where they disagree and who is right there.
"""

from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.lab.analyst.folder import Study
from novum.lab.analyst.page import Shown
from novum.lab.analyst.table_rows import in_slice, slice_control
from novum.lab.controls import Choice, Control
from novum.lab.views import bars, heat, number, plane, table

MOST_ROWS = 200  # that a table shows
MOST_POINTS = 2_000


def closed(study: Study) -> str:
    return "" if len(study.leaders) > 1 and len(study.document["folds"]) > 1 else "one_model"


def controls(study: Study, state: dict[str, Any]) -> dict[str, Control]:
    names = tuple(study.leaders)
    return {"a": Choice(names, names[0]), "b": Choice(names, names[1]), **slice_control(study)}


def shown(study: Study, state: dict[str, Any]) -> Shown:
    from novum.evaluation import corrected_test

    a, b = study.leaders.index(state["a"]), study.leaders.index(state["b"])
    board, folds = study.document["leaderboard"], study.document["folds"]
    pairs = [
        (k, x, y)
        for k, (x, y) in enumerate(zip(board[a]["scores"], board[b]["scores"]))
        if x is not None and y is not None
    ]
    gaps = np.array([x - y for _, x, y in pairs])
    arrays: dict[str, Any] = {"gaps": gaps, "folds": [str(k + 1) for k, _, _ in pairs]}
    values: dict[str, Any] = {"difference": None, "p": None, "low": None, "high": None}
    key = "few"
    if len(pairs) > 1:
        ratio = float(np.mean([folds[k]["test"] / folds[k]["train"] for k, _, _ in pairs]))
        try:
            test = corrected_test([x for _, x, _ in pairs], [y for _, _, y in pairs], test_over_train=ratio)
        except DataError:
            test = None
        if test is not None:
            values = {
                "difference": test.difference,
                "p": test.p_value,
                "low": test.interval[0],
                "high": test.interval[1],
            }
            key = "same" if a == b else "better" if study.document["scoring"]["higher_is_better"] else "lower"
    views = [
        bars(values="gaps", labels="folds"),
        *(number(name) for name in ("difference", "p", "low", "high")),
    ]
    more, drawn = rows_between(study, a, b, state.get("slice", ""))
    measure = study.document["scoring"]["title"]
    return Shown(values, arrays | more, views + drawn, (key, {"a": state["a"], "b": state["b"], "measure": measure}))


def rows_between(study: Study, a: int, b: int, words: str = "") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what two models said of the rows on which both were asked; with the words of a slice, of those in it."""
    first, second = study.said_by(a), study.said_by(b)
    if first is None or second is None:
        return {}, []
    if study.labels:
        both = np.array([one is not None and other is not None for one, other in zip(first, second)], dtype=bool)
    else:
        both = np.isfinite(first) & np.isfinite(second)
    if words:
        both &= np.isin(study.unseen["row"], in_slice(study, words))
    truth, one, other = study.unseen["y"][both], first[both], second[both]
    numbers = study.unseen["row"][both]
    columns = {"columns": [f"label.{name}" for name in ("row", "truth", "says_a", "says_b")]}
    listed = table(columns="columns", rows="rows", span=2)
    if study.labels:
        apart = np.flatnonzero(one != other)
        right = [
            [int(np.sum(((one == truth) == x) & ((other == truth) == y))) for y in (True, False)] for x in (True, False)
        ]
        arrays = {
            **columns,
            "rows": [[int(numbers[i]), truth[i], one[i], other[i]] for i in apart[:MOST_ROWS]],
            "right": np.array(right, dtype=np.float64),
            "of_a": ["label.a_right", "label.a_wrong"],
            "of_b": ["label.b_right", "label.b_wrong"],
        }
        return arrays, [heat(id="right", values="right", rows="of_a", columns="of_b", text=True), listed]
    far = np.argsort(-np.abs(one - other), kind="stable")[:MOST_ROWS]
    spread = np.linspace(0, len(one) - 1, min(len(one), MOST_POINTS)).astype(int) if len(one) else np.zeros(0, int)
    cloud = np.column_stack([one[spread], other[spread]])
    ends = [float(cloud.min()), float(cloud.max())] if len(cloud) else [0.0, 1.0]
    arrays = {
        **columns,
        "rows": [[int(numbers[i]), truth[i], one[i], other[i]] for i in far],
        "cloud": cloud,
        "equal": [{"p": [[ends[0], ends[0]], [ends[1], ends[1]]], "role": "truth"}],
    }
    return arrays, [plane(id="cloud", points="cloud", lines="equal"), listed]
