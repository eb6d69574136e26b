"""The learning curve: the score on the rows put away by the number of training rows, and whether more rows would help."""

from typing import Any

import numpy as np

from novum.lab.analyst.folder import Study
from novum.lab.analyst.page import Shown
from novum.lab.controls import Control
from novum.lab.views import curve, table


def closed(study: Study) -> str:
    return "" if study.document.get("curve") else "unfinished"


def controls(study: Study, state: dict[str, Any]) -> dict[str, Control]:
    return {}


def shown(study: Study, state: dict[str, Any]) -> Shown:
    found = study.document["curve"]
    draws = [[np.nan if score is None else score for score in scores] for scores in found["scores"]]
    arrays = {
        "sizes": np.array(found["sizes"], dtype=np.float64),
        "mean": np.array([np.mean(scores) for scores in draws]),
        "least": np.array([np.min(scores) for scores in draws]),
        "most": np.array([np.max(scores) for scores in draws]),
        "columns": ["label.rows", "label.mean", "label.least", "label.most", "label.draws"],
        "rows": [
            [size, np.mean(scores), np.min(scores), np.max(scores), len(scores)]
            for size, scores in zip(found["sizes"], draws)
        ],
    }
    views = [
        curve(x="sizes", series=[{"array": "mean", "low": "least", "high": "most", "label": "value.score"}]),
        table(columns="columns", rows="rows"),
    ]
    return Shown({}, arrays, views, ("sizes", {"measure": study.document["scoring"]["title"]}), (found["verdict"],))
