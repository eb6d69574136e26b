"""Play, or print the standing: see the package's own words."""

import argparse
import sys
from pathlib import Path

from benchmarks.study_contest.contest import RESULTS, play_all, results
from benchmarks.study_contest.standing import lines

parser = argparse.ArgumentParser(prog="python -m benchmarks.study_contest", description=__doc__)
parser.add_argument("--list", default="first", choices=("first", "second"))
parser.add_argument("--seconds", type=float, default=30.0)
parser.add_argument("--python", nargs="*", default=[], metavar="contestant=python", help="novum is played by this one")
parser.add_argument("--splits", type=int, nargs="*", default=[0, 1])
parser.add_argument("--tables", nargs="*", default=[])
parser.add_argument("--cores", nargs="*", default=[], help="as taskset takes them: a play at a time on each")
parser.add_argument("--results", type=Path, default=RESULTS, help="where plays are stored")
parser.add_argument("--without-novum", action="store_true")
parser.add_argument("--standing", action="store_true", help="print what is stored, play nothing")
given = parser.parse_args()
if not given.standing:
    pythons = dict(one.split("=", 1) for one in given.python)
    if not given.without_novum:
        pythons["novum"] = sys.executable
    play_all(
        given.list,
        given.seconds,
        pythons,
        splits=tuple(given.splits),
        cores=tuple(given.cores),
        only=tuple(given.tables),
        path=given.results,
    )
print("\n".join(lines(results(given.results), given.list, given.seconds)))
