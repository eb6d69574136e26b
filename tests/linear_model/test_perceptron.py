"""The perceptron against the notes' numbers, its mistake bound, and the separability certificate."""

import numpy as np
import pytest
from artists import arrows, canvas, scatters, words
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier as SklearnSGD

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.linear_model import Hyperplane, Perceptron, is_linearly_separable, perceptron_mistake_bound

CORNERS = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
GATES = {"AND": [-1, -1, -1, 1], "OR": [-1, 1, 1, 1], "NAND": [1, 1, 1, -1], "XOR": [-1, 1, 1, -1]}


def trained(gate, **options):
    return Perceptron(shuffle=False, tol=None, **{"max_iter": 100, **options}).fit(CORNERS, GATES[gate])


def weights(unit):
    return np.append(unit.intercept_, unit.coef_)


@pytest.mark.notes("000-b", "perceptron-unit")
def test_the_unit_is_a_threshold_of_a_weighted_sum_in_either_coding():
    unit = trained("AND")
    fires = Perceptron(shuffle=False, tol=None).fit(CORNERS, [0, 0, 0, 1])
    assert_array_equal(unit.predict(CORNERS), np.where(CORNERS @ [3, 2] - 4 > 0, 1, -1))
    assert_array_equal(fires.predict(CORNERS), [0, 0, 0, 1])
    assert_array_equal(Hyperplane.from_estimator(unit).predict(CORNERS), GATES["AND"])


@pytest.mark.notes("000-b", "perceptron-stochastic")
@pytest.mark.notes("000-c", "perceptron-primal")
@pytest.mark.notes("004", "perceptron")
@pytest.mark.parametrize(
    "gate, w, updates, epochs", [("AND", (-4, 3, 2), 18, 9), ("OR", (-1, 2, 2), 9, 6), ("NAND", (4, -3, -2), 18, 9)]
)
def test_stochastic_rule(gate, w, updates, epochs):
    unit = trained(gate)
    assert_array_equal(weights(unit), w)
    assert (unit.n_updates_, unit.n_iter_, unit.converged_) == (updates, epochs, True)
    assert unit.history_["updates"][-1] == 0


@pytest.mark.notes("000-b", "perceptron-stochastic")
@pytest.mark.notes("004", "perceptron")
def test_xor_goes_round_in_circles():
    unit = trained("XOR")
    assert_array_equal(weights(unit), 0)
    assert unit.history_["updates"] == [4.0] * 100
    assert not unit.converged_


@pytest.mark.notes("000-b", "perceptron-batch")
@pytest.mark.parametrize("gate, w, updates", [("AND", (-3, 2, 2), 9), ("OR", (-1, 2, 2), 4), ("NAND", (3, -2, -2), 9)])
def test_batch_rule(gate, w, updates):
    unit = trained(gate, batch_size=None)
    assert_array_equal(weights(unit), w)
    assert unit.n_iter_ - 1 == updates  # every epoch but the clean one is an update


@pytest.mark.notes("000-b", "perceptron-batch")
def test_batch_on_xor_has_no_gradient_and_all_rows_wrong():
    unit = trained("XOR", batch_size=None, max_iter=7)
    assert_array_equal(weights(unit), 0)
    assert unit.history_["updates"] == [4.0] * 7
    assert not unit.converged_


@pytest.mark.notes("000-b", "minibatch-sgd")
def test_a_batch_sums_its_mistakes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.choice([-1, 1], 50)
    unit = Perceptron(shuffle=False, tol=None, max_iter=3, batch_size=7, eta0=0.5).fit(X, y)
    w, b = np.zeros(3), 0.0
    for _ in range(3):
        for start in range(0, 50, 7):
            part = slice(start, start + 7)
            wrong = y[part] * (X[part] @ w + b) <= 0
            w, b = w + 0.5 * (y[part] * wrong) @ X[part], b + 0.5 * (y[part] * wrong).sum()
    assert_allclose(weights(unit), np.append(b, w), rtol=1e-12)
    options = {"shuffle": False, "tol": None, "max_iter": 40, "batch_size": 7}
    labels = np.where(X[:, 0] > 0.3, 0, np.where(X[:, 1] > 0, 1, 2))
    alone = [list(Perceptron(**options).fit(X, labels == c).history_) for c in range(3)]
    longest = max(map(len, alone))
    assert min(map(len, alone)) < longest  # one is separable and ends early
    held = [one + [one[-1]] * (longest - len(one)) for one in alone]
    assert_allclose(Perceptron(**options).fit(X, labels).history_, np.mean(held, axis=0), rtol=1e-12)


@pytest.mark.notes("003", "perceptron")
@pytest.mark.parametrize("gate, w, updates", [("OR", (-1, 1, 1), 5), ("AND", (-3, 2, 1), 11)])
def test_ties_that_count_as_positive(gate, w, updates):
    unit = trained(gate, ties="positive")
    assert_array_equal(weights(unit), w)
    assert unit.n_updates_ == updates


@pytest.mark.notes("002", "perceptron")
def test_four_points():
    X, y = [[1.0, 1], [2, 2], [0, 0], [-1, 1]], [1, 1, -1, -1]
    unit = Perceptron(shuffle=False, tol=None, ties="positive").fit(X, y)
    assert_array_equal(weights(unit), [-1, 1, 1])
    assert (unit.n_updates_, unit.n_iter_) == (3, 3)


@pytest.mark.notes("003", "perceptron-convergence")
def test_separable_classes_end_within_the_bound_in_any_order():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    y = np.where(X @ [1.0, -2, 0.5] + 0.3 > 0, 1, -1)
    X, y = X[np.abs(X @ [1.0, -2, 0.5] + 0.3) > 0.2], y[np.abs(X @ [1.0, -2, 0.5] + 0.3) > 0.2]
    bound = perceptron_mistake_bound(X, y)
    given = perceptron_mistake_bound(X, y, plane=Hyperplane([1.0, -2, 0.5], 0.3))
    assert bound.bound <= given.bound
    assert_allclose(bound.margin, 1 / np.linalg.norm(np.append(bound.plane.coef, bound.plane.intercept)), rtol=1e-6)
    for seed in range(5):
        unit = Perceptron(random_state=seed, tol=None, max_iter=10_000).fit(X, y)
        assert unit.converged_ and unit.n_updates_ <= bound.bound
        assert_array_equal(unit.predict(X), y)
    assert perceptron_mistake_bound(CORNERS, GATES["XOR"]).bound == np.inf
    assert perceptron_mistake_bound(X, y, plane=Hyperplane([-1.0, 0, 0])).bound == np.inf
    through_zero = perceptron_mistake_bound([[1.0, 0], [-1, 0.5]], [1, 0], fit_intercept=False)
    assert through_zero.bound >= 1 and through_zero.plane.intercept == 0


@pytest.mark.notes("000-b", "linear-separability")
@pytest.mark.notes("002", "linear-separability")
@pytest.mark.notes("003", "perceptron-convergence")
@pytest.mark.parametrize("gate", GATES)
def test_certificates_of_the_gates(gate):
    answer = is_linearly_separable(CORNERS, GATES[gate])
    assert bool(answer) is (gate != "XOR")
    if answer:
        assert (answer.plane.functional_margin(CORNERS, GATES[gate]) > 0).all()
        assert answer.gap > 0
    else:
        y = np.array(GATES[gate])
        assert_allclose(answer.first_weights @ CORNERS[y < 0], answer.point, atol=1e-12)
        assert_allclose(answer.second_weights @ CORNERS[y > 0], answer.point, atol=1e-12)
        assert_allclose([answer.first_weights.sum(), answer.second_weights.sum()], 1)


@pytest.mark.notes("002", "linear-separability")
@pytest.mark.notes("000-b", "linear-separability")
@pytest.mark.parametrize("shift, separable", [(0.0, False), (9.0, True)])
def test_certificates_of_clouds_on_bad_scales(shift, separable):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.repeat([0, 1], 150)
    X[y == 1, 0] += shift
    X = X * [1e6, 1e-6, 1, 1] + [1e3, 0, 0, 5]
    answer = is_linearly_separable(X, y)
    assert answer.separable is separable
    if separable:
        assert (answer.plane.functional_margin(X, np.where(y, 1, -1)) > 0).all()
    else:
        deviation = X.std(axis=0)
        assert_allclose(
            answer.first_weights @ X[y == 0] / deviation, answer.second_weights @ X[y == 1] / deviation, atol=1e-8
        )


def test_separability_of_touching_and_wrong_input():
    assert not is_linearly_separable([[0.0], [1], [1], [2]], [0, 0, 1, 1])  # a shared point
    assert not is_linearly_separable([[1.0], [1]], [0, 1])
    with pytest.raises(DataError, match="3 different labels"):
        is_linearly_separable([[0.0], [1], [2]], [0, 1, 2])


def test_averaged_perceptron_is_the_mean_over_all_steps():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 3)), rng.choice([-1, 1], 40)
    unit = Perceptron(shuffle=False, tol=None, max_iter=4, average=True).fit(X, y)
    w, b, kept = np.zeros(3), 0.0, []
    for _ in range(4):
        for x, t in zip(X, y):
            if t * (x @ w + b) <= 0:
                w, b = w + t * x, b + t
            kept.append(np.append(b, w))
    assert_allclose(weights(unit), np.mean(kept, axis=0), rtol=1e-12, atol=1e-14)


def test_average_beats_the_last_weights_where_classes_overlap():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 10))
    y = (X @ rng.normal(size=10) + 2 * rng.normal(size=4000) > 0).astype(int)
    last, mean = (Perceptron(average=average, max_iter=5, tol=None).fit(X, y).score(X, y) for average in (False, True))
    assert mean > last + 0.02


@pytest.mark.notes("000-b", "perceptron-stochastic")
@pytest.mark.notes("000-c", "perceptron-primal")
@pytest.mark.notes("002", "perceptron")
@pytest.mark.notes("003", "perceptron")
@pytest.mark.notes("004", "perceptron")
@pytest.mark.parametrize("penalty", [None, "l2", "l1", "elasticnet"])
def test_equals_scikit_learn_in_the_order_of_the_rows(penalty):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 5)), rng.integers(3, size=150)
    options = {"shuffle": False, "tol": None, "max_iter": 5, "penalty": penalty, "class_weight": {0: 2.0, 1: 1, 2: 0.5}}
    ours, theirs = Perceptron(**options).fit(X, y), SklearnPerceptron(**options).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-12)
    assert ours.t_ == theirs.t_
    assert not ours.converged_ and ours.n_iter_ == 5  # three machines, none of them clean
    apart = np.vstack([np.eye(3) * 9, np.eye(3) * 8])
    clean = Perceptron(shuffle=False, tol=None, max_iter=40).fit(apart, [0, 1, 2, 0, 1, 2])
    assert clean.converged_ and clean.n_updates_ > 3
    mixed = Perceptron(shuffle=False, tol=None, max_iter=40).fit(
        np.vstack([apart, apart[:2]]), [0, 1, 2, 0, 1, 2, 1, 0]
    )
    assert not mixed.converged_  # the third class is clean, the others contradict themselves
    averaged = SklearnSGD(
        loss="perceptron", learning_rate="constant", eta0=1.0, **options | {"penalty": "l2"}, average=9
    )
    ours = Perceptron(**options | {"penalty": "l2"}, average=9).fit(X, y)
    assert_allclose(ours.coef_, averaged.fit(X, y).coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.notes("003", "fig-perceptron-step")
def test_one_correction_turns_the_boundary_toward_the_row():
    x, before = np.array([2.0, 0.5]), np.array([[-0.5, 1.0]])
    unit = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=1)
    unit.fit([x, x], [1, -1], coef_init=before, sample_weight=[1, 0])  # a row of weight zero only names its class
    assert_array_equal(unit.coef_, before + x)
    assert unit.n_updates_ == 1 and unit.decision_function([x])[0] == (before @ x)[0] + x @ x
    sides = []
    for ax, drawn, w in zip(canvas(1, 2), (before, unit.coef_), (before[0], before[0] + x)):
        assert Hyperplane(drawn).plot(ax, X=[x]) is ax
        boundary, foot = (line.get_xydata() for line in ax.lines)
        assert_allclose(boundary @ w, 0, atol=1e-12)
        assert_allclose(foot, [x - (x @ w) / (w @ w) * w, x])
        assert_allclose(scatters(ax)[0], [x])
        ((tail, head),) = arrows(ax)
        assert_allclose(np.cross([*(tail - head), 0], [*w, 0]), 0, atol=1e-12)
        sides.append(np.sign((x - foot[0]) @ (tail - head)))
    assert sides == [-1, 1]  # the row lay behind the boundary, and the correction puts it in front


def test_messages():
    with pytest.warns(NotConverged, match=r"Maximum number of iteration.*Perceptron\(max_iter=2"):
        Perceptron(max_iter=2).fit(np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 2)
    with pytest.raises(ParameterError, match="early_stopping should be False with partial_fit"):
        Perceptron(early_stopping=True).partial_fit(CORNERS, GATES["OR"], classes=[-1, 1])
    with pytest.raises(
        ParameterError, match=r"Provided coef_init does not match dataset: Perceptron.fit got shape \(3,\)"
    ):
        Perceptron().fit(CORNERS, GATES["OR"], coef_init=[1.0, 2, 3])


@pytest.mark.notes("000-b", "plot-neuron")
def test_the_unit_is_drawn_with_its_weights_and_bias():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])
    model = Perceptron(shuffle=False, tol=None, max_iter=50).fit(X, y)
    ax = model.plot(canvas())
    inputs = {t.get_text(): t.get_position() for t in ax.texts if t.get_position()[0] < 0.1 and t.get_text()}
    assert list(inputs) == ["1", "x0", "x1"]  # the constant input of the bias above the others
    for name, number in zip(inputs, (model.intercept_[0], *model.coef_[0])):
        height = inputs[name][1]
        written = [t for t in ax.texts if np.isclose(t.get_position(), (0.225, height + 0.3 * (0.5 - height))).all()]
        assert [t.get_text() for t in written] == [f"{number:.3g}"]  # a third of the way along its arrow
        assert any(np.allclose(tail, (0.12, height)) and np.allclose(head, (0.47, 0.5)) for tail, head in arrows(ax))
    assert "1: sum > 0\n0: else" in words(ax)
    with pytest.raises(DataError, match="draw one fitted to two classes"):
        Perceptron().fit(np.eye(3), [0, 1, 2]).plot()
    with pytest.raises(DataError, match="too many for a picture"):
        Perceptron().fit(np.eye(20), np.arange(20) % 2).plot()
