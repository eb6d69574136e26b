"""The end of a process: compiled objects are gone before the interpreter is, whoever held them."""

import subprocess
import sys

SCRIPT = """
import threading
import time
import numpy as np
from novum.ensemble import ExtraTreesRegressor, HistGradientBoostingClassifier, IsolationForest, RandomForestClassifier
from novum.feature_extraction.text import CountVectorizer
from novum.neighbors import KernelDensity, KNeighborsClassifier
from novum.tree import DecisionTreeClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))
y = (X[:, 0] > 0).astype(int)
models = [RandomForestClassifier(3), DecisionTreeClassifier(), ExtraTreesRegressor(3), HistGradientBoostingClassifier(max_iter=3),
          KNeighborsClassifier(algorithm="kd_tree")]
for model in models:
    model.fit(X, y).predict(X)
    model.itself = model  # a cycle: it lives until the interpreter ends
models += [IsolationForest(n_estimators=3).fit(X), KernelDensity().fit(X)]
models[-2].predict(X), models[-1].score_samples(X)
threading.Thread(target=lambda kept: time.sleep(60), args=(models,), daemon=True).start()  # keeps them to the very end
CountVectorizer().fit_transform(["one two", "two three"])
"""


def test_nothing_is_reported_at_exit():
    done = subprocess.run([sys.executable, "-W", "error", "-c", SCRIPT], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
