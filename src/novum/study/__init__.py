"""The main job: a table in; models compared, tested, explained and saved, with a report, out."""

from novum.study.data.files import read_table
from novum.study.formalised import StudyRows
from novum.study.hold_out import HoldOut
from novum.study.listener import Listener
from novum.study.predictions import predict_table
from novum.study.result import StudyResult
from novum.study.run import Study

__all__ = ["HoldOut", "Listener", "Study", "StudyResult", "StudyRows", "predict_table", "read_table"]


def __dir__() -> list[str]:
    return sorted(__all__)
