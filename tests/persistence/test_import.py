"""What saving a model imports."""

import subprocess
import sys

CODE = """
import sys, novum
from novum.linear_model import LinearRegression
path = novum.save(LinearRegression().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]), sys.argv[1])
novum.load(path)
assert "skops.io" in sys.modules
print([name for name in ("torch", "dask", "cupy") if name in sys.modules])
import sklearn.externals.array_api_compat as compat
assert not [name for name in sys.modules if name.startswith("sklearn.externals.array_api_compat.torch")]
"""


def test_saving_imports_no_array_library(tmp_path):
    run = subprocess.run([sys.executable, "-c", CODE, str(tmp_path / "m.novum")], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.strip() == "[]", run.stderr
