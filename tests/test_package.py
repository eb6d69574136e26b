"""The package as a whole: cheap to import, lazy, typed, with stubs that match the binary."""

import subprocess
import sys
from pathlib import Path

import pytest

import novum

ROOT = Path(__file__).parents[1]


def test_families_are_imported_when_first_used():
    code = "import sys, novum; assert not any(m.startswith('novum.linear_model') for m in sys.modules); novum.linear_model.Ridge"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        novum.nothing  # noqa: B018
    assert "linear_model" in dir(novum)


def test_import_time_over_scikit_learn():
    code = (
        "import time, sklearn, sklearn.base, sklearn.utils.validation; t = time.perf_counter(); import novum;"
        " print(time.perf_counter() - t)"
    )
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(3)
    ]
    assert min(times) < 0.15


def test_heavy_extras_are_not_imported():
    code = (
        "import sys, sklearn; before = set(sys.modules);"  # scikit-learn itself imports pandas where it is installed
        " import novum, novum.linear_model, novum.naive_bayes, novum.cluster;"
        " names = {'torch', 'dask', 'matplotlib', 'pandas', 'pyarrow', 'polars', 'skops'};"
        " heavy = names & (set(sys.modules) - before); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_stubs_match_the_binary():
    pytest.importorskip("nanobind")
    subprocess.run([sys.executable, str(ROOT / "tools" / "stubs.py"), "--check"], check=True)


def test_build_without_a_compiler_says_what_to_install(tmp_path):
    import shutil

    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    environment = {"PATH": str(Path(shutil.which("cmake")).parent), "CXX": "/nowhere/c++"}
    run = subprocess.run(
        ["cmake", "-S", str(ROOT), "-B", str(tmp_path)], capture_output=True, text=True, env=environment, check=False
    )
    assert run.returncode != 0
    assert "novum needs a C++20 compiler to build from source: install one" in " ".join(run.stderr.split())
