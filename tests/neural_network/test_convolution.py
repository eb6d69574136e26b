"""Convolution and pooling as formulas, against sums written out and PyTorch; the classifier on digits it has not seen."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from novum.exceptions import DataError, ParameterError
from novum.neural_network import ConvNetClassifier
from novum.neural_network.convolution.plots import side_by_side
from novum.teaching.neural_networks.convolution import convolve, convolve_gradients, max_pool

pytestmark = pytest.mark.filterwarnings("ignore:.*the network is worse than none")  # few epochs are enough here


def literal_convolution(x, w, b, stride, padding):
    """The sum over channels and offsets, number by number."""
    n, channels, height, width = x.shape
    filters, _, rows, columns = w.shape
    out = np.zeros(
        (n, filters, (height + 2 * padding - rows) // stride + 1, (width + 2 * padding - columns) // stride + 1)
    )
    for i, o, r, c in np.ndindex(*out.shape):
        total = b[o]
        for k, u, v in np.ndindex(channels, rows, columns):
            at, across = stride * r + u - padding, stride * c + v - padding
            if 0 <= at < height and 0 <= across < width:
                total += w[o, k, u, v] * x[i, k, at, across]
        out[i, o, r, c] = total
    return out


@pytest.mark.notes("000-c", "conv2d")
@pytest.mark.parametrize(("stride", "padding"), [(1, 0), (1, 1), (2, 0), (2, 2), (3, 1)])
def test_convolution_is_a_dot_product_with_every_window(stride, padding):
    rng = np.random.default_rng(0)
    x, w, b = rng.normal(size=(2, 3, 7, 6)), rng.normal(size=(4, 3, 3, 2)), rng.normal(size=4)
    found = convolve(x, w, b, stride=stride, padding=padding)
    assert_allclose(found, literal_convolution(x, w, b, stride, padding), rtol=1e-12, atol=1e-12)


@pytest.mark.notes("000-c", "conv2d")
@pytest.mark.parametrize(("stride", "padding"), [(1, 0), (2, 1), (3, 2)])
def test_gradients_of_a_convolution_equal_differences(stride, padding):
    rng = np.random.default_rng(1)
    x, w, b = rng.normal(size=(2, 2, 6, 5)), rng.normal(size=(3, 2, 2, 3)), rng.normal(size=3)
    slope = rng.normal(size=convolve(x, w, b, stride=stride, padding=padding).shape)

    def loss(x, w, b):
        return (convolve(x, w, b, stride=stride, padding=padding) * slope).sum()

    found = convolve_gradients(x, w, slope, stride=stride, padding=padding)
    for k, values in enumerate((x, w, b)):
        for place in list(np.ndindex(*values.shape))[::5]:
            given = [x, w, b]
            step = np.zeros_like(values)
            step[place] = 1e-6
            given[k] = values + step
            high = loss(*given)
            given[k] = values - step
            assert (high - loss(*given)) / 2e-6 == pytest.approx(found[k][place], abs=1e-7)


@pytest.mark.notes("000-c", "max-pool")
def test_pooling_keeps_the_largest_of_every_window():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(2, 3, 7, 6))
    found = max_pool(x, 3, stride=2)
    for i, k, r, c in np.ndindex(*found.shape):
        assert found[i, k, r, c] == max(x[i, k, 2 * r + u, 2 * c + v] for u in range(3) for v in range(3))
    assert found.shape == (2, 3, 3, 2)
    assert max_pool(x).shape == (2, 3, 3, 3)


def test_layers_refuse_shapes_that_do_not_fit():
    with pytest.raises(DataError, match=r"\(images, channels, rows, columns\), got \(3, 3\)"):
        convolve(np.zeros((3, 3)), np.zeros((1, 1, 2, 2)))
    with pytest.raises(DataError, match="filters of shape"):
        convolve(np.zeros((1, 2, 3, 3)), np.zeros((1, 1, 2, 2)))
    with pytest.raises(DataError, match="a window of 4 x 4 does not fit into 3 x 3"):
        max_pool(np.zeros((1, 1, 3, 3)), 4)


@pytest.mark.deep
def test_images_are_moved_by_whole_pixels():
    torch = pytest.importorskip("torch")
    from novum.neural_network.convolution.classifier import moved

    image = torch.arange(1.0, 17.0).reshape(1, 1, 4, 4).repeat(60, 1, 1, 1)
    wide = np.pad(image[0, 0].numpy(), 1)
    allowed = {wide[u : u + 4, v : v + 4].tobytes() for u in range(3) for v in range(3)}
    assert {one.tobytes() for one in moved(image, 1)[:, 0].contiguous().numpy()} == allowed


def test_images_stand_side_by_side():
    images = np.arange(3.0)[:, None, None] + np.zeros((3, 2, 2))
    grid = side_by_side(images)
    assert_array_equal(grid[:2, :2], 0)
    assert_array_equal(grid[:2, 3:], 1)
    assert_array_equal(grid[3:, :2], 2)
    assert np.isnan(grid[2]).all()
    assert np.isnan(grid[3:, 3:]).all()


torch = pytest.importorskip("torch")
deep = pytest.mark.deep


@deep
@pytest.mark.parametrize(("stride", "padding"), [(1, 0), (2, 1)])
def test_layers_equal_those_of_pytorch(stride, padding):
    rng = np.random.default_rng(3)
    x, w, b = rng.normal(size=(2, 3, 8, 8)), rng.normal(size=(4, 3, 3, 3)), rng.normal(size=4)
    given = [torch.tensor(v, requires_grad=True) for v in (x, w, b)]
    theirs = torch.nn.functional.conv2d(*given, stride=stride, padding=padding)
    slope = rng.normal(size=theirs.shape)
    theirs.backward(torch.tensor(slope))
    assert_allclose(convolve(x, w, b, stride=stride, padding=padding), theirs.detach().numpy(), atol=1e-12)
    for ours, tensor in zip(convolve_gradients(x, w, slope, stride=stride, padding=padding), given):
        assert_allclose(ours, tensor.grad.numpy(), atol=1e-11)
    assert_array_equal(max_pool(x), torch.nn.functional.max_pool2d(given[0].detach(), 2).numpy())


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    return train_test_split(*load_digits(return_X_y=True), test_size=0.3, random_state=0, stratify=load_digits().target)


@pytest.fixture(scope="module")
def fitted(digits):
    torch.set_num_threads(1)
    model = ConvNetClassifier(random_state=0)
    return model.fit(digits[0], digits[2])


@deep
@pytest.mark.notes("000-c", "cnn")
def test_digits_that_were_not_seen(digits, fitted):
    _, X_test, _, y_test = digits
    assert fitted.score(X_test, y_test) > 0.985
    # the network is its formulas: blocks of convolution, norm, ReLU and pooling, then dense layers
    w, rows = fitted.weights_, X_test[:20].reshape(-1, 1, 8, 8)
    h = (rows - w["mean"]) / w["scale"]
    for k in (0, 1):
        z = convolve(h, w[f"blocks.{k}.conv.weight"], padding=1)
        part = [
            w[f"blocks.{k}.norm.{name}"][:, None, None] for name in ("running_mean", "running_var", "weight", "bias")
        ]
        h = max_pool(np.maximum((z - part[0]) / np.sqrt(part[1] + 1e-5) * part[2] + part[3], 0))
    assert_allclose(fitted.feature_maps(X_test[:20], 1), h, rtol=1e-3, atol=1e-4)
    h = np.maximum(h.reshape(20, -1) @ w["dense.0.weight"].T + w["dense.0.bias"], 0)
    assert_allclose(
        fitted.decision_function(X_test[:20]), h @ w["head.weight"].T + w["head.bias"], rtol=1e-3, atol=1e-3
    )


@deep
def test_images_come_in_three_shapes(digits, fitted):
    X = digits[1][:5]
    answers = [fitted.predict_proba(rows) for rows in (X, X.reshape(-1, 8, 8), X.reshape(-1, 1, 8, 8), torch.tensor(X))]
    for other in answers[1:]:
        assert_array_equal(other, answers[0])
    assert_allclose(answers[0].sum(axis=1), 1, rtol=1e-12)
    with pytest.raises(DataError, match="no square image"):
        ConvNetClassifier().fit(np.zeros((4, 10)), [0, 1, 0, 1])
    with pytest.raises(ParameterError, match="has 6 pixels, a row of X 64"):
        ConvNetClassifier(image_shape=(2, 3)).fit(X, [0, 1, 0, 1, 0])
    with pytest.raises(ValueError, match="X has 49 features, but ConvNetClassifier is expecting 64"):
        fitted.predict(X[:, :49])


@deep
def test_filters_and_maps_are_drawn(digits, fitted):
    from matplotlib.figure import Figure

    ax = fitted.plot_filters(ax=Figure().subplots())
    drawn = np.ma.filled(ax.images[0].get_array(), np.nan)
    assert_allclose(drawn[:3, :3], fitted.filters()[0, 0], rtol=1e-6)
    assert_allclose(drawn[:3, 4:7], fitted.filters()[1, 0], rtol=1e-6)
    ax = fitted.plot_feature_maps(digits[1][0], ax=Figure().subplots())
    drawn = np.ma.filled(ax.images[0].get_array(), np.nan)
    assert_allclose(drawn[:4, 5:9], fitted.feature_maps(digits[1][:1])[0, 1], rtol=1e-6)
    with pytest.raises(ParameterError, match="block=2, and there are 2 blocks"):
        fitted.filters(2)


@deep
@pytest.mark.notes("000-c", "multi-level-supervision")
def test_auxiliary_heads_add_their_losses(digits):
    X, _, y, _ = digits
    model = ConvNetClassifier((4, 6, 8), auxiliary_weight=0.3, dropout=0.0, max_epochs=2, random_state=0).fit(
        X[:300], y[:300]
    )
    module, images = model.module_, torch.tensor(X[:10].reshape(-1, 1, 8, 8), dtype=torch.float32)
    code = torch.tensor(np.searchsorted(model.classes_, y[:10]))
    scores = module.all_scores(images)
    assert [z.shape for z in scores] == [(10, 10)] * 3  # the head, and one after each block but the last
    first = model.feature_maps(X[:10], 0).mean(axis=(2, 3))
    by_hand = first @ model.weights_["auxiliary.0.weight"].T + model.weights_["auxiliary.0.bias"]
    assert_allclose(scores[1].detach().numpy(), by_hand, rtol=1e-4, atol=1e-5)
    parts = [float(torch.nn.functional.cross_entropy(z, code).detach()) for z in scores]
    assert float(model._loss(module, (images, code)).detach()) == pytest.approx(
        parts[0] + 0.3 * (parts[1] + parts[2]), rel=1e-5
    )
    without = ConvNetClassifier((4, 6, 8), dropout=0.0, max_epochs=2, random_state=0).fit(X[:300], y[:300])
    assert "auxiliary.0.weight" not in without.weights_

    # the labels reach the first block by its own head too: it separates the classes better than one that only hears from above
    def own_head(m):
        from sklearn.linear_model import LogisticRegression

        return (
            LogisticRegression(max_iter=500)
            .fit(m.feature_maps(X[:300], 0).mean(axis=(2, 3)), y[:300])
            .score(m.feature_maps(X[300:600], 0).mean(axis=(2, 3)), y[300:600])
        )

    longer = [
        ConvNetClassifier((4, 6, 8), auxiliary_weight=a, dropout=0.0, max_epochs=15, learning_rate=5e-3, random_state=0)
        for a in (3.0, 0.0)
    ]
    assert own_head(longer[0].fit(X[:300], y[:300])) > own_head(longer[1].fit(X[:300], y[:300]))


@deep
@pytest.mark.notes("000-c", "transfer-learning")
def test_a_network_is_carried_to_another_task(digits):
    X, X_test, y, y_test = digits
    low, high = y < 5, y >= 5
    options = {"max_epochs": 20, "learning_rate": 5e-3, "dropout": 0.1, "random_state": 0}
    first = ConvNetClassifier((12, 24), **options).fit(X[low], y[low])
    few = np.flatnonzero(high)[:60]
    moved = first.transfer(X[few], y[few], max_epochs=150)
    assert list(moved.classes_) == [5, 6, 7, 8, 9]
    for name, value in first.weights_.items():  # nothing but the head has moved, norms included
        if not name.startswith("head."):
            assert_array_equal(moved.weights_[name], value)
    assert not np.array_equal(moved.weights_["head.weight"], first.weights_["head.weight"])
    tested = y_test >= 5
    assert moved.score(X_test[tested], y_test[tested]) > 0.8
    tuned = first.transfer(X[few], y[few], freeze=False, body_scale=0.1, max_epochs=3)
    steps = {
        name: np.abs(tuned.weights_[name] - first.weights_[name]).mean()
        for name in ("blocks.0.conv.weight", "dense.0.weight")
    }
    assert all(step > 0 for step in steps.values())
    part = first.transfer(X[few], y[few], freeze=2, max_epochs=3)  # convolution and norm of the first block
    assert_array_equal(part.weights_["blocks.0.conv.weight"], first.weights_["blocks.0.conv.weight"])
    assert np.abs(part.weights_["blocks.1.conv.weight"] - first.weights_["blocks.1.conv.weight"]).max() > 0
    with pytest.raises(ParameterError, match="freeze=9, and the network has 5 layers"):
        first.transfer(X[few], y[few], freeze=9)
    with pytest.raises(DataError, match=r"weight 'blocks\.0\.conv\.weight' has the shape"):
        first.transfer(X[few], y[few], channels=(6, 24))


@deep
def test_the_rate_of_the_body_is_a_share_of_that_of_the_head(digits):
    X, _, y, _ = digits
    options = {
        "optimizer": "sgd",
        "max_epochs": 1,
        "batch_size": 400,
        "dropout": 0.0,
        "batch_norm": False,
        "random_state": 0,
    }
    first = ConvNetClassifier((4,), **options).fit(X[:400], y[:400])
    moves = []
    for scale in (1.0, 0.25):
        moved = first.transfer(X[:400], y[:400], freeze=False, body_scale=scale)
        moves.append(moved.weights_["dense.0.weight"] - first.weights_["dense.0.weight"])
    assert_allclose(moves[1], 0.25 * moves[0], rtol=2e-2, atol=1e-8)


@deep
@pytest.mark.notes("000-c", "pretrain-supervised")
def test_layers_are_added_one_by_one(digits):
    X, _, y, _ = digits
    options = {"max_epochs": 1, "batch_size": 16, "dropout": 0.0, "random_state": 0}
    grown = ConvNetClassifier((6, 8, 10), pretrain_epochs=15, learning_rate=4e-3, **options)
    stages = grown._stages({"channels": [6, 8, 10]})
    assert [stage["channels"] for stage in stages] == [[6], [6, 8]]
    # at a rate of nearly zero the last training leaves what pre-training made: the smaller networks' weights, not the new ones
    from novum.neural_network.training import pretraining

    seen = []
    original = pretraining.take_over

    def arrays(module):
        return {name: value.detach().numpy().copy() for name, value in module.state_dict().items()}

    def watched(module, weights):
        before = arrays(module)
        original(module, weights)
        seen.append((module, dict(weights), before, arrays(module)))

    pretraining.take_over = watched
    try:
        grown.fit(X[:400], y[:400])
    finally:
        pretraining.take_over = original
    assert [len(module.blocks) for module, *_ in seen] == [1, 2, 3]
    assert not seen[0][1]
    assert "blocks.1.conv.weight" in seen[2][1]
    for k in (1, 2):  # the body below is taken, heads and new blocks are not
        _, learned, before, after = seen[k]
        old = {name for name in before if name.split(".")[0] == "blocks" and int(name.split(".")[1]) < k}
        assert f"blocks.{k - 1}.conv.weight" in old
        for name in (name for name in before if name.startswith(("blocks.", "head."))):
            assert_array_equal(after[name], learned[name] if name in old else before[name])
        assert not np.allclose(after["blocks.0.conv.weight"], before["blocks.0.conv.weight"])
        assert not np.allclose(after["head.bias"], learned["head.bias"])
    first = seen[0][0].state_dict()  # and it had been trained in the smaller network
    assert not np.allclose(seen[0][3]["blocks.0.conv.weight"], first["blocks.0.conv.weight"].numpy())
    assert_array_equal(seen[1][1]["blocks.0.conv.weight"], first["blocks.0.conv.weight"].numpy())
    plain = ConvNetClassifier((6, 8, 10), learning_rate=4e-3, **options).fit(X[:400], y[:400])
    assert grown.history_[0] < 0.95 * plain.history_[0]  # the first epoch of the whole network begins lower
