"""Adversarial networks: losses by hand, slopes, the energy distance, lost modes found, and a ring of eight Gaussians covered."""

import numpy as np
import pytest

import novum
from novum.exceptions import DataWarning, ParameterError
from novum.neural_network import GAN
from novum.neural_network.generative.diversity import diversity_of

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.filterwarnings("ignore:.*the network is worse than none"),  # few epochs are enough here
]

CENTERS = 2 * np.stack([np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4)], axis=1)


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def ring(n, seed):
    rng = np.random.default_rng(seed)
    return CENTERS[rng.integers(8, size=n)] + 0.1 * rng.normal(size=(n, 2))


@pytest.mark.notes("000-c", "gan")
def test_what_the_two_play_for():
    """The value of the game for the best discriminator, at distributions where everything is known."""
    from novum.neural_network.generative.adversaries import discriminator_loss, generator_loss

    real, made = torch.tensor([0.3, -1.0, 2.0]).double(), torch.tensor([0.5, -0.2]).double()

    def s(x):
        return 1 / (1 + np.exp(-np.asarray(x)))

    for smoothing in (0.0, 0.1):
        a, b = discriminator_loss("non-saturating", real, made, smoothing)
        np.testing.assert_allclose(a, -(1 - smoothing) * np.log(s(real)) - smoothing * np.log(1 - s(real)), rtol=1e-12)
        np.testing.assert_allclose(b, -np.log(1 - s(made)), rtol=1e-12)
    np.testing.assert_allclose(generator_loss("non-saturating", made), -np.log(s(made)), rtol=1e-12)
    a, b = discriminator_loss("hinge", real, made, 0.0)
    np.testing.assert_allclose(a, [0.7, 2.0, 0.0], rtol=1e-6)
    np.testing.assert_allclose(b, [1.5, 0.8], rtol=1e-6)
    a, b = discriminator_loss("wasserstein", real, made, 0.0)
    np.testing.assert_allclose(np.r_[a, b, generator_loss("hinge", made)], np.r_[-real, made, -made])

    # the best discriminator of densities p and q scores log p/q, and the game is then worth 2 JS(p, q) - log 4
    p, q = np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.4, 0.2])
    score = torch.tensor(np.log(p / q))
    a, b = discriminator_loss("non-saturating", score, score, 0.0)
    m = (p + q) / 2
    js = (p @ np.log(p / m) + q @ np.log(q / m)) / 2
    assert -(p @ a.numpy() + q @ b.numpy()) == pytest.approx(2 * js - np.log(4), rel=1e-12)
    shift = torch.tensor([0.1, -0.2, 0.05]).double()
    a, b = discriminator_loss("non-saturating", score + shift, score + shift, 0.0)
    assert p @ a.numpy() + q @ b.numpy() > np.log(4) - 2 * js  # any other is worse


def test_penalties_of_the_slope():
    from novum.neural_network.generative.adversaries import slope_at_rows, slope_between

    w = torch.tensor([3.0, 4.0])
    x, y = torch.randn(7, 2).requires_grad_(True), torch.randn(7, 2)
    assert float(slope_between(lambda rows: rows @ w, x, y).detach()) == pytest.approx(16)  # (5 - 1)^2
    assert float(slope_at_rows(x @ w, x).detach()) == pytest.approx(12.5)  # 25 / 2
    curved = slope_at_rows(x.square().sum(1), x)  # at real rows: 4 |x|^2 / 2
    assert float(curved.detach()) == pytest.approx(float(2 * x.detach().square().sum(1).mean()), rel=1e-5)
    between = slope_between(
        lambda rows: rows.square().sum(1) / 2, x.detach(), x.detach()
    )  # x' = x where both are the same
    assert float(between.detach()) == pytest.approx(float((x.detach().norm(dim=1) - 1).square().mean()), rel=1e-5)
    seen = []
    slope_between(lambda rows: (seen.append(rows.detach()), rows.sum(1))[1], torch.zeros(500, 2), torch.ones(500, 2))
    assert (
        0 < seen[0].min() < 0.1 and 0.9 < seen[0].max() < 1 and (seen[0][:, 0] == seen[0][:, 1]).all()
    )  # one share a row


def test_the_energy_distance():
    from scipy.stats import energy_distance as reference

    from novum.neural_network.generative.adversaries import energy_distance

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=300), rng.normal(0.5, 2, size=200)
    found = float(energy_distance(torch.tensor(x[:, None]), torch.tensor(y[:, None])))
    with_itself = reference(x, y) ** 2  # scipy's is the root, and counts pairs of a row with itself
    own = np.abs(x[:, None] - x).mean() / 300 * 300 / 299 + np.abs(y[:, None] - y).mean() / 200 * 200 / 199
    assert found == pytest.approx(with_itself - own, rel=1e-9)
    weight = np.r_[np.ones(100), np.zeros(200)]
    heavy = float(energy_distance(torch.tensor(x[:, None]), torch.tensor(y[:, None]), torch.tensor(weight)))
    assert heavy == pytest.approx(
        float(energy_distance(torch.tensor(x[:100, None]), torch.tensor(y[:, None]))), rel=1e-9
    )


def test_the_look_for_lost_modes():
    X = ring(800, 0)
    good = diversity_of(X, ring(800, 1))
    assert good.coverage > 0.9 and abs(good.density - 1) < 0.15 and abs(good.spread - 1) < 0.05 and not good.collapsed
    assert good.ideal_coverage == 1 - 0.5**5
    one = CENTERS[0] + 0.1 * np.random.default_rng(2).normal(size=(800, 2))
    lost = diversity_of(X, one)
    assert (
        lost.coverage == pytest.approx(1 / 8, abs=0.05) and lost.density > 0.9 and lost.spread < 0.2 and lost.collapsed
    )
    wrong = diversity_of(X, X + 50)
    assert wrong.coverage == 0 == wrong.density and wrong.collapsed
    # by hand: real rows 0, 1, 3 reach 1, 1, 2 (first neighbour); the made row 2 is within reach of 1 and 3
    small = diversity_of(np.array([[0.0], [1.0], [3.0]]), np.array([[2.0]]), n_neighbors=1)
    assert small.coverage == pytest.approx(2 / 3) and small.density == 2


@pytest.mark.notes("000-c", "gan")
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_ring_of_eight_gaussians_is_covered(seed):
    model = GAN(4, learning_rate=2e-3, schedule="linear", max_epochs=170, batch_size=128, random_state=seed).fit(
        ring(1500, seed)
    )
    made, _ = model.sample(2000, random_state=seed)
    distance = np.linalg.norm(made[:, None] - CENTERS, axis=2)
    near = distance.min(axis=1) < 0.4  # four standard deviations
    assert near.mean() > 0.7
    assert np.bincount(distance.argmin(axis=1)[near], minlength=8).min() > 2000 / 8 / 4
    assert not model.diversity_.collapsed
    fresh = ring(800, 99)
    assert model.score(fresh) > -0.02 > -float(np.square(ring(800, 5) - fresh).mean())  # next to nothing between them
    assert np.isfinite(model.discriminate(fresh)).all()
    if seed == 0:
        np.testing.assert_array_equal(made, model.sample(2000, random_state=seed)[0])
        assert set(model.history_.columns) >= {"generator", "rate"}


@pytest.mark.parametrize(
    "settings",
    [
        {"loss": "hinge"},
        {"loss": "wasserstein", "gradient_penalty": 1.0, "n_critic": 5},
        {"label_smoothing": 0.1},
        {"spectral_norm": True, "n_critic": 3},
    ],
)
@pytest.mark.filterwarnings("ignore:GAN. samples cover")  # modes are found long before their shape is
def test_every_loss_and_stabiliser_finds_two_modes(settings):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((1000, 1)) < 0.5, -2.0, 2.0) + 0.4 * rng.normal(size=(1000, 2))
    model = GAN(
        2,
        hidden=(32,),
        discriminator_hidden=(32, 32),
        max_epochs=80,
        learning_rate=2e-3,
        batch_size=128,
        random_state=0,
        **settings,
    ).fit(X)
    made, _ = model.sample(1000, random_state=0)
    assert 0.25 < (made[:, 0] > 0).mean() < 0.75 and model.score(X) > -0.2


def test_a_generator_that_collapsed_is_reported():
    X = ring(400, 0)
    with pytest.warns(DataWarning, match="samples cover .* of the training rows"):
        GAN(2, hidden=(8,), max_epochs=1, random_state=0).fit(X)


def test_steps_of_the_two_halves_and_the_average():
    """n_critic steps of the discriminator for each of the generator; samples come from averaged weights."""
    X = ring(256, 0)
    counts = []

    class Watched(GAN):
        def _step(self, module, batch, steppers, autocast):
            losses = super()._step(module, batch, steppers, autocast)
            counts.append([stepper.taken for stepper in steppers])
            return losses

    with pytest.warns(DataWarning):
        Watched(2, hidden=(8,), n_critic=3, batch_size=32, max_epochs=3, random_state=0).fit(X)
    assert counts[-1] == [24, 8]
    with pytest.warns(DataWarning):
        plain = GAN(2, hidden=(8,), averaging=None, max_epochs=2, random_state=0).fit(X)
    with pytest.warns(DataWarning):
        averaged = GAN(2, hidden=(8,), averaging=0.9, max_epochs=2, random_state=0).fit(X)
    assert plain.history_.objective == averaged.history_.objective  # averaging changes what is kept, not the game
    assert not np.allclose(plain.sample(3, 0)[0], averaged.sample(3, 0)[0])


def test_images_files_and_refusals(tmp_path):
    rng = np.random.default_rng(0)
    images = rng.random((64, 6, 6)) * np.linspace(0, 1, 6)
    model = GAN(3, channels=(4, 8), max_epochs=2, random_state=0).fit(images)
    assert model.sample(5, random_state=0)[0].shape == (5, 36)
    novum.save(model, tmp_path / "gan.novum")
    again = novum.load(tmp_path / "gan.novum")
    np.testing.assert_array_equal(again.sample(5, random_state=0)[0], model.sample(5, random_state=0)[0])
    assert again.diversity_ == model.diversity_
    held = GAN(2, hidden=(8,), max_epochs=3, validation_fraction=0.25, random_state=0)
    with pytest.warns(DataWarning):
        held.fit(ring(200, 0))
    assert held.best_epoch_ == 1 + int(np.argmin(held.history_["validation loss"]))
    with pytest.raises(ParameterError, match="label_smoothing is for loss='non-saturating'"):
        GAN(2, loss="hinge", label_smoothing=0.1).fit(images.reshape(64, -1))
    with pytest.raises(ValueError, match="columns"):
        model.generate(np.zeros((1, 7)))
    with pytest.raises(ParameterError, match=r"GAN.sample\(n_samples=0\)"):
        model.sample(0)
    with pytest.raises(ValueError, match="n_samples = 1"):
        GAN(2, max_epochs=1).fit([[1.0, 2.0]])
    assert (
        len(GAN(2, hidden=(4,), random_state=0).find_learning_rate(ring(200, 0)).losses) > 3
    )  # steps that return a dict


@pytest.mark.filterwarnings("ignore:GAN. samples cover")
def test_scikit_learns_checks():
    """Of all three networks that make rows; repetition moves rows between batches, so weights are equal to it in the mean only."""
    from sklearn.utils.estimator_checks import check_estimator

    from novum.neural_network import Autoencoder, VariationalAutoencoder

    order = {
        "check_sample_weight_equivalence_on_dense_data": "batches are drawn by row, so repetition moves rows between them"
    }
    for cls in (GAN, Autoencoder, VariationalAutoencoder):
        found = check_estimator(
            cls(2, hidden=(4,), max_epochs=2, random_state=0), on_fail=None, on_skip=None, expected_failed_checks=order
        )
        assert [r["check_name"] for r in found if r["status"] == "failed"] == []


@pytest.mark.filterwarnings("ignore:GAN. samples cover")
def test_products_in_half_precision_learn_alike():
    """Mixed precision, which a GPU uses by itself: sums and penalties stay in full precision."""
    from novum.neural_network import Autoencoder, VariationalAutoencoder

    X = np.random.default_rng(0).random((200, 6))
    for model in (
        Autoencoder(2, hidden=(8,)),
        VariationalAutoencoder(2, hidden=(8,)),
        VariationalAutoencoder(2, hidden=(8,), likelihood="bernoulli"),
        GAN(2, hidden=(8,)),
        GAN(2, hidden=(8,), loss="wasserstein"),
        GAN(2, hidden=(8,), spectral_norm=True),
    ):
        model.set_params(max_epochs=3, random_state=0)
        full = model.set_params(mixed_precision=False).fit(X).history_
        half = model.set_params(mixed_precision=True).fit(X).history_
        assert half.objective != full.objective
        np.testing.assert_allclose(half, full, rtol=0.03, atol=0.02)
