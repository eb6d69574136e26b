"""The chains: every step against Metropolis' rule and Gibbs' conditionals written out, R-hat against its formula."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from scipy.stats import norm, rankdata

STATES = [{"steps": 60}, {"density": "ridge", "rho": -0.5, "scale": 3.0, "steps": 40, "seed": 2}]
STATES += [{"density": "hills", "apart": 1.5, "steps": 50, "starts": [[2, 2], [2, 1], [1, 2], [0, 0]]}]
GIBBS = [{"density": "ridge", "rho": 0.8, "steps": 30}, {"density": "hills", "apart": 2.0, "steps": 30, "seed": 1}]


def density(s):
    """Return the density up to a constant."""
    if s.density == "banana":
        return lambda x, y: norm.pdf(x, scale=2) * norm.pdf(y, x**2 / 4 - 2, 0.5)
    if s.density == "ridge":
        return lambda x, y: norm.pdf(x) * norm.pdf(y, s.rho * x, np.sqrt(1 - s.rho**2))
    return lambda x, y: sum(norm.pdf(x, a) * norm.pdf(y, a) for a in (s.apart, -s.apart))


def draws(run):
    chains, n = run.last.arrays["chains"], run.last.n
    return np.stack([run.last.arrays["draws"][chains == k].reshape(n, 2) for k in range(4)]).astype(float)


@pytest.mark.parametrize("state", STATES)
def test_every_step_is_metropolis_rule(state):
    run = run_of("mcmc", **state)
    s, p = run.state, density(run.state)
    taken, at = 0, [np.array(one, float) for one in s.starts]
    rngs = [np.random.default_rng([s.seed, k]) for k in range(4)]
    for n in range(1, s.steps + 1):
        for k in range(4):
            new = at[k] + s.scale * rngs[k].normal(size=2)
            chance = min(1.0, p(*new) / p(*at[k]))
            accepted = rngs[k].random() < chance
            if k == 0:
                say, said = run.at(n).say
                assert said["chance"] == pytest.approx(chance, rel=1e-9)
                assert (say == "taken") == accepted
                assert run.at(n).arrays["lines"][1]["p"][1] == pytest.approx(new.tolist(), rel=1e-12)
            at[k] = new if accepted else at[k]
            taken += accepted
        assert run.at(n).values["acceptance"] == pytest.approx(taken / (4 * n), rel=1e-12)
        assert np.stack([run.at(n).arrays[f"trace{k}"][-1] for k in range(4)]) == pytest.approx(
            np.stack(at)[:, 0], rel=1e-6
        )


@pytest.mark.parametrize("state", GIBBS)
def test_gibbs_draws_a_coordinate_given_the_other(state):
    run = run_of("mcmc", sampler="gibbs", **state)
    s = run.state
    rng, (x, y) = np.random.default_rng([s.seed, 0]), s.starts[0]

    def draw(other):
        if s.density == "ridge":
            return norm.ppf(0.5) + s.rho * other + np.sqrt(1 - s.rho**2) * rng.normal()
        weights = norm.pdf(other, s.apart), norm.pdf(other, -s.apart)
        return (s.apart if rng.random() < weights[0] / sum(weights) else -s.apart) + rng.normal()

    for n in range(1, s.steps + 1):
        x = draw(y)
        y = draw(x)
        assert run.at(n).arrays["lines"][1]["p"][2] == pytest.approx([x, y], rel=1e-9, abs=1e-12)
    assert run.last.values["acceptance"] == 1.0


def r_hat(x):
    """Return the larger of the R-hats of ranks and of folded ranks, chains split in halves (Vehtari et al. 2021)."""
    half = x.shape[1] // 2
    split = np.concatenate([x[:, :half], x[:, -half:]])

    def of(values):
        z = norm.ppf((rankdata(values).reshape(values.shape) - 0.375) / (values.size + 0.25))
        within, between = z.var(axis=1, ddof=1).mean(), z.mean(axis=1).var(ddof=1)
        return np.sqrt((within * (half - 1) / half + between) / within)

    return max(of(split), of(np.abs(split - np.median(split))))


@pytest.mark.parametrize("state", [*STATES, {"sampler": "gibbs", **GIBBS[0]}])
def test_r_hat_is_its_formula(state):
    run = run_of("mcmc", **state)
    assert run.last.values["r_hat"] == pytest.approx(r_hat(draws(run)[:, :, 0]), rel=1e-4)
    assert run.at(3).values["r_hat"] is None


def test_far_hills_are_noticed_from_starts_on_both_and_not_from_one():
    both = run_of("mcmc", density="hills", apart=4.0)
    one = run_of("mcmc", density="hills", apart=4.0, starts=[[4, 4], [3, 4], [4, 3], [3, 3]])
    assert both.last.values["r_hat"] > 1.5 > 1.2 > one.last.values["r_hat"]


def test_gibbs_on_the_banana_is_refused():
    assert refusal_of("mcmc", sampler="gibbs")[1] == "sampler"
