r"""What a server counts, in the text format of Prometheus; several workers count into one memory and tell the sum.

    novum_requests_total{path, status}       answers                                                                   (1)
    novum_request_seconds{path}              histogram of the time from the first byte of a request to the last of its answer
    novum_rows_predicted_total               rows of /predict and /explain that were answered
    novum_batches_total                      calls of the model for /predict: rows over batches is how many were gathered
    novum_drift_warnings_total               sentences about columns that have moved
    novum_requests_in_flight                 requests at work
    novum_model_info{...} 1                  which model it is

Every worker writes one row of an array of numbers and no other, so nothing is locked; a worker that is started again goes on in the
row of the one before. Paths and statuses are from fixed lists: nobody can make the series grow by asking for odd addresses.
"""

from typing import Any

import numpy as np

__all__ = ["PATHS", "Meter", "numbers_per_worker"]

PATHS = ("/predict", "/explain", "/health", "/ready", "/metrics", "/schema", "/openapi.json", "/docs", "other")
STATUSES = (200, 400, 401, 404, 405, 408, 413, 415, 421, 422, 500, 503, 0)  # 0: any other
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds
ANSWERS, TIMES = len(PATHS) * len(STATUSES), len(PATHS) * (len(BOUNDS) + 2)  # a bucket more, and the sum
COUNTS = ("rows_predicted", "batches", "drift_warnings")
HELP = {
    "requests_total": "Answers by address and status of HTTP.",
    "request_seconds": "Time from a request to its answer.",
    "rows_predicted_total": "Rows that were predicted or explained.",
    "batches_total": "Calls of the model for predictions.",
    "drift_warnings_total": "Sentences about columns that have moved since training.",
    "requests_in_flight": "Requests at work.",
    "model_info": "The model that is served.",
}


def numbers_per_worker() -> int:
    """Return how many numbers a worker writes."""
    return ANSWERS + TIMES + len(COUNTS) + 1


def quoted(text: str) -> str:
    """Return the value of a label as the format wants it."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'


class Meter:
    """Counts of one worker among several.

    Parameters
    ----------
    shared : buffer of float64 or None
        `numbers_per_worker()` for each of the workers; None: of this one alone.
    place : int
        Which of them is this one.
    """

    def __init__(self, shared: Any = None, place: int = 0) -> None:
        one = numbers_per_worker()
        every = np.zeros(one) if shared is None else np.frombuffer(shared, dtype=np.float64)
        self.every = every.reshape(-1, one)
        mine = self.every[place]
        self.answers = mine[:ANSWERS].reshape(len(PATHS), len(STATUSES))
        self.times = mine[ANSWERS : ANSWERS + TIMES].reshape(len(PATHS), -1)
        self.counts = mine[ANSWERS + TIMES : -1]
        self.flight = mine[-1:]
        self.flight[0] = 0.0  # of a worker that ended nothing is at work any more

    def begin(self) -> None:
        """Count a request that has come."""
        self.flight[0] += 1

    def end(self, path: str, status: int, seconds: float) -> None:
        """Count its answer."""
        self.flight[0] -= 1
        p = PATHS.index(path) if path in PATHS else len(PATHS) - 1
        self.answers[p, STATUSES.index(status) if status in STATUSES else -1] += 1
        self.times[p, int(np.searchsorted(BOUNDS, seconds))] += 1
        self.times[p, -1] += seconds

    def add(self, name: str, count: int) -> None:
        """Add to one of the counts."""
        self.counts[COUNTS.index(name)] += count

    def answered(self) -> int:
        """Return how many requests for predictions and explanations all workers have answered."""
        answers = self.every[:, :ANSWERS].sum(axis=0).reshape(len(PATHS), len(STATUSES))
        return int(answers[[PATHS.index("/predict"), PATHS.index("/explain")], STATUSES.index(200)].sum())

    def text(self, about: dict[str, str]) -> str:
        """Return all of it; `about` are the labels of the model."""
        total = self.every.sum(axis=0)
        answers = total[:ANSWERS].reshape(len(PATHS), len(STATUSES))
        times = total[ANSWERS : ANSWERS + TIMES].reshape(len(PATHS), -1)
        lines = head("requests_total", "counter")
        for p, path in enumerate(PATHS):
            for s, status in enumerate(STATUSES):
                if answers[p, s]:
                    said = quoted(str(status) if status else "other")
                    lines.append(f"novum_requests_total{{path={quoted(path)},status={said}}} {answers[p, s]:.0f}")
        lines += head("request_seconds", "histogram")
        for path, row in zip(PATHS, times):
            reached = np.cumsum(row[:-1])
            if reached[-1]:
                label = f"path={quoted(path)}"
                ends = [*(f"{bound:g}" for bound in BOUNDS), "+Inf"]
                lines += [
                    f'novum_request_seconds_bucket{{{label},le="{end}"}} {n:.0f}' for end, n in zip(ends, reached)
                ]
                lines += [f"novum_request_seconds_sum{{{label}}} {row[-1]:.6f}"]
                lines += [f"novum_request_seconds_count{{{label}}} {reached[-1]:.0f}"]
        for name, count in zip(COUNTS, total[ANSWERS + TIMES : -1]):
            lines += [*head(f"{name}_total", "counter"), f"novum_{name}_total {count:.0f}"]
        lines += [*head("requests_in_flight", "gauge"), f"novum_requests_in_flight {total[-1]:.0f}"]
        labels = ",".join(f"{name}={quoted(value)}" for name, value in about.items())
        lines += [*head("model_info", "gauge"), f"novum_model_info{{{labels}}} 1"]
        return "\n".join(lines) + "\n"


def head(name: str, kind: str) -> list[str]:
    """Return the two lines before the values of a series."""
    return [f"# HELP novum_{name} {HELP[name]}", f"# TYPE novum_{name} {kind}"]
