"""Networks with real nodes against the joint Gaussian written by hand, and against numerical integration."""

import numpy as np
import pytest
from scipy import stats

from novum.exceptions import DataError, ParameterError
from novum.graphical import BayesianNetwork, LinearGaussian


def chain():
    return BayesianNetwork(
        {"a": [], "b": ["a"], "c": ["a", "b"]},
        {
            "a": LinearGaussian(1, variance=2),
            "b": LinearGaussian(-1, {"a": 0.5}, 0.3),
            "c": LinearGaussian(0.2, {"b": -2, "a": 1}, 0.7),
        },
    )


def by_hand():
    mean = np.array([1, -0.5, 0.2 + 1 + 1.0])
    cov = np.zeros((3, 3))
    cov[0, 0] = 2
    cov[0, 1] = cov[1, 0] = 1
    cov[1, 1] = 0.5**2 * 2 + 0.3
    cov[0, 2] = cov[2, 0] = 2 - 2 * 1
    cov[1, 2] = cov[2, 1] = 1 - 2 * 0.8
    cov[2, 2] = 2 + 4 * 0.8 - 4 * 1 + 0.7
    return mean, cov


@pytest.mark.notes("002", "bayes-net")
def test_linear_gaussian_queries_equal_gaussian_algebra():
    network = chain()
    mean, cov = by_hand()
    whole = network.query(["a", "b", "c"])
    np.testing.assert_allclose(whole.mean, mean, atol=1e-14)
    np.testing.assert_allclose(whole.cov, cov, atol=1e-14)
    found = network.query(["a", "b"], {"c": 3.0})
    gain = cov[:2, 2] / cov[2, 2]
    np.testing.assert_allclose(found.mean, mean[:2] + gain * (3 - mean[2]), atol=1e-13)
    np.testing.assert_allclose(found.cov, cov[:2, :2] - np.outer(gain, cov[2, :2]), atol=1e-13)
    assert found.log_evidence == pytest.approx(stats.norm(mean[2], np.sqrt(cov[2, 2])).logpdf(3.0))
    rows = {"a": [0.1, np.nan, 1], "b": [1, 2, np.nan], "c": [0, np.nan, np.nan]}
    logs = network.score_samples(rows)
    assert logs[0] == pytest.approx(stats.multivariate_normal(mean, cov).logpdf([0.1, 1, 0]))
    assert logs[1] == pytest.approx(stats.norm(mean[1], np.sqrt(cov[1, 1])).logpdf(2))
    draws = network.sample(50_000, random_state=0).to_numpy()
    np.testing.assert_allclose(np.cov(draws.T), cov, atol=0.1)


def mixed():
    return BayesianNetwork(
        {"sex": [], "smokes": ["sex"], "height": ["sex"], "weight": ["height", "smokes"]},
        {
            "sex": [0.4, 0.6],
            "smokes": [[0.7, 0.3], [0.9, 0.1]],
            "height": LinearGaussian([178, 165], variance=[50, 40]),
            "weight": LinearGaussian([-80, -85], {"height": [0.9, 0.95]}, [30, 60]),
        },
        {"sex": ("m", "f")},
    )


def test_conditional_gaussian_queries_equal_sums_of_integrals():
    network = mixed()
    assert "4 variables (2 real), " in repr(network)
    grid = np.linspace(100, 250, 30_001)
    step = grid[1] - grid[0]

    def density(sex, smokes, weight):  # p(sex, smokes, weight), the height integrated out
        i, j = ("m", "f").index(sex), ("no", "yes").index(smokes)
        p = [0.4, 0.6][i] * [[0.7, 0.3], [0.9, 0.1]][i][j]
        height = stats.norm([178, 165][i], np.sqrt([50, 40][i])).pdf(grid)
        return (
            p
            * np.sum(height * stats.norm([-80, -85][j] + [0.9, 0.95][j] * grid, np.sqrt([30, 60][j])).pdf(weight))
            * step
        )

    cells = np.array([[density(s, k, 75.0) for k in ("no", "yes")] for s in ("m", "f")])
    found = network.query(["smokes", "sex"], {"weight": 75})
    np.testing.assert_allclose(found.p, cells.T / cells.sum(), atol=1e-10)
    assert found.log_evidence == pytest.approx(np.log(cells.sum()), abs=1e-10)
    height = network.query("height", {"weight": 75, "smokes": "yes"})
    joint = [
        [0.4, 0.6][i]
        * [0.3, 0.1][i]
        * stats.norm([178, 165][i], np.sqrt([50, 40][i])).pdf(grid)
        * stats.norm(-85 + 0.95 * grid, np.sqrt(60)).pdf(75)
        for i in (0, 1)
    ]
    p = sum(joint) / (np.sum(joint) * step)
    np.testing.assert_allclose(height.distribution.prob(grid[::1000]), p[::1000], atol=1e-9)
    assert float(height.mean) == pytest.approx(np.sum(p * grid) * step)
    assert network.query("sex", {"smokes": "yes"})["m"] == pytest.approx(0.12 / 0.18)
    logs = network.score_samples({"weight": [75.0, np.nan], "smokes": [None, "yes"]})
    np.testing.assert_allclose(logs, [np.log(cells.sum()), np.log(0.18)], atol=1e-10)
    rows = network.sample(20_000, random_state=1)
    assert list(rows.columns) == ["sex", "smokes", "height", "weight"]
    assert rows.loc[rows["sex"] == "m", "height"].mean() == pytest.approx(178, abs=0.4)


def test_json_keeps_real_nodes(tmp_path):
    network = mixed()
    network.write(tmp_path / "n.json")
    again = BayesianNetwork.read(tmp_path / "n.json")
    assert repr(again.query("height", {"weight": 75})) == repr(network.query("height", {"weight": 75}))
    with pytest.raises(ParameterError, match=r"'height' is a real variable; only \.json keeps those"):
        network.write(tmp_path / "n.bif")


def test_refusals():
    with pytest.raises(ParameterError, match="discrete node 'd' has the real parent 'x'"):
        BayesianNetwork([("x", "d")], {"x": LinearGaussian(0), "d": [[0.5, 0.5]]})
    with pytest.raises(ParameterError, match="has coefficients for nothing; its real parents are x"):
        BayesianNetwork([("x", "y")], {"x": LinearGaussian(0), "y": LinearGaussian(0)})
    with pytest.raises(ParameterError, match="variances must be > 0"):
        LinearGaussian(0, variance=-1)
    with pytest.raises(ParameterError, match="a constant has no parents"):
        BayesianNetwork([("a", "b")], {"a": LinearGaussian(0), "b": LinearGaussian(0, {"a": 1}, 0)})
    with pytest.raises(ParameterError, match="not for both at once"):
        mixed().query(["sex", "height"])
    with pytest.raises(ParameterError, match="must be a real number"):
        mixed().query("sex", {"weight": "heavy"})
    with pytest.raises(DataError, match="must hold numbers"):
        mixed().score_samples({"weight": ["a", "b"]})
