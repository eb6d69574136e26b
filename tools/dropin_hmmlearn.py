#!/usr/bin/env python3
"""Run hmmlearn's own tests with novum's hidden Markov models in place of its own: how far is 'change the import' true?

Two words of its tests are changed before, as a user would: `n_iter` is `max_iter`, `score_samples` is `score` with
`predict_proba`.

usage: dropin_hmmlearn.py [FILE ...]     SHOW=1 prints the failing tests
A test counts only if it notices: every file runs a second time with stand-ins whose methods raise, and tests that pass even then
are left out. Prints a line per file and the share of counting tests that pass; exit 0 at 90 % or more.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import hmmlearn

ROOT = pathlib.Path(hmmlearn.__file__).parent
NAMES = {
    "hmm": ["GaussianHMM", "CategoricalHMM", "MultinomialHMM", "PoissonHMM", "GMMHMM"],
    "vhmm": ["VariationalGaussianHMM", "VariationalCategoricalHMM"],
}
METHODS = (
    "fit",
    "score",
    "score_samples",
    "decode",
    "predict",
    "predict_proba",
    "sample",
    "_init",
    "_check",
    "_check_and_set_n_features",
)
BROKEN = f"""
def _stand_in(cls):
    def stop(self, *arguments, **options):
        raise RuntimeError("stand-in")
    return type(cls.__name__, (cls,), dict.fromkeys({METHODS!r}, stop))
"""

WORDS = """
def _in_words_of_hmmlearn(cls):
    def score_samples(self, X, lengths=None):
        return self.score(X, lengths), self.predict_proba(X, lengths)
    return type(cls.__name__, (cls,), {"score_samples": score_samples})
"""


def replaced_package(folder: pathlib.Path, broken: bool) -> None:
    """Write a copy of hmmlearn to `folder` whose models are novum's, or stand-ins that raise."""
    shutil.copytree(ROOT, folder / "hmmlearn")
    for module, names in NAMES.items():
        path = folder / "hmmlearn" / f"{module}.py"
        lines = [path.read_text(), f"from novum.sequence import {', '.join(names)}"]
        change, code = ("_stand_in", BROKEN) if broken else ("_in_words_of_hmmlearn", WORDS)
        lines += [code, *(f"{name} = {change}({name})" for name in names)]
        path.write_text("\n".join(lines) + "\n")
    for path in (folder / "hmmlearn" / "tests").glob("*.py"):
        path.write_text(re.sub(r"\bn_iter\b", "max_iter", path.read_text()))


def outcomes(file: str, broken: bool) -> dict[str, str]:
    """Return what became of every test of a file."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        replaced_package(folder, broken)
        report = folder / "report.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--tb=line",
            "-W",
            "ignore",
            f"--junitxml={report}",
        ]
        done = subprocess.run(
            [*command, str(folder / "hmmlearn" / "tests" / file)],
            capture_output=True,
            timeout=1200,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},
            text=True,
            check=False,
        )
        if os.environ.get("SHOW") == "2" and not broken:
            print(done.stdout[-6000:])
        found = {}
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            bad = case.find("failure") is not None or case.find("error") is not None
            skipped = case.find("skipped") is not None
            found[f"{case.get('classname')}.{case.get('name')}"] = "skip" if skipped else "fail" if bad else "pass"
        return found


def main(files: list[str]) -> int:
    total = passed = 0
    for file in files:
        ours, dead = outcomes(file, broken=False), outcomes(file, broken=True)
        count = [test for test, outcome in ours.items() if outcome != "skip" and dead.get(test) != "pass"]
        good = [test for test in count if ours[test] == "pass"]
        total, passed = total + len(count), passed + len(good)
        print(f"{file:45s} {len(good):4d} of {len(count):4d}", flush=True)
        if os.environ.get("SHOW"):
            print("\n".join(f"    {test}" for test in count if ours[test] != "pass"))
    print(f"drop-in: {passed} of {total} counting tests of hmmlearn pass ({100 * passed / max(1, total):.1f} %)")
    return int(total == 0 or passed < 0.9 * total)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or sorted(path.name for path in (ROOT / "tests").glob("test_*.py"))))
