"""What a user meets around the samplers: results, complaints, errors with a remedy, interrupts."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest

from novum.distributions import Normal
from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError, ParameterTypeError
from novum.sampling import GibbsSampler, HamiltonianMonteCarlo, LogisticPosterior, MetropolisHastings, run_chains
from novum.sampling.chains import Chains

UNJUDGED = pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")  # short chains
SOON = 2.0  # seconds: one is what is promised, another for a machine that does something else as well


def normal(x):
    return -0.5 * float(x @ x), -x


def few(log_prob, gradient=True, start=2, **options):
    return HamiltonianMonteCarlo(log_prob, gradient, **options).sample(20, start=start, n_warmup=30, random_state=0)


@pytest.fixture(scope="module")
def chains():
    return HamiltonianMonteCarlo(normal, True).sample(1000, start=5, names={"mu": (), "theta": (2, 2)}, random_state=0)


def test_names_frames_and_text(chains):
    assert chains.labels == ("mu", "theta[0,0]", "theta[0,1]", "theta[1,0]", "theta[1,1]")
    assert chains["theta"].shape == (4, 1000, 2, 2) and len(chains) == 1000
    np.testing.assert_array_equal(chains["theta[1,0]"], chains["theta"][:, :, 1, 0])
    frame = chains.to_frame()
    assert frame.shape == (4000, 7) and frame["chain"].tolist()[::1000] == [0, 1, 2, 3]
    np.testing.assert_array_equal(frame["mu"], chains["mu"].ravel())
    text = repr(chains)
    assert text.startswith("HamiltonianMonteCarlo: 4 chains of 1,000 draws") and "ess_bulk" in text and "r_hat" in text
    assert "<table>" in chains._repr_html_()
    with pytest.raises(ParameterError, match=r"Chains\['nu'\]: no such name"):
        chains["nu"]


def test_traces_show_the_draws(chains):
    panels = chains.plot(names=["mu", "theta"])
    assert panels.shape == (5, 2)
    for k, line in enumerate(panels[0, 0].lines):
        np.testing.assert_array_equal(line.get_ydata(), chains["mu"][k])
    assert f"R-hat {chains.diagnosis.r_hat[0]:.3f}" in panels[0, 0].get_title()
    ax = panels[0, 1]
    assert chains.plot(ax=ax, names="theta[0,1]") is ax
    divergent = Chains(
        chains.draws[:, :, :1], {"mu": ()}, {"diverging": np.arange(1000) % 100 == np.zeros((4, 1))}, {}, 1.0
    )
    ticks = divergent.plot()[0, 0].lines[-1]
    assert ticks.get_xdata().tolist() == list(range(0, 1000, 100))
    assert len(chains.diagnosis.plot().lines[0].get_xdata()) == 5


@pytest.mark.peer
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_arviz_opens_them(chains, monkeypatch):
    monkeypatch.setitem(sys.modules, "tree", None)  # ArviZ would take tests/tree for a package of that name
    pytest.importorskip("arviz")
    data = chains.to_arviz()
    posterior, statistics = data["posterior"], data["sample_stats"]
    assert posterior["theta"].shape == (4, 1000, 2, 2)
    np.testing.assert_array_equal(posterior["mu"].values, chains["mu"])
    assert {"diverging", "energy", "lp", "tree_depth", "acceptance_rate"} <= set(statistics.data_vars)


def test_groups_without_arviz(chains):
    groups = chains.to_dict()
    assert set(groups) == {"posterior", "sample_stats"} and groups["posterior"]["theta"].shape == (4, 1000, 2, 2)
    assert {"diverging", "energy", "lp", "reached_max_treedepth"} <= set(groups["sample_stats"])


def test_checks_can_be_left_out():
    """No warning, which pytest would make an error, though ten draws are far too few; on request, the diagnosis says so."""
    gibbs = GibbsSampler({"x": lambda s, rng: rng.normal()})
    for drawn in (
        HamiltonianMonteCarlo(normal, True).sample(10, start=2, n_warmup=20, random_state=0, check=False),
        MetropolisHastings(lambda x: normal(x)[0]).sample(10, start=2, n_warmup=20, random_state=0, check=False),
        gibbs.sample(10, start={"x": 0.0}, n_warmup=0, random_state=0, check=False),
        run_chains(gibbs.step, {"x": 0.0}, 10, n_warmup=0, random_state=0, check=False),
    ):
        assert not drawn.diagnosis and drawn.diagnosis.complaints


def test_unmixed_chains_say_so():
    """Two islands far apart: every chain stays where it began."""

    def islands(x):
        return float(np.logaddexp(-0.5 * (x[0] - 20) ** 2, -0.5 * (x[0] + 20) ** 2))

    with pytest.warns(NotConverged, match=r"MetropolisHastings: the chains have not mixed: R-hat of x is"):
        MetropolisHastings(islands).sample(500, start=[[20.0], [-20.0], [20.0], [-20.0]], random_state=0)
    with pytest.warns(NotConverged, match="cut off at max_depth"):
        HamiltonianMonteCarlo(lambda x: (-0.5 * float(x @ (S * x)), -S * x), True, max_depth=2).sample(
            300, start=2, n_warmup=60, random_state=0
        )


S = np.array([1.0, 1e4])


@UNJUDGED
def test_densities_that_cannot_work_are_named():
    with pytest.raises(DataError, match=r"log_prob is NaN at the start \[0\. 0\.\]"):
        few(lambda x: (np.nan, x), start=[0.0, 0.0])
    with pytest.raises(DataError, match=r"-inf at the start .* start where the density is positive"):
        few(lambda x: (-np.inf, x), start=[0.0, 0.0])
    with pytest.raises(DataError, match=r"returned shape \(2,\) for x of shape \(2,\); a single number"):
        few(lambda x: (x, x), start=[0.5, 0.5])
    with pytest.raises(DataError, match=r"the gradient has shape \(3,\)"):
        few(lambda x: (0.0, np.zeros(3)))
    with pytest.raises(DataError, match="the gradient is not finite"):
        few(lambda x: (0.0, x * np.nan), start=[0.0, 0.0])
    with pytest.raises(ParameterTypeError, match=r"must return \(value, gradient\)"):
        few(lambda x: -0.5 * float(x @ x))
    with pytest.raises(DataError, match=r"theta has shape \(3,\); it has 2 numbers here: coef\[0\], intercept"):
        few(LogisticPosterior([[0.0], [1.0], [2.0]], [0, 1, 1]), start=3)
    with pytest.raises(ParameterTypeError, match="log_prob returned None"):
        MetropolisHastings(lambda x: None).sample(10, start=[0.0])
    with pytest.raises(ParameterTypeError, match="'gradient' parameter of HamiltonianMonteCarlo must be a callable"):
        few(normal, gradient="auto")
    with pytest.raises(ParameterTypeError, match="'log_prob' parameter of HamiltonianMonteCarlo must be a callable"):
        few(3)
    with pytest.raises(DataError, match="found no point of positive density"):
        few(lambda x: (-np.inf, x))
    with pytest.raises(DataError, match=r"log_prob is \+inf at"):
        few(lambda x: (np.inf if abs(x[0]) > 2.5 else 0.1 * x[0] ** 2, np.array([0.2 * x[0], 0])), start=[1.0, 1.0])
    with pytest.raises(DataError, match="one value per row of x"):
        few(lambda x: (0.0, x), vectorized=True)
    with pytest.raises(ZeroDivisionError):
        few(lambda x: 1 / 0, start=[0.0, 0.0])


@UNJUDGED
def test_a_value_may_be_an_array_of_one():
    options = {"start": [0.3], "n_warmup": 20, "random_state": 0}
    plain = MetropolisHastings(lambda x: -0.5 * float(x[0] ** 2)).sample(50, **options)
    np.testing.assert_array_equal(MetropolisHastings(lambda x: -0.5 * x**2).sample(50, **options).draws, plain.draws)
    assert MetropolisHastings(Normal(0, 1).log_prob).sample(50, **options).draws.shape == (4, 50, 1)


@UNJUDGED
def test_a_wrong_gradient_warns_and_offers_the_check():
    with pytest.warns(DataWarning, match=r"the gradient disagrees with log_prob .*check_gradient"):
        few(lambda x: (-0.5 * float(x @ x), x))
    with pytest.warns(DataWarning, match="the gradient disagrees"):
        few(lambda x: -0.5 * float(x @ x), lambda x: -x + np.array([0.3, 0.0]))


@UNJUDGED
def test_numbers_that_are_none_on_the_way_are_counted_aloud():
    def half(x):  # undefined below zero
        with np.errstate(invalid="ignore", divide="ignore"):
            return float(np.log(x[0]) - x[0]), np.array([1 / x[0] - 1])

    with pytest.warns(DataWarning, match=r"log_prob or its gradient was NaN at \d+ points, first at \[-"):
        few(half, start=[1.0])

    def overflow(x):
        import math

        if x[0] > 1:
            math.exp(1e4)
        return -0.5 * float(x @ x), -x

    with pytest.warns(DataWarning, match="NaN at"):
        few(overflow, start=[0.0])


@UNJUDGED
def test_a_density_that_changes_its_shape_or_fails_ends_the_run():
    calls = []

    def later(x):
        calls.append(0)
        return -0.5 * float(x @ x), (-x if len(calls) < 50 else np.zeros(7))

    with pytest.raises(ValueError, match="the gradient must have the shape of x"):
        few(later)

    def breaks(x):
        calls.append(0)
        if len(calls) > 100:
            raise RuntimeError("the user's own")
        return normal(x)

    with pytest.raises(RuntimeError, match="the user's own"):
        few(breaks)


def test_parameters_are_checked():
    sampler = HamiltonianMonteCarlo(normal, True)
    for options, words in [
        ({"metric": "full"}, "'metric' parameter of HamiltonianMonteCarlo must be a str among"),
        ({"target_accept": 1.0}, r"'target_accept' .* must be a float in the range \(0, 1\)"),
        ({"max_depth": 0}, r"'max_depth' .* must be an int in the range \[1, 20\]"),
        ({"max_depth": 21}, r"'max_depth' .* must be an int in the range \[1, 20\]"),
    ]:
        with pytest.raises(ParameterError, match=words):
            HamiltonianMonteCarlo(normal, True, **options).sample(5, start=2)
    for options, words in [
        ({}, "say where the chains begin"),
        ({"start": 0}, "at least 1"),
        ({"start": np.zeros((3, 2))}, "does not fit"),
        ({"start": [np.nan]}, "NaN or infinity"),
        ({"start": 2, "n_chains": 0}, "n_chains must be at least 1"),
        ({"start": 2, "thin": 0}, "thin must be at least 1"),
        ({"start": 2, "names": ["a"]}, "the names hold 1 number, but the start has 2"),
        ({"resume": 3}, "give the chains that HamiltonianMonteCarlo returned"),
    ]:
        with pytest.raises(ParameterError, match=words):
            sampler.sample(10, **options)
    for other in (MetropolisHastings(lambda k: 0.0, lambda k, rng: k), GibbsSampler({"x": lambda s, rng: 0.0})):
        with pytest.raises(ParameterError, match=r"resume=\.\.\.\): give the chains"):
            other.sample(10, resume=3)
    with pytest.raises(ParameterError, match="leave n_jobs=None"):
        HamiltonianMonteCarlo(lambda x: (-0.5 * (x * x).sum(1), -x), True, vectorized=True).sample(5, start=2, n_jobs=2)


def interrupted(kind: str) -> float:
    """Return the seconds from an interrupt in the middle of the draws to its end; what was drawn is kept and goes on."""

    def slow(x):
        time.sleep(1e-5)
        return normal(x)

    sampler = {
        "nuts": HamiltonianMonteCarlo(slow, True),
        "walk": MetropolisHastings(lambda x: slow(x)[0]),
        "gibbs": GibbsSampler({"x": lambda s, rng: rng.normal(size=2)}),
    }[kind]
    sent = []

    def send():
        time.sleep(1.0)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send).start()
    try:
        sampler.sample(10**6, start={"x": np.zeros(2)} if kind == "gibbs" else 2, n_warmup=50, random_state=0)
    except KeyboardInterrupt:
        seconds = time.monotonic() - sent[0]
        kept = sampler.interrupted_
        more = sampler.sample(10, resume=kept)
        assert len(more) == len(kept) + 10 > 20
        np.testing.assert_array_equal(more.draws[:, : len(kept)], kept.draws)
        return seconds
    raise AssertionError(f"{kind}: done before it was interrupted")


@pytest.mark.parametrize("kind", ["nuts", "walk", "gibbs"])
def test_an_interrupt_is_heard_and_keeps_what_was_drawn(kind):
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
    code += f"import test_chains; print(test_chains.interrupted({kind!r}))"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < SOON
