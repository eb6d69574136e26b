"""Where the contestants stand: mean rank, share of the gap, worst table, plays without a model, how the time was kept.

With s a score turned so that more is better, b that of the baseline and t the best of all plays on a table and split, whatever
their seconds, the share of the gap is

    g = (s - b) / (t - b),    0 without a model                                                                       (1)
"""

from collections import defaultdict
from typing import Any

import numpy as np
from scipy.stats import rankdata

from benchmarks.study_contest.tables import LISTS

__all__ = ["gaps", "lines"]


def turned(play: dict[str, Any], score: float) -> float:
    return score if LISTS[play["list"]][play["table"]].measure == "auc" else -score


def gaps(plays: list[dict[str, Any]], which: str, limit: float) -> dict[tuple[str, int], dict[str, float]]:
    """Return (1) by table and split, for each contestant that played at a limit."""
    best: dict[tuple[str, int], float] = defaultdict(lambda: -np.inf)
    here = [play for play in plays if play["list"] == which]
    for play in here:
        key = play["table"], play["split"]
        best[key] = max(best[key], turned(play, play.get("score", play["baseline"])), turned(play, play["baseline"]))
    found: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for play in here:
        if play["limit"] == limit:
            key, low = (play["table"], play["split"]), turned(play, play["baseline"])
            reach = best[key] - low
            gain = turned(play, play["score"]) - low if "score" in play else 0.0
            found[key][play["contestant"]] = gain / reach if reach > 0 else 0.0
    return dict(found)


def lines(plays: list[dict[str, Any]], which: str, limit: float) -> list[str]:
    """Return the standing on the tables and splits that all have played, and every table of it."""
    shares = gaps(plays, which, limit)
    everyone = sorted({name for one in shares.values() for name in one})
    complete = {key: one for key, one in shares.items() if len(one) == len(everyone)}
    if not complete:
        return [f"{which}, {limit:g} s: nothing that all have played"]
    table = np.array([[one[name] for name in everyone] for one in complete.values()])  # (plays, contestants)
    ranks = np.array([rankdata(-row) for row in table])
    mine = [p for p in plays if p["list"] == which and p["limit"] == limit]
    said = [f"{which} list, {limit:g} s, {len(table)} tables and splits"]
    said.append(f"{'':24}{'rank':>7}{'gap':>7}{'worst':>7}{'below .6':>10}{'no model':>10}{'slowest / limit':>17}")
    for column in np.argsort(ranks.mean(axis=0)):
        name, values = everyone[column], table[:, column]
        slowest = max(
            (p["seconds"] / limit for p in mine if p["contestant"] == name and "seconds" in p), default=np.nan
        )
        none = sum("score" not in p for p in mine if p["contestant"] == name)
        means = (ranks[:, column].mean(), values.mean(), values.min())
        cells = (*(f"{one:.3f}" for one in means), str(int((values < 0.6).sum())))
        widths = (7, 7, 7, 10)
        said.append(f"{name:24}" + "".join(f"{c:>{w}}" for c, w in zip(cells, widths)) + f"{none:>10}{slowest:17.2f}")
    said += ["", f"{'share of the gap':28}" + "".join(f"{name:>11}" for name in everyone)]
    for (name, split), row in zip(complete, table):
        said.append(f"{name + ', ' + str(split):28}" + "".join(f"{value:11.3f}" for value in row))
    return said
