"""Shared entries of docstrings."""

import re

from novum.base.discovery import all_estimators
from novum.base.texts import ENTRIES, complete


def test_named_entries_are_put_in_their_place():
    doc = complete("Fit.\n\n        [rows, target, weights]\n        ")
    assert doc == "\n".join(
        ["Fit.", "", "Parameters", "----------", ENTRIES["rows"], ENTRIES["target"], ENTRIES["weights"]]
    )
    asked = complete("Tell.\n\n    [rows] -> float\n    ")
    assert asked == "\n".join(
        ["Tell.", "", "Parameters", "----------", ENTRIES["rows"], "", "Returns", "-------", "float"]
    )
    assert (
        complete("Fit [1].") == "Fit [1]." and complete("Fit.\n\n[1, 2]") == "Fit.\n\n[1, 2]" and complete(None) is None
    )


def test_no_method_shows_the_line_that_names_its_entries():
    for name, cls in all_estimators():
        for method in dir(cls):
            doc = getattr(getattr(cls, method, None), "__doc__", None) or ""
            assert not re.search(r"^\s*\[[a-z_, ]+\](?: -> .*)?$", doc, re.M), (name, method)
