"""The main job: a table in; models compared, tested, explained and saved, with a report, out."""

from novum.study.result import HoldOut, Listener, StudyResult
from novum.study.run import Study
from novum.study.use import predict_table

__all__ = ["HoldOut", "Listener", "Study", "StudyResult", "predict_table"]
