"""Variational autoencoders: the parts of the bound, exact likelihoods of linear decoders, draws, paths and maps."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_digits

import novum
from novum.decomposition import ProbabilisticPCA
from novum.exceptions import DataError, ParameterError
from novum.neural_network import VariationalAutoencoder

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.deep


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def line():
    rng = np.random.RandomState(0)
    return rng.normal(size=(400, 2)) @ rng.normal(size=(2, 5)) * 2 + 0.4 * rng.normal(size=(400, 5)) + 5


@pytest.fixture(scope="module")
def linear(line):
    return VariationalAutoencoder(
        2,
        hidden=(),
        activation="identity",
        learning_rate=0.03,
        max_epochs=150,
        schedule="cosine",
        patience=None,
        batch_size=100,
        random_state=0,
    ).fit(line)


def exact_density(model):
    """Return the Gaussian that a linear decoder is, from its weights alone."""
    W = model.weights_["decoder.layers.0.weight"].astype(np.float64)
    scale, mean = np.array(model.config_["scale"]), np.array(model.config_["mean"])
    loading = W * scale[:, None]
    noise = np.exp(model.weights_["log_noise"].astype(np.float64)) * scale**2
    center = model.weights_["decoder.layers.0.bias"].astype(np.float64) * scale + mean
    return multivariate_normal(center, loading @ loading.T + np.diag(noise)), loading, noise, center


def test_divergence_is_that_of_two_gaussians():
    from novum.neural_network.generative.densities import divergence_from_prior, log_normal, log_standard_normal

    rng = np.random.RandomState(0)
    mean, log_variance = torch.tensor(rng.normal(size=(2, 6, 3)))
    q = torch.distributions.Normal(mean, (log_variance / 2).exp())
    expected = torch.distributions.kl_divergence(q, torch.distributions.Normal(0.0, 1.0)).sum(1)
    torch.testing.assert_close(divergence_from_prior(mean, log_variance), expected, rtol=1e-12, atol=0)
    x = torch.tensor(rng.normal(size=(6, 3)))
    torch.testing.assert_close(log_normal(x, mean, log_variance), q.log_prob(x).sum(1), rtol=1e-12, atol=0)
    torch.testing.assert_close(log_standard_normal(x), torch.tensor(norm.logpdf(x.numpy()).sum(1)), rtol=1e-12, atol=0)


@pytest.mark.notes("000-c", "vae")
@pytest.mark.notes("002", "vae")
def test_a_linear_network_comes_to_probabilistic_pca_and_its_likelihood_is_exact(line, linear):
    density, loading, noise, center = exact_density(linear)
    exact = density.logpdf(line)
    np.testing.assert_allclose(linear.score_samples(line, n_draws=500), exact, atol=0.05)
    assert linear.score(line) > ProbabilisticPCA(2).fit(line).score(line) - 0.05
    bound = linear.elbo(line, n_draws=400)
    np.testing.assert_allclose(bound.elbo, bound.reconstruction - bound.divergence, rtol=1e-12)
    assert (bound.elbo < exact + 0.3).all() and bound.elbo.mean() < exact.mean() + 0.01
    assert bound.elbo.mean() > exact.mean() - 0.1  # the encoder has found the posterior
    posterior = np.linalg.inv(np.eye(2) + loading.T @ (loading / noise[:, None]))
    expected = (line - center) / noise @ loading @ posterior
    mean, deviation = linear.posterior(line)
    np.testing.assert_allclose(mean, expected, atol=0.15)
    kl = 0.5 * (mean**2 + deviation**2 - 1 - 2 * np.log(deviation)).sum(1)
    np.testing.assert_allclose(bound.divergence, kl, rtol=1e-4)
    new, _ = linear.sample(6000, random_state=0)
    np.testing.assert_allclose(np.cov(new.T), density.cov_object.covariance, atol=0.7)
    np.testing.assert_allclose(new.mean(0), center, atol=0.2)


def test_gradients_of_the_bound_are_those_of_differences():
    """Through the draw of the code, in float64."""
    from novum.neural_network.generative.densities import DensityNet

    torch.manual_seed(0)
    for likelihood, prior in (("gaussian", "normal"), ("bernoulli", "normal"), ("gaussian", "student")):
        config = {
            "sizes": [3, 4, 2],
            "image_shape": None,
            "activation": "tanh",
            "likelihood": likelihood,
            "prior": prior,
            "mean": [0.1, 0.2, 0.3],
            "scale": [1.0, 2.0, 0.5],
        }
        module = DensityNet(config).double()
        x, noise = torch.rand(5, 3).double(), torch.randn(5, 2).double()

        def loss(module=module, x=x, noise=noise):
            seen, apart = module.parts(x, noise)
            return (0.7 * apart - seen).mean()

        loss().backward()
        for name, p in module.named_parameters():
            flat = p.data.view(-1)
            for k in range(0, len(flat), 3):
                kept = float(flat[k])
                flat[k] = kept + 1e-6
                up = float(loss().detach())
                flat[k] = kept - 1e-6
                down = float(loss().detach())
                flat[k] = kept
                assert p.grad.view(-1)[k] == pytest.approx((up - down) / 2e-6, abs=1e-6), name


def test_importance_weights_by_quadrature():
    """log p(x) of a Bernoulli network with one code against the integral over the code."""
    X = (np.random.RandomState(0).rand(60, 4) < 0.4).astype(float)
    model = VariationalAutoencoder(
        1, hidden=(6,), likelihood="bernoulli", max_epochs=30, learning_rate=0.01, random_state=0
    ).fit(X)
    z = np.linspace(-8, 8, 2001)
    p = model.inverse_transform(z[:, None]).astype(np.float64)
    each = np.exp(X[:10] @ np.log(p).T + (1 - X[:10]) @ np.log1p(-p).T)  # (rows, grid)
    exact = np.log((each * norm.pdf(z)).sum(1) * (z[1] - z[0]))
    np.testing.assert_allclose(model.score_samples(X[:10], n_draws=3000), exact, atol=0.03)
    few = model.score_samples(X[:10], n_draws=1)
    assert few.mean() < exact.mean() + 0.05
    drawn, _ = model.sample(4000, random_state=0)
    assert set(np.unique(drawn)) == {0.0, 1.0}
    np.testing.assert_allclose(drawn.mean(0), (p * norm.pdf(z)[:, None]).sum(0) * (z[1] - z[0]), atol=0.03)
    np.testing.assert_array_equal(model.score_samples(X), np.r_[model.score_samples(X)])


def test_a_prior_with_heavy_tails():
    """log p(x) by the integral over the code, the bound below it, and codes drawn from Student's t."""
    from scipy.stats import t as student

    from novum.neural_network.generative.densities import FREEDOM, log_student
    from novum.neural_network.generative.latent_map import STUDENT

    z = np.random.RandomState(0).normal(size=(5, 2)) * 3
    np.testing.assert_allclose(log_student(torch.tensor(z)), student.logpdf(z, 5).sum(1), rtol=1e-12)
    assert FREEDOM == STUDENT == 5
    X = np.random.RandomState(1).standard_t(3, size=(300, 1)) @ [[1.0, -0.5, 2.0]] + 0.3 * np.random.RandomState(
        2
    ).normal(size=(300, 3))
    model = VariationalAutoencoder(
        1, hidden=(16,), prior="student", max_epochs=60, learning_rate=0.01, random_state=0
    ).fit(X)
    grid = np.linspace(-40, 40, 8001)
    center = model.inverse_transform(grid[:, None]).astype(np.float64)
    deviation = np.exp(model.module_.log_variance().detach().numpy().astype(np.float64) / 2)
    each = np.exp(norm.logpdf(X[:20, None], center, deviation).sum(2))
    exact = np.log((each * student.pdf(grid, 5)).sum(1) * (grid[1] - grid[0]))
    np.testing.assert_allclose(model.score_samples(X[:20], n_draws=4000), exact, atol=0.15)
    assert model.elbo(X[:20], n_draws=500).elbo.mean() < exact.mean() + 0.02
    drawn, _ = model.sample(4000, random_state=0, noise=False)
    expected = model.inverse_transform(student.ppf(np.linspace(0.01, 0.99, 50), 5)[:, None])
    np.testing.assert_allclose(
        np.quantile(drawn[:, 2], [0.1, 0.5, 0.9]), np.quantile(expected[:, 2], [0.1, 0.5, 0.9]), atol=0.5
    )


def test_the_curve_has_the_parts_of_the_bound_and_beta_weighs_the_second():
    X = load_digits().data[:500] / 16
    settings = {"hidden": (32,), "likelihood": "bernoulli", "max_epochs": 12, "learning_rate": 5e-3, "random_state": 0}
    model = VariationalAutoencoder(2, validation_fraction=0.2, **settings).fit(X)
    curve = model.history_
    np.testing.assert_allclose(curve, np.subtract(curve["divergence"], curve["reconstruction"]), rtol=1e-5)
    assert {"validation loss", "validation reconstruction", "validation divergence"} <= set(curve.columns)
    strict = VariationalAutoencoder(2, beta=20.0, **settings).fit(X)
    np.testing.assert_allclose(
        strict.history_,
        np.subtract(np.multiply(20, strict.history_["divergence"]), strict.history_["reconstruction"]),
        rtol=1e-5,
    )
    assert strict.elbo(X).divergence.mean() < 0.5 * model.elbo(X).divergence.mean()
    frame = model.elbo(X[:4]).to_frame()
    assert list(frame.columns) == ["elbo", "reconstruction", "divergence"] and len(frame) == 4


def test_paths_maps_and_pictures(tmp_path):
    from matplotlib.figure import Figure

    X = load_digits().data[:400] / 16
    model = VariationalAutoencoder(2, hidden=(32,), likelihood="bernoulli", max_epochs=10, random_state=0).fit(X)
    path = model.interpolate(X[0], X[1], 5)
    np.testing.assert_allclose(path[[0, -1]], model.reconstruct(X[:2]), rtol=1e-4, atol=1e-6)
    middle = model.inverse_transform(model.transform(X[:2]).mean(0, keepdims=True))
    np.testing.assert_allclose(path[2], middle[0], rtol=1e-4, atol=1e-6)
    codes, rows = model.latent_map(6)
    assert codes.shape == (36, 2) and rows.shape == (36, 64)
    np.testing.assert_allclose(
        np.sort(np.unique(codes[:, 0].round(4))), norm.ppf(np.linspace(0.02, 0.98, 6)), atol=1e-3
    )
    ax = model.plot_latent_map(6, ax=Figure().subplots())
    drawn = ax.images[0].get_array()
    np.testing.assert_allclose(drawn[8:16, 16:24], rows[8].reshape(8, 8), rtol=1e-5)
    assert codes[0, 1] > codes[-1, 1]  # the second code rises upwards in the picture
    novum.save(model, tmp_path / "vae.novum")
    again = novum.load(tmp_path / "vae.novum")
    np.testing.assert_array_equal(again.sample(3, random_state=0)[0], model.sample(3, random_state=0)[0])
    np.testing.assert_array_equal(again.score_samples(X[:5]), model.score_samples(X[:5]))
    images = VariationalAutoencoder(2, channels=(8,), likelihood="bernoulli", max_epochs=2, random_state=0).fit(
        X.reshape(-1, 8, 8)
    )
    assert images.sample(2, random_state=0, noise=False)[0].shape == (2, 64)


def test_refusals(line):
    with pytest.raises(DataError, match="Scale the columns"):
        VariationalAutoencoder(2, likelihood="bernoulli", max_epochs=1).fit(line)
    model = VariationalAutoencoder(3, hidden=(4,), max_epochs=1, random_state=0).fit(line)
    with pytest.raises(ParameterError, match="codes of two numbers, and these have 3"):
        model.latent_map()
    with pytest.raises(ParameterError, match="n_draws=0"):
        model.score_samples(line, n_draws=0)
    assert np.isfinite(
        VariationalAutoencoder(1, max_epochs=2, random_state=0).fit(np.ones((20, 3))).score(np.ones((2, 3)))
    )
