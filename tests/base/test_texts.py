"""Shared paragraphs of docstrings."""

from novum.base.discovery import all_estimators
from novum.base.texts import PARAGRAPHS, complete


def test_a_named_paragraph_is_put_in_its_place():
    doc = complete("Fit.\n\n        [labelled rows]\n        ")
    assert (
        doc is not None
        and doc.startswith("Fit.\n\nParameters\n----------\nX : ")
        and doc.endswith("Returns\n-------\nself")
    )
    assert complete("Fit [1].") == "Fit [1]." and complete(None) is None


def test_no_public_docstring_names_a_paragraph_that_is_not_there():
    for name, cls in all_estimators():
        for method in ("fit", "partial_fit"):
            doc = getattr(getattr(cls, method, None), "__doc__", None) or ""
            assert not any(line.strip().startswith("[") and line.strip().endswith("]") for line in doc.split("\n")), (
                name
            )
    assert all(text.startswith("Parameters\n") for text in PARAGRAPHS.values())
