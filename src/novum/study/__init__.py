"""The main job: a table in; models compared, tested, explained and saved, with a report, out."""

from novum.runtime.moved_names import moved_names
from novum.study.predictions import predict_table
from novum.study.run import Study

__all__ = ["Study", "predict_table"]

__getattr__ = moved_names(
    __name__,
    {
        ".result": "HoldOut Listener StudyResult",
    },
)
