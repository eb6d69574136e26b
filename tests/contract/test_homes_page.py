"""The guide's tables of what runs where name every estimator, with the form that the code has for a device."""

from pathlib import Path

from contract.cases import estimators
from contract.given import NO_DATA

from novum.base.device_forms import form_of
from novum.base.discovery import all_estimators

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "where-learners-run.md"


def forms(text):
    """Return the last cell of every estimator's line."""
    lines = [line.strip("|\n").split("|") for line in text.splitlines() if line.startswith("| `")]
    return {cells[0].strip(" `"): cells[-1].strip() for cells in lines}


def test_the_page_is_that_of_the_code():
    tables, others = (forms(part) for part in PAGE.read_text(encoding="utf-8").split("## What is no table"))
    assert tables == {type(one).__name__: form_of(type(one)) for one in estimators()}, "run tools/homes.py"
    classes = dict(all_estimators())
    rest = classes.keys() - tables.keys() - NO_DATA
    assert others == {name: form_of(classes[name]) for name in rest}, "run tools/homes.py"
