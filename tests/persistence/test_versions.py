import io

import numpy
import sklearn

import novum
from novum.persistence.versions import installed_version, show_versions, versions


def test_versions_are_those_installed():
    found = versions()
    assert found["required"]["numpy"] == numpy.__version__
    assert found["required"]["scikit-learn"] == sklearn.__version__
    assert "not installed" not in found["required"].values()
    assert found["novum"]["novum"] == novum.__version__
    assert installed_version("no-such-package") == "not installed"


def test_core_and_thread_pools_are_described():
    found = versions()
    assert found["core"]["instructions"] in {"x86-64-v4", "x86-64-v3", "default"}
    assert found["core"]["compiler"].split()[0] in {"gcc", "clang", "unknown"}
    assert int(found["core"]["threads"]) >= 1
    assert any(line.startswith("blas: ") for line in found["thread pools"].values())


def test_printing_to_a_file_and_to_the_screen(capsys):
    file = io.StringIO()
    show_versions(file)
    assert capsys.readouterr().out == ""
    show_versions()
    assert capsys.readouterr().out == file.getvalue()
    assert f"numpy         {numpy.__version__}" in file.getvalue()
