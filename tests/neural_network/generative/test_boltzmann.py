"""Boltzmann machines against counting: energies, conditionals, slopes, constants and densities of machines with few units."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.special import expit, logsumexp
from scipy.stats import multivariate_normal
from sklearn.neural_network import BernoulliRBM

import novum
from novum.exceptions import DataWarning, ParameterError
from novum.neural_network import DeepBoltzmannMachine, RestrictedBoltzmannMachine
from novum.neural_network.generative.boltzmann import learning, partition
from novum.neural_network.generative.boltzmann.layers import (
    Layers,
    bipartite,
    bound_without_constant,
    exact_free_energy,
    mean_field,
)
from novum.neural_network.generative.boltzmann.parameters import (
    BoltzmannParameters,
    free_energy,
    gibbs_step,
    hidden_mean,
    log_pseudo_likelihood,
    visible_mean,
)


def states(n):
    return np.array(list(product([0.0, 1.0], repeat=n)))


def some_machine(m, d, seed=0, real=False, size=1.0):
    rng = np.random.RandomState(seed)
    noise = rng.normal(-0.5, 0.3, d) if real else None
    return BoltzmannParameters(size * rng.normal(size=(m, d)), rng.normal(size=m), rng.normal(size=d), noise)


def joint_table(machine):
    """Return p(v, h) of a binary machine by the energy itself, states of v in rows."""
    V, H = states(machine.weight.shape[1]), states(machine.weight.shape[0])
    minus_energy = (V @ machine.visible)[:, None] + H @ machine.hidden + V @ machine.weight.T @ H.T
    return V, H, minus_energy, np.exp(minus_energy - logsumexp(minus_energy))


def test_conditionals_free_energy_and_pseudo_likelihood_are_those_of_the_joint_table():
    machine = some_machine(3, 4)
    V, H, minus_energy, p = joint_table(machine)
    np.testing.assert_allclose(hidden_mean(machine, V), p @ H / p.sum(1, keepdims=True), rtol=1e-12)
    np.testing.assert_allclose(visible_mean(machine, H), p.T @ V / p.sum(0)[:, None], rtol=1e-12)
    np.testing.assert_allclose(free_energy(machine, V), -logsumexp(minus_energy, axis=1), rtol=1e-12)
    marginal = dict(zip(map(tuple, V), p.sum(1)))
    expected = []
    for v in V:
        total = 0.0
        for j in range(4):
            other = v.copy()
            other[j] = 1 - other[j]
            total += np.log(marginal[tuple(v)] / (marginal[tuple(v)] + marginal[tuple(other)]))
        expected.append(total)
    np.testing.assert_allclose(log_pseudo_likelihood(machine, V), expected, rtol=1e-11)


@pytest.mark.parametrize("m, d", [(3, 5), (5, 3), (1, 1), (13, 2)])
def test_the_constant_is_counted_over_either_side(m, d):
    machine = some_machine(m, d, seed=m)
    assert partition.counted(machine) == pytest.approx(logsumexp(joint_table(machine)[2]), rel=1e-12)


def test_gaussian_units_are_a_mixture_of_gaussians_written_out():
    machine = some_machine(3, 2, real=True)
    variance, H = np.exp(machine.log_variance), states(3)
    means = machine.visible + H @ machine.weight
    log_share = H @ machine.hidden + ((means**2 - machine.visible**2) / (2 * variance)).sum(1)
    share = np.exp(log_share - logsumexp(log_share))
    X = np.random.RandomState(1).normal(size=(20, 2)) * 2
    density = sum(s * multivariate_normal.pdf(X, m, np.diag(variance)) for s, m in zip(share, means))
    np.testing.assert_allclose(-free_energy(machine, X) - partition.counted(machine), np.log(density), rtol=1e-11)
    weights = np.array(
        [[s * multivariate_normal.pdf(x, m, np.diag(variance)) for s, m in zip(share, means)] for x in X]
    )
    np.testing.assert_allclose(hidden_mean(machine, X), weights @ H / weights.sum(1, keepdims=True), rtol=1e-10)


@pytest.mark.parametrize("real", [False, True])
def test_annealing_finds_the_counted_constant(real):
    machine = some_machine(6, 5, seed=2, real=real, size=0.5)
    found = partition.annealed(machine, 300, 500, np.random.RandomState(0))
    assert abs(found.value - partition.counted(machine)) < 4 * found.standard_error
    assert 0 < found.standard_error < 0.1 and found.n_effective > 100


def test_annealing_says_when_few_chains_carry_it():
    machine = some_machine(20, 20, seed=3, size=8.0)
    with pytest.warns(DataWarning, match="raise n_temperatures=2"):
        partition.log_partition_of(machine, "M", "annealed", 50, 2, np.random.RandomState(0))
    with pytest.raises(ParameterError, match=r"2\^20 states are too many"):
        partition.log_partition_of(machine, "M", "exact", 50, 2, np.random.RandomState(0))
    with pytest.raises(ParameterError, match="n_chains=0"):
        partition.log_partition_of(machine, "M", "annealed", 0, 2, np.random.RandomState(0))


@pytest.mark.parametrize("real", [False, True])
def test_the_slope_is_that_of_the_likelihood(real):
    """With the model's statistics counted (drawn from a mixture for real units), (1) and (2) are slopes of the log-likelihood."""
    machine = some_machine(2, 3, seed=4, real=real)
    rng = np.random.RandomState(5)
    X = rng.normal(size=(30, 3)) if real else (rng.rand(30, 3) < 0.6).astype(float)
    weight = rng.rand(30)

    def likelihood(parts):
        moved = BoltzmannParameters(*parts)
        return np.average(-free_energy(moved, X), weights=weight) - partition.counted(moved)

    data = learning.statistics(machine, X, hidden_mean(machine, X), weight)
    if real:
        variance, H = np.exp(machine.log_variance), states(2)
        means = machine.visible + H @ machine.weight
        log_share = H @ machine.hidden + ((means**2 - machine.visible**2) / (2 * variance)).sum(1)
        share = np.exp(log_share - logsumexp(log_share))
        model = BoltzmannParameters(
            (H * share[:, None]).T @ means,
            share @ H,
            share @ means,
            share @ (((means - machine.visible) ** 2 + variance) / 2 - means * (H @ machine.weight)) / variance,
        )
    else:
        V, H, _, p = joint_table(machine)
        model = learning.statistics(machine, V, hidden_mean(machine, V), p.sum(1))
    found = learning.slope(data, model)
    scale = np.exp(machine.log_variance) if real else np.ones(3)
    for k, name in enumerate(machine._fields):
        if machine[k] is None:
            continue
        numeric = np.zeros_like(machine[k])
        for at in np.ndindex(numeric.shape):
            up, down = [p if p is None else p.copy() for p in machine], [p if p is None else p.copy() for p in machine]
            up[k][at] += 1e-5
            down[k][at] -= 1e-5
            numeric[at] = (likelihood(up) - likelihood(down)) / 2e-5
        factor = scale if name in ("weight", "visible") else 1.0
        np.testing.assert_allclose(found[k], numeric * factor, atol=1e-8, err_msg=name)


def test_contrastive_divergence_starts_from_the_data_and_persistent_chains_run_on():
    machine = some_machine(4, 3, seed=6)
    rows = (np.random.RandomState(0).rand(6, 3) < 0.5).astype(float)
    chains = np.ones((5, 4))
    velocity = learning.still(machine)
    for persistent in (True, False):
        for n_steps in (1, 3):
            rng = np.random.RandomState(1)
            settings = learning.Settings(0.5, 0.0, 0.1, n_steps, persistent)
            found = learning.learn(learning.Learner(machine, velocity, chains), rows, settings, rng)
            twin = np.random.RandomState(1)
            h_data = expit(rows @ machine.weight.T + machine.hidden)
            h = chains if persistent else (twin.uniform(size=h_data.shape) < h_data) * 1.0
            for step in range(n_steps):
                if step:
                    h = (twin.uniform(size=h_model.shape) < h_model) * 1.0  # noqa: F821
                p = expit(h @ machine.weight + machine.visible)
                v = (twin.uniform(size=p.shape) < p) * 1.0
                h_model = expit(v @ machine.weight.T + machine.hidden)
            step_by = h_data.T @ rows / len(rows) - h_model.T @ v / len(v) - 0.1 * machine.weight
            np.testing.assert_allclose(found.machine.weight, machine.weight + 0.5 * step_by, rtol=1e-12)
            assert (found.chains is chains) is not persistent


def test_gibbs_steps_leave_the_model_as_it_is():
    machine = some_machine(2, 3, seed=7)
    V, _, _, p = joint_table(machine)
    rng = np.random.RandomState(0)
    v = V[rng.choice(len(V), 40000, p=p.sum(1))]
    after = gibbs_step(machine, v, rng) @ [4, 2, 1]
    np.testing.assert_allclose(np.bincount(after.astype(int), minlength=8) / 40000, p.sum(1), atol=0.01)


# The estimator


@pytest.fixture(scope="module")
def rows():
    return (np.random.RandomState(0).rand(200, 12) < 0.3).astype(float)


def test_it_is_bernoulli_rbm_where_that_is_requested(rows):
    theirs = BernoulliRBM(7, n_iter=5, random_state=3, batch_size=20).fit(rows)
    ours = RestrictedBoltzmannMachine(7, max_epochs=5, random_state=3, batch_size=20, shuffle=False).fit(rows)
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=0, atol=1e-13)
    np.testing.assert_allclose(ours.transform(rows), theirs.transform(rows), rtol=1e-12)
    np.testing.assert_array_equal(ours.gibbs(rows), theirs.gibbs(rows))
    assert list(ours.get_feature_names_out()) == [
        n.replace("bernoullirbm", "restrictedboltzmannmachine") for n in theirs.get_feature_names_out()
    ]
    ours, theirs = RestrictedBoltzmannMachine(4, random_state=1), BernoulliRBM(4, random_state=1)
    for k in range(3):
        ours.partial_fit(rows[10 * k : 10 * k + 10]), theirs.partial_fit(rows[10 * k : 10 * k + 10])
    np.testing.assert_allclose(
        ours.components_, theirs.components_, atol=1e-2
    )  # the start is drawn in another order there


def test_densities_add_up_to_one_and_the_best_likelihood_is_reached():
    patterns = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 1, 1]], float)
    X = np.repeat(patterns, [30, 20, 10], axis=0)
    rate = {"learning_rate": 0.05, "weight_decay": 1e-3, "n_steps": 10, "max_epochs": 300}
    model = RestrictedBoltzmannMachine(6, random_state=0, **rate).fit(X)
    assert np.exp(model.score_samples(states(5))).sum() == pytest.approx(1, abs=1e-12)
    entropy = -np.sum([1 / 2, 1 / 3, 1 / 6] * np.log([1 / 2, 1 / 3, 1 / 6]))
    blind = np.clip(X.mean(0), 1e-9, 1 - 1e-9)
    independent = -(X * np.log(blind) + (1 - X) * np.log(1 - blind)).sum(1).mean()
    assert entropy < -model.score(X) < entropy + 0.5 < independent - 1  # no density has less than the entropy
    drawn, _ = model.sample(400, random_state=0, n_steps=300)
    assert np.mean([tuple(row) in set(map(tuple, patterns)) for row in drawn]) > 0.6


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_gaussian_units_learn_more_than_one_gaussian(seed):
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(400, 2)) * 0.5 + np.where(rng.rand(400, 1) < 0.5, [[3.0, 3.0]], [[-3.0, -3.0]])
    X = X * [1, 100] + [0, 1000]
    model = RestrictedBoltzmannMachine(
        4, visible="gaussian", noise=0.1, max_epochs=150, learning_rate=0.02, momentum=0.5, random_state=seed
    ).fit(X)
    alone = multivariate_normal(X.mean(0), np.cov(X.T)).logpdf(X).mean()
    assert model.score(X) > alone + 0.1
    grid = np.stack(np.meshgrid(np.linspace(-9, 9, 150), np.linspace(100, 1900, 150)), -1).reshape(-1, 2)
    cell = (18 / 149) * (1800 / 149)
    assert np.exp(model.score_samples(grid)).sum() * cell == pytest.approx(1, abs=0.02)  # in the units of X
    assert np.abs(model.reconstruct(X) - X).mean(0) @ [1, 0.01] < 2


def test_learned_noise_that_collapses_is_reported():
    rng = np.random.RandomState(0)
    X = np.concatenate([rng.normal(m, 0.1, (60, 2)) for m in (-3, 0, 4)])
    model = RestrictedBoltzmannMachine(
        6, visible="gaussian", method="contrastive", momentum=0.9, max_epochs=300, learning_rate=0.01, random_state=0
    )
    with pytest.warns(DataWarning, match="less than .* under one Gaussian"):
        model.fit(X)


def test_odd_rows(rows, tmp_path):
    import scipy.sparse

    model = RestrictedBoltzmannMachine(3, max_epochs=2, random_state=0).fit(rows)
    sparse = RestrictedBoltzmannMachine(3, max_epochs=2, random_state=0).fit(scipy.sparse.csr_matrix(rows))
    np.testing.assert_allclose(model.components_, sparse.components_, rtol=1e-12)
    np.testing.assert_allclose(
        sparse.score_samples(scipy.sparse.csr_matrix(rows)), model.score_samples(rows), rtol=1e-12
    )
    assert model.transform(rows.astype(np.float32)).dtype == np.float32
    with pytest.warns(DataWarning, match="runs from 0 to 2"):
        RestrictedBoltzmannMachine(3, max_epochs=1).fit(rows * 2)
    with pytest.raises(ParameterError, match="score_samples"):
        RestrictedBoltzmannMachine(3, visible="gaussian", max_epochs=0).fit(rows).pseudo_likelihood(rows)
    assert model.sample(2)[0].shape == model.sample(2, np.random.default_rng(0))[0].shape == (2, 12)
    with pytest.raises(ParameterError, match="n_samples=0"):
        model.sample(0)
    twice = RestrictedBoltzmannMachine(3, max_epochs=2, batch_size=400, shuffle=False, random_state=0)
    doubled = twice.fit(np.repeat(rows, 2, axis=0)).components_
    weighted = twice.fit(rows, sample_weight=np.full(len(rows), 2.0)).components_
    assert np.abs(doubled - weighted).max() < 1e-12
    novum.save(model, tmp_path / "model.novum")
    again = novum.load(tmp_path / "model.novum")
    np.testing.assert_array_equal(again.transform(rows), model.transform(rows))
    np.testing.assert_array_equal(again.score_samples(rows), model.score_samples(rows))
    again.partial_fit(rows)


# Layers


def some_layers(sizes, seed=0, size=1.0):
    rng = np.random.RandomState(seed)
    weights = [size * rng.normal(size=pair) for pair in pairwise(sizes)]
    return Layers(weights, [rng.normal(size=n) for n in sizes])


def minus_energy(layers, units):
    total = sum(b @ h for b, h in zip(layers.biases, units))
    return total + sum(below @ W @ above for W, below, above in zip(layers.weights, units, units[1:]))


@pytest.mark.notes("000-c", "deep-boltzmann")
@pytest.mark.parametrize("sizes", [(3, 2, 2), (2, 3, 2, 2), (3, 3)])
def test_a_deep_machine_is_what_its_energy_says(sizes):
    """Constant, density, mean-field bound, annealed estimate and draws against the table of all states."""
    layers = some_layers(sizes)
    table = {}
    for units in product(*(states(n) for n in sizes)):
        table.setdefault(tuple(units[0]), []).append(minus_energy(layers, units))
    rows = np.array(list(table))
    exact = np.array([logsumexp(parts) for parts in table.values()])
    np.testing.assert_allclose(exact_free_energy(layers, rows), -exact, rtol=1e-12)
    log_z = logsumexp(exact)
    assert partition.counted(bipartite(layers)) == pytest.approx(log_z, rel=1e-12)
    model = DeepBoltzmannMachine(sizes[1:], pretrain_epochs=0, max_epochs=0, random_state=0).fit(rows)
    model.weights_, model.intercepts_ = layers
    np.testing.assert_allclose(model.score_samples(rows), exact - log_z, rtol=1e-10)
    estimate = model.log_partition("annealed", n_chains=300, n_temperatures=300)
    assert abs(estimate.value - log_z) < 4 * estimate.standard_error + 1e-3

    units = mean_field(layers, rows, 500, tol=1e-13)
    for layer in range(1, len(sizes)):  # the fixed point of (2)
        total = layers.biases[layer] + units[layer - 1] @ layers.weights[layer - 1]
        if layer + 1 < len(sizes):
            total = total + units[layer + 1] @ layers.weights[layer].T
        np.testing.assert_allclose(units[layer], expit(total), atol=1e-9)
    bound = bound_without_constant(layers, units)
    assert (bound <= exact + 1e-12).all() and (bound > exact - 1.0).all()
    if len(sizes) == 2:
        np.testing.assert_allclose(bound, exact, rtol=1e-10)  # one hidden layer: the bound is tight
        restricted = RestrictedBoltzmannMachine(sizes[1], max_epochs=1, random_state=0).fit(
            rows
        )  # and the machine is this one
        restricted.components_ = layers.weights[0].T
        restricted.intercept_visible_, restricted.intercept_hidden_ = layers.biases
        np.testing.assert_allclose(restricted.score_samples(rows), exact - log_z, rtol=1e-10)

    drawn = model.sample(20000, random_state=0, n_steps=30)[0] @ 2 ** np.arange(sizes[0])
    shares = np.bincount(drawn.astype(int), minlength=2 ** sizes[0]) / 20000
    codes = (rows @ 2 ** np.arange(sizes[0])).astype(int)
    np.testing.assert_allclose(shares[codes], np.exp(exact - log_z), atol=0.02)


def test_mean_field_never_lowers_the_bound():
    layers = some_layers((6, 5, 4, 3), seed=1, size=2.0)
    rows = (np.random.RandomState(0).rand(30, 6) < 0.5).astype(float)
    bounds = [bound_without_constant(layers, mean_field(layers, rows, k, tol=0.0)) for k in range(1, 12)]
    assert (np.diff(bounds, axis=0) > -1e-10).all()


@pytest.mark.notes("000-c", "deep-boltzmann")
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_deep_machine_learns_and_generates(seed):
    patterns = np.array([[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1]], float)
    rng = np.random.RandomState(seed)
    X = patterns[rng.randint(3, size=300)]
    X = np.abs(X - (rng.rand(*X.shape) < 0.05))  # 5 % of the units are turned
    blind = np.clip(X.mean(0), 0.01, 0.99)
    independent = (X * np.log(blind) + (1 - X) * np.log(1 - blind)).sum(1).mean()
    model = DeepBoltzmannMachine((6, 4), pretrain_epochs=30, max_epochs=60, learning_rate=0.1, random_state=seed).fit(X)
    start = DeepBoltzmannMachine((6, 4), pretrain_epochs=30, max_epochs=0, random_state=seed).fit(X)
    assert model.score(X) > start.score(X) and model.score(X) > independent + 0.7
    drawn, _ = model.sample(600, random_state=seed, n_steps=300)
    nearest = np.abs(drawn[:, None] - patterns).sum(2)
    assert (nearest.min(1) <= 1).mean() > 0.8 and np.bincount(nearest.argmin(1)).min() > 30


def test_a_deep_machine_begins_a_network(tmp_path):
    layers = some_layers((4, 3, 2))
    X = states(4)
    model = DeepBoltzmannMachine((3, 2), pretrain_epochs=1, max_epochs=1, random_state=0).fit(X)
    model.weights_, model.intercepts_ = layers
    (W1, W2), (b1, b2) = model.mlp_weights()
    top = expit(expit(X @ W1 + b1) @ W2 + b2)
    first = expit(2 * (X @ layers.weights[0]) + layers.biases[1])
    np.testing.assert_allclose(top, expit(first @ layers.weights[1] + layers.biases[2]), rtol=1e-13)
    novum.save(model, tmp_path / "deep.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "deep.novum").transform(X), model.transform(X))
    with pytest.raises(ParameterError, match=r"n_components=\(3, 0\)"):
        DeepBoltzmannMachine((3, 0)).fit(X)


@pytest.mark.deep
def test_a_pretrained_network_learns_from_few_labels():
    torch = pytest.importorskip("torch")
    from sklearn.datasets import load_digits

    from novum.neural_network import TorchClassifier

    X, y = load_digits(return_X_y=True)
    X = (X > 7).astype(float)
    machine = DeepBoltzmannMachine((48, 32), pretrain_epochs=5, max_epochs=3, random_state=0).fit(X)
    module = machine.encoder_with_head(10)
    (W1, W2), (b1, b2) = machine.mlp_weights()
    top = expit(expit(X[:5] @ W1 + b1) @ W2 + b2)
    found = module[:-1](torch.tensor(X[:5], dtype=torch.float32)).detach().numpy()
    np.testing.assert_allclose(found, top, atol=1e-5)
    tuned = TorchClassifier(module, max_epochs=50, learning_rate=0.01, random_state=0).fit(X[:150], y[:150])
    assert tuned.score(X[150:], y[150:]) > 0.7


def test_layers_alone_stand_in_for_their_neighbours():
    """Up and down factors: at the first layer the hidden side reads W twice, the visible side once."""
    machine = some_machine(3, 4, seed=8)
    velocity = learning.still(machine)
    rows = np.ones((1, 4))
    settings = learning.Settings(1.0, persistent=False, up=2.0, down=1.0)
    found = learning.learn(
        learning.Learner(machine, velocity, np.zeros((1, 3))), rows, settings, np.random.RandomState(0)
    )
    error = learning.reconstruction_error(machine, rows, settings)
    h = expit(2 * rows @ machine.weight.T + machine.hidden)
    assert error == pytest.approx(((rows - expit(h @ machine.weight + machine.visible)) ** 2).mean(), rel=1e-12)
    twin = np.random.RandomState(0)
    p = expit((twin.uniform(size=h.shape) < h) @ machine.weight + machine.visible)
    v = (twin.uniform(size=p.shape) < p) * 1.0
    expected = machine.hidden + (h - expit(2 * v @ machine.weight.T + machine.hidden))[0]
    np.testing.assert_allclose(found.machine.hidden, expected, rtol=1e-12)
