"""Modules of novum 0.1.0 whose classes live elsewhere now, so that files of that version load."""

import io
import json
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

__all__ = ["MOVED", "with_current_modules"]

SCHEMA = "schema.json"
MOVED = {
    "novum.distributions.conjugate_predictive": "novum.distributions.conjugate.predictive",
    "novum.distributions.conjugate_sequence": "novum.distributions.conjugate.sequence",
    "novum.distributions.estimate_compare": "novum.distributions.estimation.compare",
    "novum.distributions.estimate_mean": "novum.distributions.estimation.sample_mean",
    "novum.distributions.estimate_result": "novum.distributions.estimation.result",
    "novum.distributions.table": "novum.distributions.tables.joint",
    "novum.distributions.table_conditional": "novum.distributions.tables.conditional",
    "novum.distributions.table_independence": "novum.distributions.tables.independence",
    "novum.ensemble.adaboost_classifier": "novum.ensemble.adaboost.classifier",
    "novum.ensemble.adaboost_regressor": "novum.ensemble.adaboost.regressor",
    "novum.evaluation.conformal_classifier": "novum.evaluation.conformal.classifier",
    "novum.evaluation.conformal_regressor": "novum.evaluation.conformal.regressor",
    "novum.graphical.gaussian": "novum.graphical.real.nodes",
    "novum.linear_model.elastic_net": "novum.linear_model.penalized.elastic_net",
    "novum.linear_model.elastic_net_cv": "novum.linear_model.penalized.elastic_net_cv",
    "novum.linear_model.inference": "novum.linear_model.least_squares.inference",
    "novum.linear_model.logistic": "novum.linear_model.logistic.estimator",
    "novum.linear_model.logistic_cv": "novum.linear_model.logistic.cv",
    "novum.linear_model.logistic_inference": "novum.linear_model.logistic.inference",
    "novum.linear_model.multi_task": "novum.linear_model.penalized.multi_task",
    "novum.linear_model.multi_task_cv": "novum.linear_model.penalized.multi_task_cv",
    "novum.tree._table": "novum.engines.trees.nodes",
}


def with_current_modules(file: BinaryIO) -> BinaryIO:
    """Return a checked model file with the modules of today in its description: the file itself where nothing moved."""
    file.seek(0)
    with ZipFile(file) as archive:
        before = json.loads(archive.read(SCHEMA))
        after = with_modules_of_today(before)
        if after == before:
            file.seek(0)
            return file
        copy = io.BytesIO()
        with ZipFile(copy, "w", ZIP_DEFLATED) as target:
            for name in archive.namelist():
                target.writestr(name, json.dumps(after) if name == SCHEMA else archive.read(name))
    copy.seek(0)
    return copy


def with_modules_of_today(value: Any) -> Any:
    """Return a description with every module that moved under its new name."""
    if isinstance(value, list):
        return [with_modules_of_today(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: MOVED.get(item, item) if key == "__module__" and isinstance(item, str) else with_modules_of_today(item)
        for key, item in value.items()
    }
