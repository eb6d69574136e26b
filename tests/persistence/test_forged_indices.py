"""Indices in a model file that lead nowhere: refused when the file is loaded, and no error of NumPy when it predicts."""

import io
import json
import warnings
import zipfile

import numpy as np
import pytest

import novum
from novum.decision_theory import JointTableClassifier
from novum.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from novum.exceptions import FileFormatError
from novum.neighbors import KernelDensity, KNeighborsClassifier
from novum.theory import RectangleLearner
from novum.tree import DecisionTreeClassifier

X = np.random.default_rng(0).normal(size=(60, 3))
CODE = np.digitize(X[:, 0], [-0.5, 0.5])
MODELS = {
    "tree": lambda: DecisionTreeClassifier(max_depth=4).fit(X, CODE),
    "boosting": lambda: HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2).fit(X, CODE),
    "boosting of numbers": lambda: HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=2).fit(X, X[:, 0]),
    "neighbors": lambda: KNeighborsClassifier(3, algorithm="kd_tree").fit(X, CODE),
    "density": lambda: KernelDensity().fit(X),
    "joint table": lambda: JointTableClassifier(min_categories=4).fit(np.abs(X).astype(int), CODE),
    "boxes": lambda: RectangleLearner().fit(X, CODE),
}


def forged(raw, rng):
    """Return a file with one whole number of one array replaced by one that leads nowhere."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    schema = entries["schema.json"].decode()
    whole = [name for name in entries if name.endswith(".npy") and np.load(io.BytesIO(entries[name])).size]
    kinds = {name: np.load(io.BytesIO(entries[name])).dtype for name in whole}
    packed = json.loads(schema)["content"] and "layout_" in schema
    whole = [name for name in whole if kinds[name].names or kinds[name].kind in "iu"]
    name = str(rng.choice(whole))
    array = np.load(io.BytesIO(entries[name])).copy()
    flat = array.reshape(-1)
    if packed and array.dtype == np.uint8:  # the arrays of a tree: any four bytes of them
        at = int(rng.integers(max(flat.size - 4, 1)))
        flat[at : at + 4] = rng.choice([0xFF, 0x7F, 0x80, 0x00], 4)
    else:
        fields = [field for field in array.dtype.names or () if array.dtype[field].kind in "iu"]
        part = flat[str(rng.choice(fields))] if fields else flat
        info = np.iinfo(part.dtype)
        part[rng.integers(flat.size)] = rng.choice([max(-7, int(info.min)), int(info.max), min(10**6, int(info.max))])
    out = io.BytesIO()
    np.save(out, array)
    entries[name] = out.getvalue()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for member, content in entries.items():
            archive.writestr(member, content)
    return file.getvalue()


@pytest.mark.parametrize("name", MODELS)
def test_forged_indices_are_refused_or_harmless(tmp_path, name):
    model, path, rng = MODELS[name](), tmp_path / "model.novum", np.random.default_rng(1)
    novum.save(model, path)
    raw, refused = path.read_bytes(), 0
    for _ in range(25):
        path.write_bytes(forged(raw, rng))
        try:
            loaded = novum.load(path)
        except FileFormatError:
            refused += 1
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = np.abs(X).astype(int) if name == "joint table" else X
            loaded.score_samples(rows) if name == "density" else loaded.predict(rows)  # nonsense, perhaps, and no error
    assert refused or name == "boxes"
