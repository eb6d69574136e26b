"""Metropolis and Hastings, Gibbs, and custom kernels: detailed balance by enumeration, exact results, the same draws again."""

import itertools

import numpy as np
import pytest
from reference import sampling as reference
from scipy import stats

from novum.distributions import JointTable, Normal
from novum.exceptions import DataError, NotConverged, ParameterError, ParameterTypeError
from novum.sampling import GibbsSampler, LogisticPosterior, MetropolisHastings, convergence, run_chains
from novum.sampling.gibbs import conditional_weights
from novum.sampling.metropolis import acceptance

UNJUDGED = pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")  # short chains
P = np.array([0.2, 0.3, 0.5])
Q = np.array([[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]])
T = np.array([[0.625, 0.375, 0.0], [0.25, 0.5, 0.25], [0.0, 0.15, 0.85]])


class TableProposal:
    def sample(self, x, rng):
        return rng.choice(3, p=Q[x])

    def log_prob(self, new, old):
        with np.errstate(divide="ignore"):
            return np.log(Q[old, new])


def transitions(draws, k):
    counts = np.zeros((k, k))
    for chain in draws.astype(int):
        np.add.at(counts, (chain[:-1], chain[1:]), 1)
    return counts


@pytest.mark.notes("000-b", "mcmc")
@pytest.mark.notes("003", "posterior-approximations")
@pytest.mark.notes("002", "metropolis-hastings")
def test_metropolis_hastings_has_the_kernel_of_the_notes():
    """p = (.2, .3, .5) and a proposal that is not symmetric: the kernel by enumeration, and as the sampler moves."""
    kernel = np.zeros((3, 3))
    for i, j in itertools.permutations(range(3), 2):
        with np.errstate(divide="ignore", invalid="ignore"):
            kernel[i, j] = Q[i, j] * acceptance(np.log(P[j]) + np.log(Q[j, i]) - np.log(P[i]) - np.log(Q[i, j]))
    np.fill_diagonal(kernel, 1 - kernel.sum(axis=1))
    np.testing.assert_allclose(kernel, T, atol=1e-15)
    flow = P[:, None] * kernel
    np.testing.assert_allclose(flow, flow.T, atol=1e-16)
    sampler = MetropolisHastings(lambda k: np.log(P[k]), TableProposal())
    chains = sampler.sample(6000, start=1, n_warmup=10, random_state=0)
    counts = transitions(chains["x"], 3)
    assert counts[0, 2] == counts[2, 0] == 0
    for row, exact in zip(counts, T):
        assert stats.chisquare(row[exact > 0], exact[exact > 0] * row.sum()).pvalue > 0.01
    taken = sum(P[i] * Q[i, j] * min(1, P[j] * Q[j, i] / (P[i] * Q[i, j])) for i, j in np.argwhere(Q))
    assert chains.statistics["acceptance_rate"].mean() == pytest.approx(taken, abs=0.02)


def test_an_unsymmetric_proposal_that_says_nothing_of_it_is_another_distribution():
    """The correction matters: without log_prob the same proposal gives wrong frequencies."""
    wrong = MetropolisHastings(lambda k: np.log(P[k]), lambda k, rng: rng.choice(3, p=Q[k]))
    chains = wrong.sample(6000, start=1, n_warmup=10, random_state=0)
    assert abs(np.mean(chains["x"] == 1) - 0.3) > 0.05


@pytest.mark.notes("002", "metropolis-hastings")
@UNJUDGED
def test_the_walk_equals_its_twin():
    covariance = np.array([[2.0, 0.6], [0.6, 0.5]])

    def log_prob(x):
        return -0.5 * float(x @ x) - 0.1 * x[0] ** 4

    walk = MetropolisHastings(log_prob, scale=covariance, adapt=False)
    chains = walk.sample(200, start=[[0.1, 0.2], [1.0, -1.0]], n_chains=2, n_warmup=0, random_state=9)
    for k, start in enumerate(([0.1, 0.2], [1.0, -1.0])):
        twin = reference.random_walk(log_prob, np.array(start), np.linalg.cholesky(covariance), 200, 9, k)
        np.testing.assert_allclose(chains.draws[k], twin, rtol=1e-12)
    resumed = walk.sample(
        150, resume=walk.sample(50, start=[[0.1, 0.2], [1.0, -1.0]], n_chains=2, n_warmup=0, random_state=9)
    )
    np.testing.assert_array_equal(resumed.draws, chains.draws)
    begun = walk.sample(20, start=[[0.1, 0.2], [1.0, -1.0]], n_chains=2, n_warmup=0, thin=3, random_state=9)
    np.testing.assert_array_equal(walk.sample(30, thin=3, resume=begun).draws, chains.draws[:, 2:150:3])


def test_the_walk_learns_scales_and_correlation():
    covariance = np.array([[1.0, 9.0], [9.0, 100.0]])
    precision = np.linalg.inv(covariance)
    calls = []

    def rows(x):
        calls.append(len(x))
        return -0.5 * np.einsum("ij,jk,ik->i", x, precision, x)

    chains = MetropolisHastings(rows, vectorized=True).sample(10_000, start=2, n_warmup=2000, random_state=0)
    assert set(calls) == {4} and 0.15 < chains.statistics["acceptance_rate"].mean() < 0.5
    for i, j in ((0, 0), (0, 1), (1, 1)):
        product = chains.draws[:, :, i] * chains.draws[:, :, j]
        assert abs(product.mean() - covariance[i, j]) < 4 * convergence.mcse_mean(product)


def test_logistic_posteriors_by_metropolis_and_threads():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    posterior = LogisticPosterior(X, rng.random(100) < 0.4)
    chains = MetropolisHastings(posterior).sample(5000, start=3, random_state=0)
    one = MetropolisHastings(lambda x: posterior(x)[0]).sample(5000, start=3, random_state=0)
    np.testing.assert_array_equal(chains.draws, one.draws)


@pytest.mark.notes("002", "gibbs")
def test_gibbs_conditionals_keep_the_distribution_and_orders_decide_on_balance():
    """On a 2 x 3 table: every part keeps p; the systematic sweep is not reversible, random order and scan are."""
    p = np.array([[0.1, 0.25, 0.05], [0.3, 0.1, 0.2]])
    states = list(itertools.product(range(2), range(3)))
    parts = []
    for axis in range(2):
        part = np.zeros((6, 6))
        for a, state in enumerate(states):
            weights = conditional_weights(p, state, axis)
            for value, weight in enumerate(weights / weights.sum()):
                new = tuple(value if i == axis else s for i, s in enumerate(state))
                part[a, states.index(new)] = weight
        np.testing.assert_allclose(p.ravel() @ part, p.ravel(), atol=1e-16)
        parts.append(part)
    systematic, reverse = parts[0] @ parts[1], parts[1] @ parts[0]
    kernels = {"systematic": systematic, "random": (systematic + reverse) / 2, "scan": (parts[0] + parts[1]) / 2}
    for order, kernel in kernels.items():
        flow = p.ravel()[:, None] * kernel
        assert np.allclose(flow, flow.T) == (order != "systematic")
        sampler = GibbsSampler.from_table(JointTable(p, ("a", "b")), order=order)
        chains = sampler.sample(4000, start={"a": 0, "b": 0}, n_warmup=10, random_state=1)
        counts = transitions(chains["a"] * 3 + chains["b"], 6)
        for row, exact in zip(counts, kernel):
            assert counts[0].sum() and stats.chisquare(row[exact > 0], exact[exact > 0] * row.sum()).pvalue > 1e-3
            assert row[exact == 0].sum() == 0


def test_gibbs_on_a_correlated_gaussian_and_its_staircase():
    import matplotlib

    matplotlib.use("Agg")
    rho = 0.9
    step = np.sqrt(1 - rho**2)
    sampler = GibbsSampler(
        {"x": lambda s, rng: rho * s["y"] + step * rng.normal(), "y": lambda s, rng: Normal(rho * s["x"], 1 - rho**2)}
    )
    chains = sampler.sample(4000, start={"x": 3.0, "y": -3.0}, random_state=0)
    product = chains["x"] * chains["y"]
    assert abs(product.mean() - rho) < 4 * convergence.mcse_mean(product)
    assert chains.settings["order"] == "systematic"
    path, points = chains.plot_path("x", "y", n_draws=20).lines
    a, b = path.get_data()
    assert len(a) == 39 and np.all((np.diff(a) == 0) != (np.diff(b) == 0))  # one variable moves at a time
    np.testing.assert_array_equal(a[::2], chains["x"][0, :20])
    np.testing.assert_array_equal(points.get_ydata(), chains["y"][0, :20])
    straight = chains.plot_path("x", "y", corners=False).lines[0]
    np.testing.assert_array_equal(straight.get_xdata(), chains["x"][0, :50])


@UNJUDGED
def test_gibbs_of_all_chains_at_once_and_going_on():
    conditionals = {
        "x": lambda s, rng: 0.5 * s["y"].sum(axis=1) + rng.normal(size=len(s["x"])),
        "y": lambda s, rng: 0.3 * s["x"][:, None] + rng.normal(size=(len(s["x"]), 2)),
    }
    sampler = GibbsSampler(conditionals, vectorized=True)
    options = {"start": {"x": 0.0, "y": [0.0, 0.0]}, "n_chains": 6, "n_warmup": 20, "random_state": 2}
    whole = sampler.sample(300, **options)
    assert whole["x"].shape == (6, 300) and whole["y"].shape == (6, 300, 2)
    np.testing.assert_array_equal(sampler.sample(200, resume=sampler.sample(100, **options)).draws, whole.draws)
    each = GibbsSampler({"x": lambda s, rng: 0.9 * s["x"] + rng.normal()})
    options = {"start": [{"x": 0.0}, {"x": 9.0}], "n_chains": 2, "n_warmup": 5, "random_state": 2}
    whole = each.sample(60, **options)
    np.testing.assert_array_equal(each.sample(40, resume=each.sample(20, **options)).draws, whole.draws)


@pytest.mark.notes("002", "mcmc")
def test_chains_of_kernels_burn_in_thin_mix_and_cycle():
    """The driver does what it says: N steps thrown away, every M-th kept; mixtures and cycles apply what they should."""
    count = run_steps_of_a_counter(n_warmup=7, thin=3)
    assert count.draws[0, :, 0].tolist() == [10, 13, 16, 19]
    cycle = run_steps_of_a_counter(n_warmup=0, thin=1, kernel=[lambda x, rng: x + 1, lambda x, rng: 2 * x])
    assert cycle.draws[0, :, 0].tolist() == [2, 6, 14, 30]  # 2 (x + 1)
    probabilities = np.array([0.3, 0.7])
    moves = []
    for seed in range(3):
        with pytest.warns(NotConverged):
            walk = run_chains(
                [lambda x, rng: x + 1.0, lambda x, rng: x - 1.0],
                0.0,
                3000,
                weights=probabilities,
                n_warmup=0,
                random_state=seed,
            )
        moves.append(np.mean(np.diff(walk.draws[:, :, 0]) > 0))
    assert np.mean(moves) == pytest.approx(0.3, abs=0.015)
    # both parts keep a standard normal, so a mixture of small and large steps and a cycle of them keep it too
    parts = [
        MetropolisHastings(lambda x: -0.5 * x * x, lambda x, rng, s=s: x + s * rng.normal()).step for s in (0.5, 3.0)
    ]
    for weights in (None, [0.5, 0.5]):
        chains = run_chains(parts, 0.0, 4000, weights=weights, random_state=0)
        square = chains.draws[:, :, 0] ** 2
        assert abs(chains.draws.mean()) < 4 * chains.diagnosis.mcse_mean[0]
        assert abs(square.mean() - 1) < 4 * convergence.mcse_mean(square)


def run_steps_of_a_counter(n_warmup, thin, kernel=lambda x, rng: x + 1):
    with pytest.warns(NotConverged):
        return run_chains(kernel, 0, 4, n_chains=2, n_warmup=n_warmup, thin=thin)


def test_starts_and_proposals_of_any_kind():
    options = {"n_warmup": 0, "n_chains": 2, "random_state": 0}
    hop = MetropolisHastings(
        lambda x: -0.5 * float(np.sum(np.square(x))), lambda x, rng: x + rng.normal(size=np.shape(x))
    )
    with pytest.warns(NotConverged):
        assert hop.sample(5, start=[1.0, 2.0], **options)["x"].shape == (2, 5, 2)
    with pytest.warns(NotConverged):
        assert hop.sample(5, start=np.zeros((2, 3)), **options)["x"].shape == (2, 5, 3)
    with pytest.warns(NotConverged):
        first = hop.sample(50, start=lambda rng: rng.normal(size=2), **options)
    with pytest.warns(NotConverged):
        again = hop.sample(30, resume=hop_short(hop, options))
    np.testing.assert_array_equal(first.draws, again.draws)


def hop_short(hop, options):
    with pytest.warns(NotConverged):
        return hop.sample(20, start=lambda rng: rng.normal(size=2), **options)


def test_kernels_refuse_what_cannot_work():
    with pytest.raises(
        ParameterTypeError, match=r"'proposal' .* a callable, an object implementing 'sample' and 'log_prob'"
    ):
        MetropolisHastings(lambda x: 0.0, proposal=3).sample(5, start=2)
    with pytest.raises(ParameterError, match="scale= must say"):
        MetropolisHastings(lambda x: 0.0, adapt=False).sample(5, start=2)
    with pytest.raises(ParameterError, match="positive definite"):
        MetropolisHastings(lambda x: 0.0, scale=[[1.0, 2.0], [2.0, 1.0]]).sample(5, start=2)
    with pytest.raises(DataError, match="-inf at the start"):
        MetropolisHastings(lambda k: -np.inf, lambda k, rng: k).sample(5, start=1)
    with pytest.raises(DataError, match=r"\+inf at"):
        MetropolisHastings(lambda k: np.inf if k else 0.0, lambda k, rng: 1).sample(5, start=0)
    with pytest.raises(ParameterTypeError, match="'conditionals' parameter of GibbsSampler must be"):
        GibbsSampler([1, 2]).sample(5, start={"x": 0.0})
    with pytest.raises(ParameterTypeError, match="a mapping of every variable"):
        GibbsSampler({"x": 1}).sample(5, start={"x": 0.0})
    gibbs = GibbsSampler({"x": lambda s, rng: rng.normal(size=2)})
    with pytest.raises(ParameterError, match="gives no value to x"):
        gibbs.sample(5, start={"y": 1})
    with pytest.raises(DataError, match=r"returned shape \(2,\)"):
        gibbs.sample(5, start={"x": 0.0})
    with pytest.raises(DataError, match="must be finite"):
        GibbsSampler({"x": lambda s, rng: np.nan}).sample(5, start={"x": 0.0})
    with pytest.raises(DataError, match="no value of positive probability"):
        GibbsSampler.from_table([[0.0, 0.0], [0.0, 1.0]], ["a", "b"]).sample(5, start={"a": 0, "b": 0})
    with pytest.raises(ParameterTypeError, match="list of such functions"):
        run_chains([1], 0.0)
    with pytest.raises(ParameterError, match="2 weights for 1 kernels"):
        run_chains([lambda x, rng: x], 0.0, weights=[0.5, 0.5])
    with pytest.raises(DataError, match="a state must be numbers"):
        run_chains(lambda x, rng: "a", 0.0, 3, n_warmup=0)
