"""Data files of LIBSVM and SVMlight: what they hold, and hostile ones refused by name and line."""

import gzip

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from sklearn.datasets import dump_svmlight_file

from novum.datasets import load_svmlight
from novum.exceptions import DataError, ParameterError, SourceError
from novum.svm import SVC

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6)) * (RNG.uniform(size=(40, 6)) < 0.4)
Y = np.where(X.sum(axis=1) > 0, 1.0, -1.0)


def test_rows_come_back(tmp_path):
    for zero_based in (False, True):
        dump_svmlight_file(X, Y, str(tmp_path / "a.svm"), zero_based=zero_based)
        rows = load_svmlight(tmp_path / "a.svm", n_features=6, zero_based=zero_based)
        assert scipy.sparse.issparse(rows.data) and rows.query_id is None
        assert_allclose(rows.data.toarray(), X, rtol=1e-12)
        assert_allclose(rows.target, Y)
    packed = tmp_path / "a.svm.gz"
    packed.write_bytes(gzip.compress((tmp_path / "a.svm").read_bytes()))
    found, target = load_svmlight(packed, n_features=6, zero_based=True, return_X_y=True)
    assert_allclose(found.toarray(), X, rtol=1e-12)
    assert (SVC().fit(found, target).predict(found) == target).mean() > 0.8


def test_queries_comments_and_several_labels(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("# head\n2 qid:1 1:.5 4:1e-3 # text : more\n\n1 qid:2 2:-1.\n")
    rows = load_svmlight(path)
    assert_allclose(rows.data.toarray(), [[0.5, 0, 0, 1e-3], [0, -1, 0, 0]])
    assert rows.query_id.tolist() == [1, 2] and rows.target.tolist() == [2, 1]
    path.write_text("1,3 1:2\n 2:1\n2 1:1\n")
    assert load_svmlight(path, multilabel=True).target == [(1.0, 3.0), (), (2.0,)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:2\nspam 1:2\n", "line 2"),
        ("1 1:2\n1 1:two\n", "line 2"),
        ("1 1\n", "line 1"),
        ("1 1:2 nan\n", "line 1"),
        ("1 1:nan\n", "NaN or infinity"),
        ("1 1:inf\n", "NaN or infinity"),
        ("1 1:1e999\n", "too large"),
        ("1e999 1:1\n", "too large"),
        ("1 -1:2\n", "line 1"),
        ("1 3:2 2:2\n", "do not rise"),
        ("1 2:2 2:2\n", "do not rise"),
        ("1 99999999999:2\n", "the column 99999999999"),
        ("1 1:2 3:\n", "line 1"),
        ("\x00\x01\x02", "line 1"),
        ("", "holds no row"),
        ("# nothing\n", "holds no row"),
        ("<html>\n", "line 1"),
    ],
)
def test_hostile_files(tmp_path, text, message):
    path = tmp_path / "bad.svm"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as error:
        load_svmlight(path)
    assert "bad.svm" in str(error.value)


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(SourceError, match=r"no file .*none\.svm"):
        load_svmlight(tmp_path / "none.svm")
    (tmp_path / "a.gz").write_bytes(b"not packed")
    with pytest.raises(SourceError, match=r"a\.gz"):
        load_svmlight(tmp_path / "a.gz")
    (tmp_path / "b.svm").write_text("1 1:2 7:1\n")
    with pytest.raises(DataError, match=r"b\.svm"):
        load_svmlight(tmp_path / "b.svm", n_features=3)
    with pytest.raises(ParameterError, match="n_features=0"):
        load_svmlight(tmp_path / "b.svm", n_features=0)
