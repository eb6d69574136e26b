"""A file of a scan that is edited in place, its length kept and its time set back, is noticed all the same."""

import os

import numpy as np
import pytest

import novum
from novum.exceptions import SourceError
from novum.linear_model import LinearRegression


@pytest.mark.skipif(os.name != "posix", reason="other systems keep no time of the last change of status")
def test_the_time_restored(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"{i},{2 * i}\n" for i in range(10, 60)))
    scan = novum.scan(path, target="y")
    before = os.stat(path)
    text = path.read_text()
    with open(path, "r+") as file:
        file.write(text.replace("10,20", "99,20", 1))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert os.stat(path).st_size == before.st_size and os.stat(path).st_mtime_ns == before.st_mtime_ns
    with pytest.raises(SourceError, match=r"changed after novum\.scan looked"):
        LinearRegression().fit(scan)
    assert np.isfinite(LinearRegression().fit(novum.scan(path, target="y")).coef_).all()
