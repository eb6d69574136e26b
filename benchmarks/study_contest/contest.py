"""The contest: every contestant on every table and split, each in a process of its own, resumable.

A contestant gets the rows to learn from and the rows to answer for as two Parquet files, one core, and the seconds. What it
answered is judged here. A line of `results.jsonl` is one such play: its score, the seconds it took, the load of the machine before.
Where several cores are given, there is one play at a time on each.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss, roc_auc_score, root_mean_squared_error

from benchmarks.study_contest.tables import LISTS, Contest, frame_of, split_of

__all__ = ["CONTESTANTS", "RESULTS", "baseline", "play_all", "results", "score_of"]

HERE = Path(__file__).parent
RESULTS = HERE / "results.jsonl"
CONTESTANTS = ("lightgbm", "flaml", "autogluon", "novum")
PATIENCE, MARGIN = 4, 60.0  # a contestant is ended after so many times its seconds, and so many more
MEMORY = 10 * 2**30  # bytes of data of a process
LEAST_PROBABILITY = 1e-6  # of the log loss


def results(path: Path = RESULTS) -> list[dict[str, Any]]:
    """Return the plays that are stored."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def score_of(contest: Contest, truth: pd.Series, answers: pd.DataFrame) -> float:
    """Return the measure of some answers."""
    if contest.measure == "rmse":
        return float(root_mean_squared_error(truth, answers["value"]))
    classes = np.array(sorted(answers.columns))
    said = answers[classes].to_numpy(float)
    if contest.measure == "auc":
        return float(roc_auc_score(truth == classes[1], said[:, 1]))
    everyone = np.union1d(classes, truth.unique())  # a class that was not seen has the least probability
    full = np.full((len(said), len(everyone)), LEAST_PROBABILITY)
    full[:, np.searchsorted(everyone, classes)] = np.maximum(said, LEAST_PROBABILITY)
    return float(log_loss(truth, full / full.sum(axis=1, keepdims=True), labels=everyone))


def baseline(contest: Contest, learned: pd.Series, truth: pd.Series) -> float:
    """Return the score of who looks at no column."""
    if contest.measure == "rmse":
        return float(root_mean_squared_error(truth, np.full(len(truth), learned.mean())))
    if contest.measure == "auc":
        return 0.5
    shares = learned.value_counts(normalize=True)
    said = pd.DataFrame({name: np.full(len(truth), share) for name, share in shares.items()})
    return score_of(contest, truth, said)


def limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def play(
    contest: Contest, split: int, contestant: str, python: str, seconds: float, cores: str | None
) -> dict[str, Any]:
    """Return one play."""
    learned, judged = split_of(frame_of(contest), contest, split)
    with tempfile.TemporaryDirectory() as folder:
        learned.to_parquet(f"{folder}/learned.parquet")
        judged.drop(columns=contest.target).to_parquet(f"{folder}/asked.parquet")
        script = HERE / f"with_{contestant}.py"
        command = [python, str(script), folder, contest.target, contest.measure, str(seconds)]
        pinned = ["taskset", "-c", cores] if cores else []
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        load, start = os.getloadavg()[0], time.perf_counter()
        try:
            done = subprocess.run(
                [*pinned, *command],
                env=os.environ | threads,
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=PATIENCE * seconds + MARGIN,
                preexec_fn=limit_memory,
            )
            error = "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no word"])[-1]
        except subprocess.TimeoutExpired:
            error = "did not end"
        record: dict[str, Any] = {"process": round(time.perf_counter() - start, 2), "load": round(load, 2)}
        try:
            record |= json.loads(Path(folder, "seconds.json").read_text())
            record["seconds"] = round(record["seconds"], 2)
            record["score"] = score_of(contest, judged[contest.target], pd.read_parquet(f"{folder}/answers.parquet"))
        except (OSError, ValueError) as missing:
            record["error"] = error or f"{type(missing).__name__}: {missing}"
    record["baseline"] = baseline(contest, learned[contest.target], judged[contest.target])
    return record


def play_all(
    which: str,
    seconds: float,
    pythons: dict[str, str],
    *,
    splits: tuple[int, ...] = (0, 1),
    cores: tuple[str, ...] = (),
    only: tuple[str, ...] = (),
    path: Path = RESULTS,
) -> None:
    """Play what is not stored yet, one play at a time on each of `cores`, and store it; `only` names some tables."""
    free: SimpleQueue[str | None] = SimpleQueue()
    for core in cores or (None,):
        free.put(core)
    storing = threading.Lock()
    stored = results(path)

    def one(key: dict[str, Any]) -> None:
        core, name = free.get(), key["contestant"]
        try:
            record = key | play(LISTS[which][key["table"]], key["split"], name, pythons[name], seconds, core)
        finally:
            free.put(core)
        with storing, path.open("a") as file:
            file.write(json.dumps(record) + "\n")
        print(f"{key['table']:22} {name:10} {record.get('score', record.get('error'))}", file=sys.stderr)

    keys = [
        {"list": which, "table": name, "split": split, "limit": seconds, "contestant": contestant}
        for split in splits
        for name in (only or LISTS[which])
        for contestant in CONTESTANTS
        if contestant in pythons
    ]
    missing = [key for key in keys if not any(all(play[k] == v for k, v in key.items()) for play in stored)]
    with ThreadPoolExecutor(len(cores) or 1) as plays:
        for done in [plays.submit(one, key) for key in missing]:
            done.result()
