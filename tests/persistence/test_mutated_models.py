"""Model files changed at random: each is refused by one of our errors or predicts, and none brings the process down.

Mutations are seeded. A mutated file may load and predict nonsense (its numbers are as good as any); what it must not do is read or
write outside of an array, or ask for more memory than the file could fill. Each batch runs in a process of its own, so that a
crash is a failure of this test and not of all tests.
"""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from novum.cluster import KMeans
from novum.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
)
from novum.exceptions import FileFormatError
from novum.feature_extraction.text import CountVectorizer, TfidfVectorizer
from novum.linear_model import LogisticRegression
from novum.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from novum.neighbors import KNeighborsClassifier, RadiusNeighborsClassifier
from novum.persistence.files import save
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor

PER_MODEL = int(os.environ.get("NOVUM_MUTATIONS", "4"))  # files per model
TEXTS = ["a bb cc dd", "dd ee ff aa", "bb aa gg"] * 8
EXTREMES = [-(2**63), -(2**31), -1, 0, 1, 7, 1000, 200_000_000, 2**31 - 1, 2**62]

RUNNER = """
import sys, warnings
import numpy as np
warnings.simplefilter("ignore")
from novum.exceptions import FileFormatError
from novum.persistence.files import load
X = np.random.default_rng(0).normal(size=(20, 3))
counts = np.abs(X * 3).astype(int)
texts = ["a bb cc dd", "dd ee ff aa", "bb zz gg"]
for path in sys.argv[1:]:
    print("begin", path, flush=True)
    try:
        model = load(path)
    except FileFormatError as error:
        print("refused", flush=True)
        continue
    for rows in (texts if "text" in path else counts if "count" in path else X,):
        for name in ("predict", "predict_proba", "transform", "score_samples", "kneighbors", "apply"):
            method = getattr(model, name, None)
            if method is None:
                continue
            try:
                method(rows)
            except MemoryError:
                raise
            except Exception as error:  # a Python error about its numbers is no crash
                print("raised", name, type(error).__name__, flush=True)
    print("ended", flush=True)
"""


def models():
    """Return fitted models of every kind that walks indices of its own, by name."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    counts = np.abs(X * 3).astype(int)
    texts = np.array([0, 1, 0] * 8)
    return {
        "tree": DecisionTreeClassifier(max_depth=4).fit(X, y),
        "regression-tree": DecisionTreeRegressor(max_depth=4).fit(X, X[:, 0]),
        "forest": RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, y),
        "isolation": IsolationForest(n_estimators=3, random_state=0).fit(X),
        "ada": AdaBoostClassifier(n_estimators=3, random_state=0).fit(X, y),
        "boosting": HistGradientBoostingClassifier(max_iter=3).fit(X, y),
        "boosting-regression": HistGradientBoostingRegressor(max_iter=3).fit(X, X[:, 0]),
        "kmeans": KMeans(3, random_state=0, n_init=1).fit(X),
        "neighbors": KNeighborsClassifier(3).fit(X, y),
        "radius": RadiusNeighborsClassifier(3.0).fit(X, y),
        "gaussian": GaussianNB().fit(X, y),
        "bernoulli": BernoulliNB().fit(X, y),
        "count-categorical": CategoricalNB(min_categories=20).fit(counts, y),
        "count-multinomial": MultinomialNB().fit(counts, y),
        "logistic": LogisticRegression().fit(X, y),
        "text-vectorizer": CountVectorizer().fit(TEXTS),
        "text-pipeline": make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, texts),
        "text-counts": make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS, texts),
    }


def mutated_array(raw, rng):
    """Return the bytes of a stored array with some of its content, its shape or its dtype changed."""
    try:
        array = np.load(io.BytesIO(raw), allow_pickle=False)
    except (ValueError, EOFError):
        return raw
    kind = rng.integers(4)
    if kind == 0 or not array.size or not array.ndim:  # any byte
        changed = bytearray(raw)
        for _ in range(rng.integers(1, 4)):
            changed[rng.integers(len(changed))] = rng.integers(256)
        return bytes(changed)
    if kind == 1:
        flat = array.ravel().copy()
        if flat.dtype.names:
            name = str(rng.choice(flat.dtype.names))
            flat[name][rng.integers(flat.size)] = value_for(flat.dtype[name], rng)
        elif flat.dtype.kind in "iufb":
            flat[rng.integers(flat.size)] = value_for(flat.dtype, rng)
        array = flat.reshape(array.shape)
    elif kind == 2:
        array = array.ravel()[: rng.integers(array.size)] if rng.random() < 0.5 else np.repeat(array, 2, axis=0)
    elif array.dtype.kind in "iuf":
        array = array.astype(rng.choice(["float64", "int32", "int64", "uint8", "float32"]))
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def value_for(dtype, rng):
    """Return an odd value that the dtype can hold."""
    if dtype.kind == "b":
        return bool(rng.integers(2))
    if dtype.kind == "f":
        return rng.choice([np.nan, np.inf, -1.0, 0.0, 1e300 if dtype.itemsize == 8 else 1e30])
    info = np.iinfo(dtype)
    return int(np.clip(int(rng.choice(np.array(EXTREMES, dtype=object))), int(info.min), int(info.max)))


def numbers_of(node, found):
    """Collect (container, key) of every plain number and name in a schema."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        if isinstance(value, (dict, list)):
            numbers_of(value, found)
        elif key == "content" and isinstance(value, str):
            found.append((node, key))
    return found


def mutated(raw, rng):
    """Return a model file with one array or one plain value changed."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    arrays = [name for name in entries if name.endswith(".npy")]
    if arrays and rng.random() < 0.7:
        name = str(rng.choice(arrays))
        entries[name] = mutated_array(entries[name], rng)
    else:
        schema = json.loads(entries["schema.json"])
        places = numbers_of(schema, [])
        node, key = places[rng.integers(len(places))]
        try:
            old = json.loads(node[key])
        except ValueError:
            old = node[key]
        node[key] = json.dumps(int(rng.choice(np.array(EXTREMES, dtype=object))) if rng.random() < 0.7 else [old, None])
        entries["schema.json"] = json.dumps(schema).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("code", [2**31 - 1, -1, 2])
def test_rows_of_a_class_that_is_not_there(tmp_path, code):
    """One such number made a table of 16 GiB of votes."""
    model = RadiusNeighborsClassifier(3.0).fit(np.arange(8.0)[:, None], [0, 1] * 4)
    model._y[3] = code
    with pytest.raises(FileFormatError, match="names classes by numbers"):
        save(model, tmp_path / "model.novum")


@pytest.mark.parametrize("seed", [int(os.environ.get("NOVUM_SEED", "0"))])
def test_no_mutated_model_brings_the_process_down(tmp_path, seed):
    rng = np.random.default_rng(seed)
    paths = []
    for name, model in models().items():
        save(model, tmp_path / "whole.novum")
        raw = (tmp_path / "whole.novum").read_bytes()
        for i in range(PER_MODEL):
            paths.append(tmp_path / f"{name}-{i}.novum")
            paths[-1].write_bytes(mutated(raw, rng))
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))\n"
    done = subprocess.run(
        [sys.executable, "-c", limit + RUNNER, *map(str, paths)], capture_output=True, text=True, timeout=300
    )
    last = done.stdout.rpartition("begin ")[2].splitlines()[0] if done.stdout else "the start"
    assert done.returncode == 0, f"{Path(last).name}: {done.returncode}\n{done.stderr[-2000:]}"
    assert done.stdout.count("refused") + done.stdout.count("ended") == len(paths)
