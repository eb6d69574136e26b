"""The guide's table of what runs where names every estimator over tables, with the form that the code has for it."""

from pathlib import Path

from contract.cases import estimators

from novum.base.device_forms import form_of

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "where-learners-run.md"


def test_the_page_is_that_of_the_code():
    lines = [
        line.strip("| \n").split("|")
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    found = {cells[0].strip(" `"): cells[-1].strip() if len(cells) == 5 else "" for cells in lines}
    assert found == {type(one).__name__: form_of(type(one)) for one in estimators()}, "run tools/homes.py"
