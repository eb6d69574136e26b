"""Simulated games: regret by its definition, reproducible, bounded as theory says, drawn as computed."""

import numpy as np
import pytest
from artists import bands

from novum.bandits import (
    EXP3,
    KLUCB,
    UCB1,
    AdversarialBandit,
    BernoulliBandit,
    ContextualBandit,
    EpsilonGreedy,
    GaussianBandit,
    LinUCB,
    ThompsonSampling,
    regret_bound,
    simulate,
)
from novum.exceptions import DataError, ParameterError

THREE = BernoulliBandit([0.9, 0.8, 0.5])


@pytest.mark.notes("003", "bandit-env")
def test_bandits_pay_as_they_say():
    rng = np.random.default_rng(0)
    draws = np.array([[THREE.pull(a, rng) for _ in range(4000)] for a in range(3)])
    assert set(np.unique(draws)) == {0.0, 1.0}
    np.testing.assert_allclose(draws.mean(axis=1), [0.9, 0.8, 0.5], atol=0.03)
    gaussian = GaussianBandit([1.0, -2.0], scale=[0.5, 0.0])
    pulls = np.array([gaussian.pull(0, rng) for _ in range(4000)])
    assert pulls.mean() == pytest.approx(1, abs=0.04) and pulls.std() == pytest.approx(0.5, abs=0.03)
    assert gaussian.pull(1, rng) == -2.0  # an arm without noise
    z = np.random.default_rng(7).normal()
    assert gaussian.pull(0, np.random.default_rng(7)) == 1.0 + 0.5 * z
    np.testing.assert_allclose(THREE.scale, [0.3, 0.4, 0.5], rtol=1e-14)  # sqrt(p (1 - p))
    assert (THREE.best_arm, gaussian.best_arm, gaussian.gaps.tolist()) == (0, 0, [0.0, 3.0])
    table = AdversarialBandit([[0.1, 0.9], [0.7, 0.2]])
    assert [table.pull(a, rng, t) for t in (0, 1) for a in (0, 1)] == [0.1, 0.9, 0.7, 0.2]
    found = simulate(BernoulliBandit([1.0, 0.0]), UCB1(), 50, n_runs=3, random_state=0)
    assert (found.rewards == found.pulls[:, :, 0]).all()


@pytest.mark.notes("003", "regret")
def test_regret_is_the_sum_of_gaps():
    arms = [0, 2, 1, 1, 0]
    np.testing.assert_allclose(THREE.regret(arms), [0, 0.4, 0.5, 0.6, 0.6], atol=1e-15)
    with pytest.raises(DataError, match="from 0 to 2"):
        THREE.regret([0, 3])
    found = simulate(THREE, [UCB1(), EpsilonGreedy(0.3)], 400, n_runs=50, n_points=7, random_state=3)
    np.testing.assert_allclose(found.final_regret, found.pulls @ THREE.gaps, atol=1e-10)
    assert (found.pulls.sum(axis=2) == 400).all() and found.regret.shape == (2, 50, 7)
    rewards = np.random.default_rng(0).random((60, 3))
    table = AdversarialBandit(rewards)
    history = np.random.default_rng(1).integers(3, size=60)
    own = sum(rewards[t, a] for t, a in enumerate(history))
    assert table.regret(history)[-1] == pytest.approx(max(rewards.sum(axis=0)) - own)
    played = simulate(table, EXP3(), 60, n_runs=20, n_points=60, random_state=0)
    np.testing.assert_allclose(played.final_regret[0], rewards.sum(axis=0).max() - played.rewards[0], atol=1e-10)
    uniform = simulate(THREE, EpsilonGreedy(1.0), 300, n_runs=4000, random_state=0)
    expected = 0.5 + 297 * THREE.gaps.mean()  # each arm once, then any: the expectation of the definition
    half = 4 * uniform.final_regret.std() / np.sqrt(4000)
    assert uniform.final_regret.mean() == pytest.approx(expected, abs=half)


@pytest.mark.notes("003", "lai-robbins")
def test_lai_robbins_constant():
    assert regret_bound(THREE, 10_000) == pytest.approx(27.954726, abs=5e-7)
    assert regret_bound(THREE, np.e) == pytest.approx(3.0351458, abs=5e-8)
    gaussian = GaussianBandit([0.0, 1.0, 0.5], scale=2.0)
    assert regret_bound(gaussian, 1000) == pytest.approx(np.log(1000) * 2 * 4 * (1 / 1 + 1 / 0.5))


@pytest.mark.notes("003", "ucb1-bound")
def test_ucb1_stays_below_its_bound():
    assert regret_bound(THREE, 10_000, "ucb1") == pytest.approx(923.178971, abs=5e-7)
    times = np.array([100, 3000])
    found = simulate(THREE, UCB1(), 3000, n_runs=500, n_points=30, random_state=0)
    assert (found.regret[0].mean(axis=0)[[0, -1]] < regret_bound(THREE, times, "ucb1")).all()


@pytest.mark.notes("003", "thompson-bound")
def test_thompson_has_the_constant_of_lai_and_robbins():
    t = np.array([1e2, 1e4, 1e8])
    ratio = regret_bound(THREE, t, "thompson") / regret_bound(THREE, t)
    np.testing.assert_allclose(ratio, 1 + np.log(np.log(t)) / np.log(t), rtol=1e-13)
    means, best = np.array([0.8, 0.5]), 0.9
    kl = means * np.log(means / best) + (1 - means) * np.log((1 - means) / (1 - best))
    wanted = ((best - means) / kl).sum() * (np.log(t) + np.log(np.log(t)))
    np.testing.assert_allclose(regret_bound(THREE, t, "thompson"), wanted, rtol=1e-12)


@pytest.mark.notes("003", "adversarial-lower-bound")
def test_minimax_bound_is_capped():
    assert regret_bound(THREE, 10_000, "minimax") == pytest.approx(8.660254, abs=5e-7)
    assert regret_bound(THREE, 10_000, "minimax", constant=20**-0.5) == pytest.approx(38.729833, abs=5e-7)
    assert regret_bound(BernoulliBandit([0.5]), 100, "minimax") == 0
    many = AdversarialBandit(np.zeros((2, 1000)))
    assert regret_bound(many, 2, "minimax", constant=1.0) == 2


@pytest.mark.notes("003", "exp3-bound")
def test_exp3_is_tuned_and_bounded():
    beta, eta = EXP3().tuned(10, 3000)
    assert beta == pytest.approx(np.sqrt(10 * np.log(10) / ((np.e - 1) * 3000))) and eta == beta / 10
    assert EXP3().tuned(10, 2)[0] == 1.0
    rewards = np.full((3000, 10), 0.2)
    rewards[:1500, 3] = rewards[1500:, 7] = 0.9
    bandit = AdversarialBandit(rewards)
    assert regret_bound(bandit, 3000, "exp3") == pytest.approx(2 * np.sqrt((np.e - 1) * 30_000 * np.log(10)))
    found = simulate(bandit, [EXP3(), EXP3(anytime=True)], 3000, n_runs=200, random_state=0)
    best = 0.2 * 1500 + 0.9 * 1500  # either favourite in hindsight
    np.testing.assert_allclose(found.final_regret, best - found.rewards, atol=1e-8)
    for kind, regret in zip(("exp3", "exp3-anytime"), found.final_regret):
        assert regret.mean() < regret_bound(bandit, 3000, kind)


@pytest.mark.notes("003", "fig-regret")
def test_regret_is_drawn_with_bands_and_bounds():
    found = simulate(
        THREE, {"UCB1": UCB1(), "Thompson": ThompsonSampling()}, 500, n_runs=40, n_points=10, random_state=0
    )
    ax = found.plot(bounds=["lai-robbins", "ucb1"])
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert list(lines) == ["UCB1", "Thompson", "lai-robbins bound", "ucb1 bound"]
    np.testing.assert_allclose(lines["Thompson"].get_ydata(), found.regret[1].mean(axis=0))
    np.testing.assert_allclose(lines["lai-robbins bound"].get_ydata(), 3.0351458 * np.log(found.times), rtol=1e-7)
    assert lines["ucb1 bound"].get_ydata()[-1] == pytest.approx(float(regret_bound(THREE, 500, "ucb1")))
    mean, half = found.regret.mean(axis=1), 1.959964 * found.regret.std(axis=1, ddof=1) / np.sqrt(40)
    for policy, (x, low, high) in enumerate(bands(ax)):
        np.testing.assert_array_equal(x, np.arange(50, 501, 50))
        np.testing.assert_allclose(low, (mean - half)[policy], rtol=1e-6)
        np.testing.assert_allclose(high, (mean + half)[policy], rtol=1e-6)
    x, low, high = bands(found.plot(band="runs"))[1]
    np.testing.assert_allclose([low, high], np.quantile(found.regret[1], [0.025, 0.975], axis=0))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("round", "pseudo-regret")


def test_kl_ucb_approaches_the_lower_bound():
    found = simulate(THREE, [KLUCB(), ThompsonSampling()], 20_000, n_runs=200, n_points=2, random_state=0)
    slope = (found.regret[:, :, 1] - found.regret[:, :, 0]).mean(axis=1) / np.log(2)
    assert (slope < 2 * 3.0351458).all() and (slope > 0.3 * 3.0351458).all()


def test_threads_and_neighbours_do_not_change_a_run():
    options = {"n_runs": 37, "random_state": 5}
    one = simulate(THREE, [UCB1(), ThompsonSampling()], 300, n_jobs=1, **options)
    two = simulate(THREE, [ThompsonSampling(), UCB1()], 300, n_jobs=2, **options)
    np.testing.assert_array_equal(one.regret, two.regret[::-1])
    other = simulate(THREE, ThompsonSampling(), 300, n_runs=37, random_state=6)
    assert (other.regret[0] != one.regret[1]).any()
    more = simulate(THREE, UCB1(), 300, n_runs=50, random_state=5)
    np.testing.assert_array_equal(more.regret[0, :37], one.regret[0])


def test_a_policy_of_the_users_own():
    class Always:
        def select(self):
            return 1

        def update(self, arm, reward):
            assert arm == 1 and reward in (0.0, 1.0)

    found = simulate(THREE, {"mine": Always(), "ours": UCB1()}, 50, n_runs=4, n_points=5, random_state=0)
    np.testing.assert_allclose(found.regret[0], np.tile(0.1 * np.array([10, 20, 30, 40, 50]), (4, 1)))
    assert "mine" in repr(found) and found.to_frame().shape[0] == 2

    class Wrong(Always):
        def select(self):
            return 9

    with pytest.raises(DataError, match=r"Wrong.select\(\) gave 9"):
        simulate(THREE, Wrong(), 10, n_runs=1)


def test_contexts_help_who_looks_at_them():
    bandit = ContextualBandit([[1, 0], [0, 1]], contexts=[[1, 0], [0, 1]], noise=0.1)
    found = simulate(bandit, [LinUCB(), UCB1()], 500, n_runs=50, random_state=0)
    assert found.final_regret[0].mean() < 30 < 100 < found.final_regret[1].mean()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: simulate(THREE, []), "at least one"),
        (lambda: simulate(THREE, "UCB1"), "no policy"),
        (lambda: simulate(THREE, UCB1), "no policy"),
        (lambda: simulate([0.5], UCB1()), "BernoulliBandit"),
        (lambda: simulate(THREE, UCB1(), 0), "horizon"),
        (lambda: simulate(THREE, UCB1(), n_runs=1.5), "n_runs"),
        (lambda: simulate(THREE, UCB1(), level=1.0), "level"),
        (lambda: simulate(GaussianBandit([0, 1]), ThompsonSampling()), "gaussian"),
        (lambda: simulate(GaussianBandit([0, 1]), EXP3()), "bounds"),
        (lambda: simulate(AdversarialBandit(np.zeros((5, 2))), EXP3(), 6), "5 rounds"),
        (lambda: BernoulliBandit([0.5, 1.5]), r"\[0, 1\]"),
        (lambda: BernoulliBandit([]), "empty"),
        (lambda: BernoulliBandit([np.nan]), "NaN"),
        (lambda: BernoulliBandit(["a"]), "real numbers"),
        (lambda: GaussianBandit([0, 1], scale=-1), "negative"),
        (lambda: AdversarialBandit([[2.0]]), r"\[0, 1\]"),
        (lambda: AdversarialBandit([0.5]), "shape"),
        (lambda: ContextualBandit([[1, 0]], contexts=[[1]]), "2 features"),
        (lambda: ContextualBandit([[1, 0]], noise=-1), "noise"),
        (lambda: regret_bound(THREE, 0), "one round"),
        (lambda: regret_bound(THREE, 10, "what"), "kind"),
        (lambda: regret_bound(ContextualBandit([[1, 0]]), 10), "means"),
        (lambda: regret_bound(GaussianBandit([0, 1]), 10, "ucb1"), "scale"),
        (lambda: THREE.regret([3]), "0 to 2"),
    ],
)
def test_bad_input_is_named(make, words):
    with pytest.raises(ValueError, match=words) as caught:
        make()
    assert isinstance(caught.value, DataError | ParameterError)


def test_a_bandit_is_a_process_of_one_state():
    from novum.reinforcement import value_iteration

    process = THREE.to_mdp(discount=0.5)
    assert (process.n_states, process.n_actions) == (1, 3)
    assert value_iteration(process).values[0] == pytest.approx(0.9 / (1 - 0.5), abs=1e-6)


def test_a_normal_bandit_has_one_scale_or_one_for_every_arm():
    with pytest.raises(DataError, match=r"GaussianBandit: scale has shape \(3,\)"):
        GaussianBandit([0.0, 1.0], scale=[1.0, 2.0, 3.0])
    assert GaussianBandit([0.0, 1.0], scale=[2.0]).scale.tolist() == [2.0, 2.0]
