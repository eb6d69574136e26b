"""Run the tests that carry a mark of the notes, record which passed, and write the pages made from that.

    python tools/notes_coverage.py           runs the tests, writes src/novum/notes/served.json and the pages in docs/
    python tools/notes_coverage.py --pages   writes the pages from what is recorded
As a pytest plugin (-p tools.notes_coverage) this file keeps, for every marked test, the items it is marked with. An item is served
by the test functions of which every case passed.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
SERVED = ROOT / "src" / "novum" / "notes" / "served.json"
DOCS = ROOT / "docs"
README = ROOT / "README.md"
AUTHORS = {
    "000": "*Machine Learning*, Stefano Genetti, Vittoria Ossanna, Giovanni Valer, after Andrea Passerini's lectures, 2022/23",
    "001": "*Machine Learning*, Marco Casu, Sapienza University of Rome",
    "002": "*Summary Machine Learning 1* and *2*, Phillip Lippe, 2018 and 2019",
    "003": "*Machine Learning*, Niccoló Didoni, 2022",
    "004": "*Machine Learning and Intelligent Systems*, Maria A. Zuluaga",
}
BEGIN, END = "<!-- counts, by make notes-coverage -->\n", "<!-- end of counts -->\n"


def pytest_collection_modifyitems(items):
    """Put the marks of the notes where reports carry them, from worker processes too."""
    for item in items:
        for mark in item.iter_markers("notes"):
            item.user_properties.append(("notes", "/".join(mark.args)))


class Recorder:
    """Collects the outcome of every marked test."""

    def __init__(self):
        self.keys = defaultdict(set)  # test -> items
        self.failed = set()
        self.ran = set()

    def pytest_runtest_logreport(self, report):
        test = report.nodeid.split("[")[0]
        self.keys[test].update(key for name, key in report.user_properties if name == "notes")
        if report.failed:
            self.failed.add(test)
        elif report.when == "call" and report.passed:
            self.ran.add(test)

    def served(self) -> dict[str, list[str]]:
        found = defaultdict(set)
        for test in self.ran - self.failed:
            for key in self.keys[test]:
                found[key].add(test)
        return {key: sorted(tests) for key, tests in sorted(found.items())}


def pytest_configure(config):
    """Write the record from the controlling process only; workers of pytest-xdist have `workerinput`."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(), "notes-recorder")


def pytest_sessionfinish(session):
    recorder = session.config.pluginmanager.get_plugin("notes-recorder")
    if recorder is not None and not hasattr(session.config, "workerinput"):
        SERVED.write_text(json.dumps(recorder.served(), indent=1) + "\n", encoding="utf-8")


def counts_table() -> str:
    """Return the README's table: every set of the notes, by its authors, with how many of its items are served."""
    from novum.notes.tables import chapters, ledger, server_of

    lines = ["| notes | chapters | items | by novum | by scikit-learn |", "|---|---:|---:|---:|---:|"]
    for number, title in AUTHORS.items():
        rows = [row for row in ledger() if row.notes == number]
        ours, others = (sum(server_of(row) == server for row in rows) for server in ("novum", "scikit-learn"))
        count = sum(chapter.notes == number for chapter in chapters())
        lines.append(f"| {title} | {count} | {len(rows)} | {ours} | {others} |")
    return "\n".join(lines) + "\n"


def write_pages() -> None:
    """Write the README's counts, docs/coverage.md, docs/errata.md and docs/notes/, and remove pages of chapters that are gone."""
    sys.path.insert(
        0, str(ROOT / "src")
    )  # the tables of this tree, not of an installed copy; they need no compiled core
    from novum.notes.pages import pages

    made = pages()
    for name, text in made.items():
        path = DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    README.write_text(before + BEGIN + counts_table() + END + rest.partition(END)[2], encoding="utf-8")
    for path in (DOCS / "notes").glob("*.md"):
        if f"notes/{path.name}" not in made:
            path.unlink()


if __name__ == "__main__":
    if "--pages" not in sys.argv:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "tools.notes_coverage",
            "-m",
            "notes",
            "-n",
            "2",
            "tests",
        ]
        environment = {"PYTHONPATH": str(ROOT)}
        outcome = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=False).returncode
        subprocess.run([sys.executable, __file__, "--pages"], cwd=ROOT, check=True)
        sys.exit(outcome)
    write_pages()
