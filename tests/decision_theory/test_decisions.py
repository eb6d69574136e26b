"""Hypotheses, Bayes-optimal votes, expected loss, generative classifiers and full tables: the notes' numbers."""

import numpy as np
import pytest
from artists import canvas, contours, curves, points
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal, norm
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from novum.datasets import load_candy_bags
from novum.decision_theory import (
    BayesOptimalClassifier,
    GenerativeClassifier,
    HypothesisPosterior,
    JointTableClassifier,
    LossMatrixClassifier,
    expected_losses,
    least_loss,
)
from novum.distributions import Bernoulli, Beta, MultivariateNormal, Normal, NormalGamma, NormalInverseWishart
from novum.exceptions import DataError, ParameterError
from novum.naive_bayes import GaussianNB
from novum.teaching import plot_generative_vs_discriminative

NUMBERS = np.array([[1.0], [2], [3], [6], [8], [10], [8]])
LABELS = np.array([0, 0, 0, 1, 1, 1, 1])


def candy():
    bags = load_candy_bags()
    return HypothesisPosterior(
        bags.prior, np.column_stack([1 - bags.lime, bags.lime]), ["cherry", "lime"], bags.hypotheses
    )


@pytest.mark.notes("000-a", "prob-rules")
@pytest.mark.notes("001", "bayes-predictive")
@pytest.mark.notes("001", "map-ml-hypothesis")
@pytest.mark.notes("001", "posterior-plot")
def test_candy_bags():
    belief = candy()
    steps = [
        ((0.1, 0.2, 0.4, 0.2, 0.1), 0.5, "h3", 1.0),
        ((0, 0.1, 0.4, 0.3, 0.2), 0.65, "h3", 0.5),
        ((0, 0.038, 0.308, 0.346, 0.308), 0.730769, "h4", 0.325),
        ((0, 0.013, 0.211, 0.355, 0.421), 0.796053, "h5", 0.2375),
    ]
    for posterior, lime, best, evidence in steps:
        assert_allclose(belief.posterior, posterior, atol=6e-4)
        assert_allclose(belief.predictive("lime"), lime, atol=5e-7)
        assert belief.map == best
        assert_allclose(np.exp(belief.log_evidence), evidence)
        belief = belief.update("lime")
    three = candy().update(["lime"] * 3)
    assert three.map_predictive() == {"cherry": 0.0, "lime": 1.0} and three.predict() == "lime"
    ten = candy().update(["lime"] * 10)
    assert_allclose(ten.posterior, [0, 0, 0.0035, 0.1009, 0.8956], atol=6e-5)
    assert_allclose(ten.predictive("lime"), 0.97303, atol=5e-6)
    assert ten.ml == "h5" and candy().update(["lime", "cherry"]).ml == "h3"
    assert (candy().update(["lime"]).ml, candy().update(["lime"]).map) == ("h5", "h3")  # the prior parts them
    drawn, bags = curves(ten.plot(canvas())), load_candy_bags()
    worth = np.asarray(bags.prior) * np.asarray(bags.lime) ** np.arange(11)[:, None]  # prior times lime^n
    for k, name in enumerate(bags.hypotheses):
        assert_allclose(drawn[name], np.column_stack([np.arange(11), worth[:, k] / worth.sum(1)]), atol=1e-12)
    with pytest.raises(DataError, match="impossible under every hypothesis"):
        HypothesisPosterior([1.0], [[0.0, 1.0]]).update([0])
    with pytest.raises(DataError, match="'mint' is no outcome"):
        candy().update("mint")


@pytest.mark.notes("001", "bayes-rule")
@pytest.mark.notes("002", "bayes-rule")
@pytest.mark.notes("003", "bayes-rule")
def test_bayes_rule():
    belief = HypothesisPosterior(
        [0.01, 0.99], lambda positive: [0.9, 0.05] if positive else [0.1, 0.95], None, ["H", "not"]
    )
    after = belief.update([True])
    assert_allclose(after.posterior[0], 0.1538462, atol=5e-8)
    assert_allclose(np.exp(after.log_evidence), 0.01 * 0.9 + 0.99 * 0.05)
    assert_allclose(after.update([False]).posterior, belief.update([False, True]).posterior)


@pytest.mark.notes("001", "bayes-optimal")
def test_vote_against_the_most_probable_hypothesis():
    says = lambda label: lambda X: np.full(len(X), label)  # noqa: E731
    plus = lambda X: np.tile([0.5, 0.5], (len(X), 1))  # noqa: E731
    model = BayesOptimalClassifier([plus, plus, plus], prior=[0.4, 0.3, 0.3]).fit(np.zeros((2, 1)), ["+", "-"])
    assert_allclose(model.posterior_, [0.4, 0.3, 0.3])
    model.hypotheses_ = [says("+"), says("-"), says("-")]
    assert_allclose(model.predict_proba([[0.0]]), [[0.4, 0.6]])
    assert model.predict([[0.0]])[0] == "-" and model.predict_map([[0.0]])[0] == "+"


def test_fitted_hypotheses_and_further_rows():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-1, 1, (60, 2)), rng.normal(1, 1, (60, 2))])
    y = np.repeat(["a", "b"], 60)
    hypotheses = [GaussianNB().fit(X[::2], y[::2]), DummyClassifier().fit(X, y)]
    model = BayesOptimalClassifier(hypotheses).fit(X[1::2], y[1::2])
    logs = [np.log(h.predict_proba(X[1::2])[np.arange(60), (y[1::2] == "b").astype(int)]).sum() for h in hypotheses]
    assert_allclose(np.log(model.posterior_[0] / model.posterior_[1]), logs[0] - logs[1], rtol=1e-9)
    belief = model.belief().update([(X[0], "a")])
    assert belief.n_observations == 1
    with pytest.raises(ParameterError, match="2 probabilities with sum 1"):
        BayesOptimalClassifier(hypotheses, prior=[1.0]).fit(X, y)


@pytest.mark.notes("003", "bayes-workflow")
@pytest.mark.notes("002", "loss-matrix-decision")
@pytest.mark.notes("004", "expected-loss-decision")
@pytest.mark.notes("002", "bayes-decision")
@pytest.mark.notes("000-b", "bayes-decision")
@pytest.mark.notes("001", "class-posterior")
@pytest.mark.notes("004", "bayes-classifier")
def test_losses():
    assert_allclose(expected_losses([[0.02, 0.98]], [[0, 100], [1, 0]]), [[0.98, 2.0]])
    assert least_loss([[0.02, 0.98]], [[0, 100], [1, 0]]).position[0] == 0
    y = np.array(["cancer"] + ["healthy"] * 99)
    model = LossMatrixClassifier(DummyClassifier(), loss=[[0, 1000], [1, 0]]).fit(np.zeros((100, 1)), y)
    assert_allclose(model.expected_loss([[0.0]]), [[0.99, 10]])
    assert model.predict([[0.0]])[0] == "cancer"
    assert_allclose(1 - model.threshold(), 1 / 1001)
    L, p = np.array([[1.0, 7.0], [4.0, 2.0]]), 0.3
    general = LossMatrixClassifier(DummyClassifier(strategy="prior"), loss=L).fit(np.zeros((10, 1)), [0] * 7 + [1] * 3)
    assert_allclose(general.expected_loss([[0.0]]), [[0.7 * 1 + p * 4, 0.7 * 7 + p * 2]])
    assert_allclose(general.threshold(), 6 / 8)  # both decisions cost the same there
    assert_allclose(*expected_losses([[0.25, 0.75]], L)[0])
    plain = LossMatrixClassifier().fit(NUMBERS, LABELS)
    inner = GaussianNB().fit(NUMBERS, LABELS)
    assert (plain.predict(NUMBERS) == inner.predict(NUMBERS)).all()
    found = least_loss(inner.predict_proba(NUMBERS), 1 - np.eye(2))
    assert_allclose(
        found.risk, 1 - inner.predict_proba(NUMBERS).max(axis=1), atol=1e-15
    )  # the probability of a mistake
    unsure = LossMatrixClassifier(inner, fitted=True, reject_cost=0.05).fit(NUMBERS, LABELS)
    assert unsure.predict([[2.0], [4.2], [8.0]]).tolist() == [0, -1, 1]
    refused = least_loss([[0.9, 0.1], [0.6, 0.4]], 1 - np.eye(2), reject_cost=0.2)
    assert refused.position.tolist() == [0, -1]
    assert_allclose(refused.risk, [0.1, 0.2], rtol=1e-14)  # who refuses pays for that
    words = LossMatrixClassifier(reject_cost=0.0, reject_label="ask").fit(NUMBERS, np.array(["no", "yes"])[LABELS])
    assert "ask" in words.predict([[4.2]])
    with pytest.raises(ParameterError, match="in the order"):
        LossMatrixClassifier(loss=[[0, 1]]).fit(NUMBERS, LABELS)


@pytest.mark.notes("004", "bayes-classifier")
@pytest.mark.notes("000-a", "generative-classifier")
@pytest.mark.notes("000-a", "bayes-plugin-classifier")
@pytest.mark.notes("002", "generative-classifier")
def test_generative_numbers():
    model = GenerativeClassifier().fit(NUMBERS, LABELS)
    assert_allclose(model.class_prior_, [3 / 7, 4 / 7])
    assert_allclose([float(one.var[0] if one.var.ndim else one.var) for one in model.distributions_], [2 / 3, 2])
    assert_allclose(model.predict_proba([[4.0], [4.5]]), [[0.779306, 0.220694], [0.203692, 0.796308]], atol=5e-7)
    assert_allclose(model.score_samples([[4.0]]), np.log(np.exp(model.predict_joint_log_proba([[4.0]])).sum(1)))
    far = model.predict_joint_log_proba([[1e3], [-500.0]])  # densities that are no numbers any more
    assert far.max() < -1e4
    assert_allclose(model.score_samples([[1e3], [-500.0]]), np.logaddexp.reduce(far, axis=1), rtol=1e-12)
    given = GenerativeClassifier(
        {0: Normal(2.0, 2 / 3), 1: Normal(8.0, 2.0)}, estimation="given", class_prior=[3 / 7, 4 / 7]
    ).fit(NUMBERS, LABELS)
    assert_allclose(given.predict_proba([[4.0]]), model.predict_proba([[4.0]]))
    rows, labels = model.sample(500, random_state=0)
    assert abs(rows[labels == 1].mean() - 8) < 0.3 and abs((labels == 1).mean() - 4 / 7) < 0.1
    assert_allclose(model.log_odds([[4.0]]), np.log(0.220694 / 0.779306), atol=1e-5)


def test_estimation_by_posterior():
    X, y = np.array([[0.0], [0], [1], [1], [1]]), [0, 0, 0, 1, 1]
    bayes = GenerativeClassifier(Bernoulli, estimation="bayes", prior=Beta(1, 1)).fit(X, y)
    assert_allclose(np.exp(bayes.predict_joint_log_proba([[1.0]])), [[0.6 * 2 / 5, 0.4 * 3 / 4]])
    mode = GenerativeClassifier("bernoulli", estimation="map", prior=Beta(2, 2)).fit(X, y)
    assert_allclose(np.exp(mode.predict_joint_log_proba([[1.0]])), [[0.6 * 2 / 5, 0.4 * 3 / 4]])
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)) + 3 * np.repeat([[0, 0], [1, 1]], 20, axis=0), np.repeat([0, 1], 20)
    prior = NormalInverseWishart(np.zeros(2), 1.0, 4.0, np.eye(2))
    model = GenerativeClassifier(MultivariateNormal, estimation="bayes", prior=prior).fit(X, y)
    for c in (0, 1):
        expected = prior.update(X[y == c], MultivariateNormal).predictive().log_prob(X) + np.log(0.5)
        assert_allclose(model.predict_joint_log_proba(X)[:, c], expected, rtol=1e-9)
    student = GenerativeClassifier(Normal, estimation="bayes", prior=NormalGamma(0, 1, 1, 1)).fit(X, y)
    single = NormalGamma(0, 1, 1, 1).update(X[y == 1][:, 1], Normal).predictive()
    assert_allclose(student.distributions_[1].log_prob(X)[:, 1], single.log_prob(X[:, 1]), rtol=1e-9)
    with pytest.raises(ParameterError, match="give the conjugate prior of Normal"):
        GenerativeClassifier(estimation="map").fit(X, y)
    each = GenerativeClassifier({0: "normal", 1: "multivariate_normal"}).fit(X, y)
    assert [type(one).__name__ for one in each.distributions_] == ["Normal", "MultivariateNormal"]


@pytest.mark.notes("002", "full-table-classifier")
def test_full_table():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]])
    y = [0, 1, 1, 0, 1]
    plain = JointTableClassifier(alpha=0).fit(X, y)
    assert_allclose(plain.predict_proba(X), [[1, 0], [0, 1], [0, 1], [0.5, 0.5], [0.5, 0.5]])
    assert plain.parameter_count() == 1 + 2 * (2**2 - 1)
    assert_allclose(plain.table_.probability({"class": 1, "x0": 1, "x1": 1}), 0.2)
    smooth = JointTableClassifier().fit(X, y)
    assert_allclose(np.exp(smooth.predict_joint_log_proba([[0, 0]])), [[2 / 13, 1 / 13]])
    unseen = JointTableClassifier(alpha=0, min_categories=3).fit(X, y)
    assert_allclose(unseen.predict_proba([[2, 2]]), [[0.4, 0.6]])
    with pytest.raises(DataError, match="categories are 0 to 1"):
        plain.predict([[2, 0]])
    with pytest.raises(DataError, match="use CategoricalNB"):
        JointTableClassifier().fit(np.full((2, 12), 9), [0, 1])


@pytest.mark.notes("000-a", "fig-disc-vs-gen")
@pytest.mark.notes("000-b", "plot-generative-vs-discriminative")
def test_pictures():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)) + 2 * np.repeat([[0, 0], [1, 1]], 30, axis=0), np.repeat([0, 1], 30)
    model, rival = GenerativeClassifier("multivariate_normal").fit(X, y), LogisticRegression().fit(X, y)
    left, right = plot_generative_vs_discriminative(model, rival, X, y, ax=canvas(1, 2))
    assert left.get_title() == "discriminative" and right.get_title() == "generative"
    reach = np.ptp(X, axis=0) / 10  # a tenth of their range around the rows
    for ax in (left, right):
        assert_allclose(ax.get_xlim(), [X[:, 0].min() - reach[0], X[:, 0].max() + reach[0]])
        assert_allclose(ax.get_ylim(), [X[:, 1].min() - reach[1], X[:, 1].max() + reach[1]])
    w, b = rival.coef_[0], rival.intercept_[0]
    border = contours(left)[0.0]
    assert np.ptp(border, axis=0).max() > 3
    assert_allclose((border @ w + b) / np.linalg.norm(w), 0, atol=0.05)
    for c in (0, 1):
        assert_allclose(points(left, str(c)), X[y == c])
        assert_allclose(points(right, str(c)), X[y == c])
        distribution = multivariate_normal(X[y == c].mean(0), np.cov(X[y == c].T, bias=True))
        for level, ring in contours(right, c).items():
            assert_allclose(0.5 * distribution.pdf(ring), level, atol=2e-3)  # p(x, c)
    three = np.repeat([0, 1, 2], 20)
    rows = X + 2 * np.array([[0, 0], [2, 0], [0, 2]])[three]
    rival, model = LogisticRegression().fit(rows, three), GenerativeClassifier("multivariate_normal").fit(rows, three)
    left = plot_generative_vs_discriminative(model, rival, rows, three, ax=canvas(1, 2))[0]
    at = np.concatenate([contours(left, k)[0.0] for k in (0, 1)])
    ranked = np.sort(rival.predict_proba(at), axis=1)
    assert_allclose(ranked[:, 2], ranked[:, 1], atol=0.03)  # the two likeliest of three classes
    drawn = curves(GenerativeClassifier().fit(NUMBERS, LABELS).plot(ax=canvas()))
    for c in (0, 1):
        x, height = drawn[str(c)].T
        mine = NUMBERS[c == LABELS, 0]
        assert_allclose(height, len(mine) / 7 * norm.pdf(x, mine.mean(), mine.std()), rtol=1e-9)
    with pytest.raises(DataError, match="two columns"):
        plot_generative_vs_discriminative(model, model, NUMBERS, LABELS)


def test_data_outside_of_memory_are_refused():
    da = pytest.importorskip("dask.array")
    X, y = np.zeros((20, 2)), np.arange(20) % 2
    with pytest.raises(DataError, match="X must be in memory, not in a Dask collection"):
        BayesOptimalClassifier().fit(da.from_array(X, chunks=10), da.from_array(y, chunks=10))
