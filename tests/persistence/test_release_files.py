"""Model files of every release load and predict what they predicted then (written by tools/release_files.py)."""

import json
from pathlib import Path

import numpy as np
import pytest
from contract.cases import data, outputs
from numpy.testing import assert_allclose

import novum

FILES = sorted((Path(__file__).parents[1] / "files").glob("*/*.novum"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_loads_and_predicts(path):
    expected = json.loads((path.parent / "expected.json").read_text())[path.stem]
    model = novum.load(path)
    results = outputs(model, data(model)[0])
    assert results.keys() >= expected.keys() and expected
    for method, values in expected.items():
        assert_allclose(np.asarray(results[method])[:5], values, rtol=1e-12)


def test_this_release_has_its_files():
    assert {path.parent.name for path in FILES} >= {novum.__version__}
