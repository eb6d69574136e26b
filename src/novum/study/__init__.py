"""The main job: a table in; models compared, tested, explained and saved, with a report, out."""

from novum.study.predictions import predict_table
from novum.study.result import HoldOut, Listener, StudyResult
from novum.study.run import Study

__all__ = ["HoldOut", "Listener", "Study", "StudyResult", "predict_table"]


def __dir__() -> list[str]:
    return sorted(__all__)
