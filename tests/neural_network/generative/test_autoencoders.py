"""Autoencoders: the subspace of the principal axes, stacked layers, noise, images, and the way to a classifier."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import novum
from novum.exceptions import DataError, ParameterError
from novum.neural_network import Autoencoder

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.filterwarnings("ignore:.*the network is worse than none"),  # few epochs are enough here
]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


@pytest.mark.notes("003", "reducers-named")
@pytest.mark.notes("000-c", "autoencoder")
@pytest.mark.notes("002", "autoencoder")
@pytest.mark.notes("004", "autoencoder-named")
@pytest.mark.parametrize("seed", [0, 1])
def test_a_linear_autoencoder_spans_the_space_of_the_principal_axes(seed):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(250, 6)) @ rng.normal(size=(6, 6)) * [1, 2, 3, 1, 1, 1] + 5
    model = Autoencoder(
        2,
        hidden=(),
        activation="identity",
        learning_rate=0.03,
        max_epochs=150,
        schedule="cosine",
        patience=None,
        batch_size=125,
        random_state=seed,
    ).fit(X)
    axes = PCA(2).fit(X)
    best = ((X - axes.inverse_transform(axes.transform(X))) ** 2).sum(1).mean()
    left_out = np.linalg.eigvalsh(np.cov(X.T, bias=True))[:-2].sum()
    assert best == pytest.approx(left_out, rel=1e-10)  # (3)
    assert best * (1 - 1e-5) <= model.reconstruction_error(X).mean() < 1.01 * best
    columns = np.linalg.qr(model.weights_["decoder.layers.0.weight"].astype(np.float64))[0]
    angles = np.linalg.svd(columns.T @ axes.components_.T, compute_uv=False)
    assert angles.min() > 0.995
    codes = model.transform(X)
    assert codes.shape == (250, 2)
    np.testing.assert_allclose(model.inverse_transform(codes), model.reconstruct(X), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        model.reconstruction_error(X), ((X - model.reconstruct(X)) ** 2).sum(1), rtol=1e-3, atol=1e-4
    )
    assert model.score(X) == pytest.approx(-model.reconstruction_error(X).mean())


def test_the_network_is_what_its_weights_say():
    X = np.random.RandomState(0).normal(size=(40, 5))
    model = Autoencoder(
        2, hidden=(4, 3), activation="tanh", code_activation="sigmoid", max_epochs=2, random_state=0
    ).fit(X)
    W = {k: v.astype(np.float64) for k, v in model.weights_.items()}
    scale = np.sqrt(X.var(0).mean())  # one scale for all columns: squared errors keep their proportions
    h = (X - X.mean(0)) / scale
    for k in range(2):
        h = np.tanh(h @ W[f"encoder.layers.{k}.weight"].T + W[f"encoder.layers.{k}.bias"])
    z = 1 / (1 + np.exp(-(h @ W["encoder.layers.2.weight"].T + W["encoder.layers.2.bias"])))
    np.testing.assert_allclose(model.transform(X), z, atol=1e-6)
    for k in (2, 1):
        z = np.tanh(z @ W[f"decoder.layers.{k}.weight"].T + W[f"decoder.layers.{k}.bias"])
    again = (z @ W["decoder.layers.0.weight"].T + W["decoder.layers.0.bias"]) * scale + X.mean(0)
    np.testing.assert_allclose(model.reconstruct(X), again, atol=1e-5)
    batch = (torch.tensor(X, dtype=torch.float32),)
    loss = float(model._loss(model.module_, batch).detach())
    assert loss == pytest.approx(((X - again) ** 2).mean() / scale**2, rel=1e-5)


@pytest.mark.notes("000-c", "pretrain-autoencoder")
def test_layers_are_trained_one_by_one_with_those_below_frozen_then_carry_a_classifier(digits, monkeypatch):
    from novum.neural_network import TorchClassifier
    from novum.neural_network.generative import autoencoder

    X, y = digits
    seen = []
    put = autoencoder.put

    def watched(module, weights, frozen):
        put(module, weights, frozen)
        held = {name for name, p in module.named_parameters() if not p.requires_grad}
        seen.append((module, {k: np.array(v) for k, v in weights.items()}, held))

    monkeypatch.setattr(autoencoder, "put", watched)
    model = Autoencoder(8, hidden=(48, 24), pretrain_epochs=6, max_epochs=6, random_state=0).fit(X)
    assert len(model.stages_) == 3 and len(seen) == 4
    for k, (module, weights, held) in enumerate(seen[:3]):
        layers = {f"{side}.layers.{j}" for side in ("encoder", "decoder") for j in range(k)}
        assert {name.rsplit(".", 1)[0] for name in held} == layers == {name.rsplit(".", 1)[0] for name in weights}
        now = dict(module.named_parameters())
        for name, value in weights.items():  # frozen layers ended as they began
            np.testing.assert_array_equal(now[name].detach().numpy(), value)
        assert module.decoder.layers[0].weight.shape[0] == 64  # every stage says the input itself
    assert not seen[3][2] and set(seen[3][1]) == {n for n in model.weights_ if ".layers." in n}
    assert all(stage[-1] < stage[0] for stage in model.stages_)
    plain = Autoencoder(8, hidden=(48, 24), max_epochs=6, random_state=0).fit(X)
    assert model.history_[0] < plain.history_[0] and model.history_[-1] < plain.history_[-1]
    error = ((model.inverse_transform(model.transform(X)) - X) ** 2).mean() / X.var(axis=0).mean()
    assert error == pytest.approx(model.history_[-1], rel=0.1) and error < 0.6  # what the last pass left, and says

    few = np.r_[0:200]  # the code of all rows, the labels of some
    module = model.encoder_with_head(10)
    np.testing.assert_array_equal(
        module.body.encoder.layers[0].weight.detach(), model.weights_["encoder.layers.0.weight"]
    )
    assert not hasattr(module.body, "decoder") and all(p.requires_grad for p in module.parameters())
    tuned = TorchClassifier(module, max_epochs=60, learning_rate=3e-3, random_state=0).fit(X[few], y[few])
    assert tuned.score(X[200:], y[200:]) > 0.7


@pytest.mark.parametrize("kind, noise", [("gaussian", 0.5), ("masking", 0.4)])
def test_a_denoising_network_cleans_rows(kind, noise):
    rng = np.random.RandomState(0)
    curve = rng.uniform(-2, 2, size=(600, 1))
    X = np.hstack([curve, curve**2, np.sin(2 * curve), -curve]) + 0.02 * rng.normal(size=(600, 4))
    settings = {"hidden": (32,), "max_epochs": 40, "learning_rate": 5e-3, "random_state": 0, "n_components": 4}
    trained = Autoencoder(noise=noise, noise_kind=kind, **settings).fit(X)
    naive = Autoencoder(**settings).fit(X)
    scale = np.sqrt(X.var(0).mean())
    dirty = X + 0.5 * scale * rng.normal(size=X.shape)
    if kind == "masking":
        dirty = np.where(rng.rand(*X.shape) < 0.4, X.mean(0), X)
    error = {name: ((m.reconstruct(dirty) - X) ** 2).sum(1).mean() for name, m in (("t", trained), ("n", naive))}
    assert error["t"] < 0.8 * error["n"]


def test_noise_is_drawn_as_it_is_given():
    X = np.random.RandomState(0).normal(size=(50, 3)) * 4 + 7
    model = Autoencoder(1, hidden=(), noise=0.5, max_epochs=1, random_state=0).fit(X)
    rows = torch.full((20000, 3), 7.0)
    added = (model._disturbed(model.module_, rows) - rows).numpy()
    assert added.std(0) == pytest.approx(0.5 * np.sqrt(X.var(0).mean()) * np.ones(3), rel=0.03)
    model.set_params(noise_kind="masking", noise=0.25)
    wiped = model._disturbed(model.module_, rows).numpy() != 7
    assert wiped.mean() == pytest.approx(0.25, abs=0.01)


def test_a_convolutional_network_reconstructs_digits(digits):
    X = digits[0]
    model = Autoencoder(16, channels=(16, 32), max_epochs=12, learning_rate=3e-3, random_state=0).fit(
        X.reshape(-1, 8, 8)
    )
    assert model.reconstruction_error(X).mean() < 0.35 * X.var(0).sum()  # flat rows and images are the same
    assert model.reconstruct(X[:3]).shape == (3, 64)
    odd = Autoencoder(4, channels=(4, 8), max_epochs=1, image_shape=(2, 7, 5), random_state=0).fit(
        np.ones((6, 70)) + X[:6, :1]
    )
    assert odd.inverse_transform(np.zeros((2, 4))).shape == (2, 70)


def test_pictures_show_what_the_network_says(digits):
    from matplotlib.figure import Figure

    X, y = digits
    model = Autoencoder(2, max_epochs=2, random_state=0).fit(X)
    ax = model.plot_reconstructions(X[:5], ax=Figure().subplots())
    drawn = ax.images[0].get_array()
    np.testing.assert_allclose(drawn[:8, 8:16], X[1].reshape(8, 8))
    np.testing.assert_allclose(drawn[8:, 32:], model.reconstruct(X[4:5]).reshape(8, 8), atol=1e-4)
    ax = model.plot_latent(X[:100], y[:100], ax=Figure().subplots())
    dots = np.concatenate([c.get_offsets() for c in ax.collections])
    codes = model.transform(X[:100])
    np.testing.assert_allclose(np.sort(dots[:, 0]), np.sort(codes[:, 0]), rtol=1e-5)
    assert len(ax.collections) == len(np.unique(y[:100]))
    plain = model.__class__(1, max_epochs=1, random_state=0).fit(X[:, :7])
    assert len(plain.plot_reconstructions(X[:3, :7], ax=Figure().subplots()).lines) == 6


def test_saved_repeated_continued_and_refused(digits, tmp_path):
    X = digits[0][:300]
    settings = {"hidden": (16,), "max_epochs": 4, "random_state": 1}
    model = Autoencoder(3, **settings).fit(X)
    np.testing.assert_array_equal(model.transform(X), Autoencoder(3, **settings).fit(X).transform(X))
    novum.save(model, tmp_path / "code.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "code.novum").transform(X), model.transform(X))
    whole = list(model.history_)
    path = tmp_path / "half.npz"
    Autoencoder(3, **{**settings, "max_epochs": 2}, checkpoint=path).fit(X)
    assert Autoencoder(3, **settings, checkpoint=path).resume(X).history_.objective == whole
    weighted = Autoencoder(3, **settings).fit(X, sample_weight=np.r_[np.ones(150), np.zeros(150)])
    np.testing.assert_allclose(
        weighted.transform(X[:5]), Autoencoder(3, **settings).fit(X[:150]).transform(X[:5]), rtol=1e-5
    )
    assert list(model.get_feature_names_out()) == ["autoencoder0", "autoencoder1", "autoencoder2"]
    with pytest.raises(DataError, match="codes have 3 components, and Z has 2"):
        model.inverse_transform(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="expecting 64 features"):
        model.transform(X[:, :5])
    with pytest.raises(ParameterError, match="for dense layers"):
        Autoencoder(3, channels=(4,), pretrain_epochs=1).fit(X)
    with pytest.raises(DataError, match="no square image"):
        Autoencoder(3, channels=(4,), max_epochs=1).fit(X[:, :7])
    with pytest.raises(ParameterError, match="share below 1"):
        Autoencoder(3, noise=1.0, noise_kind="masking").fit(X)
    with pytest.raises(ParameterError, match=r"hidden=\(0,\)"):
        Autoencoder(3, hidden=(0,)).fit(X)
    with pytest.raises(ValueError, match="NaN"):
        Autoencoder(3).fit(np.where(X == 0, np.nan, X))
