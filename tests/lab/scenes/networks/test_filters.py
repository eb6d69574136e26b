"""The convolutional network: maps against sums under the filter written out, classes and numbers against a plain fit."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from sklearn.datasets import load_digits

from novum.neural_network import ConvNetClassifier

pytestmark = pytest.mark.deep

STATES = [{"epochs": 3}, {"epochs": 2, "kernel": "5", "pool": 1, "filters": 3, "shown_filter": 3, "seed": 1}]
STATES += [{"epochs": 2, "kernel": "1", "pool": 3, "n": 60, "drawn": (load_digits().images[7]).tolist()}]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("filters", **request.param)


def fitted(s, epochs):
    X, digits = load_digits(return_X_y=True)
    model = ConvNetClassifier(
        (s.filters,), kernel_size=int(s.kernel), pool=s.pool, hidden=(s.hidden,), batch_norm=False, dropout=0.0, max_epochs=epochs,
        learning_rate=s.rate, schedule="constant", patience=None, device="cpu", random_state=s.seed,
    )  # fmt: skip
    return model.fit(X[: s.n].reshape(-1, 8, 8) / 16, digits[: s.n]), X[: s.n].reshape(-1, 8, 8) / 16, digits[: s.n]


def trained(run):
    return [frame for frame in run.frames if frame.part == "train"]


def maps_of(s, model):
    """Return the pooled maps: sums under every filter, what is negative set to zero, the largest of every block kept."""
    X = load_digits().data[: s.n] / 16
    k, picture = int(s.kernel), np.pad((np.array(s.drawn) / 16 - X.mean()) / X.std(), int(s.kernel) // 2)
    bias = np.asarray(model.weights_["blocks.0.conv.bias"], float)
    side = -(-8 // s.pool)
    made = np.zeros((s.filters, side, side))
    for f, W in enumerate(model.filters()[:, 0].astype(float)):
        sums = np.array([[(picture[i : i + k, j : j + k] * W).sum() + bias[f] for j in range(8)] for i in range(8)])
        sums = np.maximum(sums, 0)
        for i, j in np.ndindex(side, side):
            made[f, i, j] = sums[s.pool * i : s.pool * (i + 1), s.pool * j : s.pool * (j + 1)].max()
    return made


def test_maps_are_sums_under_the_filters(run):
    s = run.state
    model, _, _ = fitted(s, s.epochs)
    maps = maps_of(s, model)
    frame = trained(run)[-1]
    assert np.array(frame.arrays["cells"]) == pytest.approx(maps[s.shown_filter - 1], rel=1e-4, abs=1e-5)
    assert frame.arrays["map_pixels"] == pytest.approx(255 * maps / maps.max(), abs=0.6)
    weights = model.filters()[:, 0]
    assert frame.arrays["filter_pixels"] == pytest.approx(127.5 + 127.5 * weights / np.abs(weights).max(), abs=0.6)
    assert frame.values["size"] == maps.shape[1] == -(-((8 + 2 * (int(s.kernel) // 2) - int(s.kernel)) + 1) // s.pool)


def test_the_filter_slides_over_all_cells(run):
    s = run.state
    slid = [frame for frame in run.frames if frame.part == "slide"]
    side = -(-8 // s.pool)
    assert [frame.arrays["cell"][0] for frame in slid] == [[i, j] for i in range(side) for j in range(side)]
    for frame, before in zip(slid[1:], slid):
        known = [value for row in frame.arrays["cells"] for value in row if value is not None]
        assert len(known) == 1 + sum(value is not None for row in before.arrays["cells"] for value in row)
    middle = side // 2
    field = slid[middle * side + middle].arrays["field"]
    assert len(field) == (s.pool + int(s.kernel) - 1) ** 2 or s.pool * (middle + 1) + int(s.kernel) // 2 > 8
    assert np.array(slid[-1].arrays["cells"]) == pytest.approx(trained(run)[-1].arrays["cells"], rel=1e-6)


def test_classes_are_those_of_a_plain_fit(run):
    s = run.state
    for n in (1, s.epochs):
        frame, (model, X, digits) = trained(run)[n - 1], fitted(s, n)
        shares = model.predict_proba(np.array(s.drawn)[None] / 16)[0]
        assert frame.values["p"] == shares.max() and frame.values["digit"] == model.classes_[shares.argmax()]
        assert frame.arrays["shares"][model.classes_] == pytest.approx(shares, rel=1e-6)
        assert frame.values["right"] == (model.predict(X) == digits).mean()


def test_a_filter_that_there_is_not_is_refused():
    assert refusal_of("filters", filters=2, shown_filter=3)[1] == "shown_filter"
