import sys
import textwrap

import pytest
from sklearn.base import BaseEstimator

import novum
from novum.base.discovery import all_estimators, public_class, public_modules
from novum.exceptions import ParameterError
from novum.linear_model import Ridge


def test_finds_estimators_of_every_kind():
    everything = all_estimators()
    assert ("Ridge", Ridge) in everything
    assert everything == sorted(everything, key=lambda pair: pair[0])
    assert len({cls for _, cls in everything}) == len(everything)
    assert everything.missing == {}
    for name, cls in everything:
        assert issubclass(cls, BaseEstimator) and cls.__module__.startswith("novum.") and not name.startswith("_")
        assert not cls.__module__.startswith("novum.base")


def test_kinds_are_subsets():
    assert ("Ridge", Ridge) in all_estimators("regressor")
    assert ("Ridge", Ridge) not in all_estimators("classifier")
    assert {name for name, _ in all_estimators("classifier")} >= {"GaussianNB"}
    with pytest.raises(ParameterError, match=r"all_estimators\(kind='clasifier'\): kind must be None or one of"):
        all_estimators("clasifier")


def test_modules_are_public():
    modules = list(public_modules())
    assert "novum.linear_model.ridge" in modules
    assert not any(part.startswith("_") for module in modules for part in module.split("."))


@pytest.fixture
def extra(tmp_path, monkeypatch):
    """A family beside the real ones, in a folder of its own."""

    def add(code):
        folder = tmp_path / "spare"
        folder.mkdir()
        listed = (
            "from novum.spare._inner import Hidden\nfrom novum.spare.models import *\n__all__ = ['Hidden', *LISTED]\n"
        )
        (folder / "__init__.py").write_text(f"from novum.spare.models import LISTED\n{listed}")
        classes = "class Hidden(BaseEstimator): ...\nclass Other(BaseEstimator): ...\n"
        (folder / "_inner.py").write_text(f"from sklearn.base import BaseEstimator\n{classes}")
        (folder / "models.py").write_text(textwrap.dedent(code))
        monkeypatch.setattr(novum, "__path__", [*novum.__path__, str(tmp_path)])

    yield add
    for name in [name for name in sys.modules if name.startswith("novum.spare")]:
        del sys.modules[name]
    if hasattr(novum, "spare"):
        del novum.spare


def test_private_abstract_and_imported_classes_are_left_out(extra):
    extra("""
        from abc import ABC, abstractmethod
        from sklearn.base import BaseEstimator
        from sklearn.linear_model import LogisticRegression
        LISTED = ["Good", "Plain", "Abstract", "LogisticRegression"]
        class Good(BaseEstimator): ...
        class Unlisted(BaseEstimator): ...
        class _Private(BaseEstimator): ...
        class Plain: ...
        class Abstract(ABC, BaseEstimator):
            @abstractmethod
            def fit(self): ...
    """)
    names = {name for name, cls in all_estimators() if cls.__module__.startswith("novum.spare")}
    assert names == {"Good", "Hidden"}  # Hidden is defined in a private module, and its family lists it
    assert public_class("novum.spare._inner", "Hidden").__name__ == "Hidden"
    assert public_class("novum.spare._inner", "Other") is None


def test_a_missing_dependency_is_reported(extra):
    extra("import a_package_that_is_not_there\n")
    with pytest.warns(UserWarning, match=r"the estimators of novum\.spare are not listed: No module named"):
        found = all_estimators()
    assert list(found.missing) == ["novum.spare"]
    assert ("Ridge", Ridge) in found


@pytest.mark.parametrize(
    "module, name",
    [
        ("os", "system"),
        ("novum", "import_module"),
        ("novum.base.discovery", "warnings"),
        ("novum.base.discovery", "BaseEstimator"),  # imported there, not defined there
        ("novum.base.discovery", "iter_modules"),
        ("novum.linear_model", "Ridge"),  # defined one module deeper
        ("novum.linear_model.ridge", "Ridge.fit"),
        ("novum.linear_model.ridge", "__class__"),
        ("novum.__main__", "Main"),
        ("novum._core", "random"),
        ("novum_evil", "Ridge"),
        ("novum.nowhere", "Ridge"),
        ("novum.linear_model.ridge.deeper", "Ridge"),
        ("novum..linear_model", "Ridge"),
        ("", "Ridge"),
    ],
)
def test_what_is_not_a_public_class(module, name):
    before = set(sys.modules)
    assert public_class(module, name) is None
    assert not {new for new in set(sys.modules) - before if not new.startswith("novum.")}


def test_public_class_is_the_class_itself():
    assert public_class("novum.linear_model.ridge", "Ridge") is Ridge
