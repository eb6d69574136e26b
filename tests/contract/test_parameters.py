"""A constructor's signature, its domains and its documentation name the same parameters, and it stores what it is given."""

import inspect
import re

import pytest

from novum.base.discovery import all_estimators

# scikit-learn's text vectorizers keep their constructors, and Find-S has no parameter
OWN = [(name, cls) for name, cls in all_estimators() if getattr(cls.__init__, "__module__", "").startswith("novum.")]


def documented(cls: type) -> list[str]:
    """Return the names in the section Parameters of a class, in order."""
    text = inspect.cleandoc(cls.__doc__ or "")
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", text, re.M | re.S)
    heads = re.findall(r"^(\w[\w, ]*?)(?: : .*)?$", section.group(1), re.M) if section else []
    return [name.strip() for head in heads for name in head.split(",")]


@pytest.mark.parametrize("name, cls", OWN)
def test_signature_domains_and_documentation_agree(name, cls):
    signature = [p for p in inspect.signature(cls.__init__).parameters if p != "self"]
    assert set(cls._domains) == set(signature)
    assert sorted(documented(cls)) == sorted(signature)


@pytest.mark.parametrize("name, cls", OWN)
def test_parameters_are_stored_as_given(name, cls):
    parameters = inspect.signature(cls.__init__).parameters
    given = {p: object() for p in parameters if p != "self"}
    made = cls.__new__(cls)
    cls.__init__(made, **given)
    assert {p: vars(made)[p] for p in given} == given


def test_which_constructors_are_ours():
    assert {name for name, _ in all_estimators()} - {name for name, _ in OWN} == {
        "CountVectorizer",
        "FindS",
        "HashingVectorizer",
        "TfidfVectorizer",
    }
