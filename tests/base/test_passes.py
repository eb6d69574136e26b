"""What a fit says of its passes: starts, objectives of the same moment, the steps of learners that take many."""

import numpy as np
import pytest

from novum.base.passes import Frame, PassRecorder
from novum.base.progress import ProgressBar
from novum.cluster import KMeans
from novum.decomposition import FactorAnalysis, ProbabilisticPCA
from novum.linear_model import (
    ARDRegression,
    BayesianRidge,
    HuberRegressor,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    SGDRegressor,
)
from novum.mixture import GaussianMixture
from novum.runtime.sklearn_private import FitCallback
from novum.sequence import LinearDynamicalSystem

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3)) + np.repeat([[0.0, 0, 0], [4.0, 0, 0]], 30, axis=0)
line = X @ [1.0, -2.0, 0.5] + rng.normal(size=60)
two = (X[:, 0] + 0.5 * rng.normal(size=60) > 2).astype(int)


def recorded(model, *data, **options):
    frames = PassRecorder(**options)
    return model.set_callbacks(frames).fit(*data), frames


def test_the_recorder_is_a_callback_and_forgets_the_fit_before():
    frames = PassRecorder()
    assert isinstance(frames, FitCallback)
    model = KMeans(2, init=X[:2]).set_callbacks(frames).fit(X)
    count = len(frames)
    model.fit(X)
    assert len(frames) == count == model.n_iter_ + 1
    assert isinstance(frames[1], Frame) and [frame.n_iter for frame in frames[:2]] == [0, 1]
    assert repr(frames) == f"PassRecorder(stop_at=None), {count} frames"


def test_inertia_belongs_to_the_centers_beside_it():
    _, frames = recorded(KMeans(2, init=X[:2], tol=0), X)
    assert np.array_equal(frames[0].model.cluster_centers_, X[:2])
    for frame in frames[:-1]:
        square = ((X[:, None] - frame.model.cluster_centers_) ** 2).sum(axis=2).min(axis=1)
        assert frame.objective == pytest.approx(square.sum(), rel=1e-13)


def test_log_likelihood_belongs_to_the_mixture_beside_it():
    _, frames = recorded(GaussianMixture(2, random_state=0, reg_covar=0.0, tol=1e-9), X)
    for frame in frames[:-1]:
        assert frame.objective == pytest.approx(frame.model.score(X), rel=1e-12)


def test_log_loss_belongs_to_the_weights_that_left_the_pass():
    _, frames = recorded(LogisticRegression(C=np.inf), X, two)
    for frame in frames[1:]:
        p = frame.model.predict_proba(X)[np.arange(60), two]
        assert frame.objective == pytest.approx(-np.log(p).mean(), rel=1e-9)


def test_log_evidence_is_that_of_the_history_and_copies_predict():
    model, frames = recorded(BayesianRidge(), X, 1000 * line)
    assert [frame.objective for frame in frames[:-1]] == list(model.history_)[:-1]
    assert frames[-1].model.predict(X[:2], return_std=True)[1].shape == (2,)
    model, frames = recorded(ARDRegression(), X, line)
    assert np.array_equal(frames[-1].model.predict(X), model.predict(X))
    assert [frame.objective for frame in frames[1:]] == list(model.history_)


@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_linear_dynamical_systems_take_all_their_passes(max_iter):
    series = np.cumsum(rng.normal(size=(40, 1)), axis=0)
    with pytest.warns(Warning, match="still rose"):
        model, frames = recorded(LinearDynamicalSystem(1, max_iter=max_iter, tol=0), series)
    assert [frame.n_iter for frame in frames] == list(range(max_iter + 1))
    assert [frame.objective for frame in frames[1:]] == list(model.history_)[1:]
    for frame in frames[1:]:
        assert frame.model.score(series) == pytest.approx(frame.objective, rel=1e-12)
    with pytest.warns(Warning, match="still rose"):
        LinearDynamicalSystem(1, max_iter=max_iter, tol=0).set_callbacks(ProgressBar()).fit(series)


@pytest.mark.parametrize("cls", [FactorAnalysis, ProbabilisticPCA])
def test_factors_with_gaps_have_copies_that_transform(cls):
    gaps = X.copy()
    gaps[::7, 1] = np.nan
    model, frames = recorded(cls(1, tol=1e-6), gaps)
    assert np.array_equal(frames[-1].model.transform(gaps), model.transform(gaps))
    assert frames[0].model.transform(gaps).shape == (60, 1)


def test_the_number_of_factors_by_bic_is_tried_in_runs():
    gaps = X.copy()
    gaps[::7, 1] = np.nan
    _, frames = recorded(ProbabilisticPCA("bic", max_iter=50, tol=1e-4), gaps)
    assert {frame.run for frame in frames} == {0, 1, 2}
    assert {frame.model.n_components_ for frame in frames} == {0, 1, 2}


def test_steps_of_newton_end_where_silent_fits_end():
    counts = np.round(np.exp(0.3 * X[:, 0]))
    for cls, y in ((PoissonRegressor, counts), (HuberRegressor, line)):
        model, frames = recorded(cls(), X, y)
        silent = cls().fit(X, y)
        assert np.array_equal(model.coef_, silent.coef_) and model.n_iter_ == silent.n_iter_
        assert np.array_equal(frames[-1].model.coef_, model.coef_)
        assert np.all(np.diff([frame.objective for frame in frames[1:]]) <= 1e-12)


@pytest.mark.parametrize("options", [{}, {"batch_size": 7}, {"shuffle": False}])
def test_updates_of_a_perceptron_are_its_rule(options):
    model, frames = recorded(Perceptron(max_iter=6, tol=None, **options), X, two)
    sign = np.where(two == 1, 1.0, -1.0)
    augmented = np.column_stack([X, np.ones(60)])
    line_now = np.zeros(4)
    for frame in frames[1:]:
        updates = frame.facts["updates"]()
        for update in updates:
            assert np.array_equal(update.before, line_now)
            wrong = [row for row in update.rows if sign[row] * (augmented[row] @ line_now) <= 0]
            np.testing.assert_allclose(update.after, line_now + sign[wrong] @ augmented[wrong], rtol=1e-13, atol=1e-13)
            line_now = update.after
        assert np.array_equal(np.append(frame.model.coef_, frame.model.intercept_), line_now)
    assert model.n_updates_ == sum(len(update.rows) for f in frames[1:] for update in f.facts["updates"]()) or options


def test_updates_of_several_machines_name_theirs():
    classes = np.arange(60) % 3
    model, frames = recorded(Perceptron(max_iter=2, tol=None), X, classes)
    last = {}
    for update in frames[-1].facts["updates"]():
        last[update.machine] = update.after
    for machine, values in last.items():
        assert np.array_equal(values, np.append(model.coef_[machine], model.intercept_[machine]))


def test_epochs_say_the_objective_that_was_measured_on_the_way():
    model, frames = recorded(SGDRegressor(max_iter=4, tol=None, random_state=0), X, line)
    assert [frame.objective for frame in frames[1:]] == list(model.history_)
    seen = []

    class Listen(PassRecorder):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            seen.append(getattr(context, "objective_of", None))

    SGDRegressor(max_iter=2, tol=None, random_state=0).set_callbacks(Listen()).fit(X, line)
    assert seen == ["during", "during", None]


def test_the_end_of_a_fit_has_what_was_learned_also_of_the_best_of_several_starts():
    ends = []

    class Listen(PassRecorder):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            if context.parent is None:
                ends.append(fitted_estimator)

    model = KMeans(4, n_init=5, init="random", random_state=0).set_callbacks(Listen()).fit(X)
    assert ends[0].inertia_ == model.inertia_
    assert np.array_equal(ends[0].labels_, model.labels_) and ends[0] is not model


def test_a_failing_fit_tears_down_and_leaves_nothing():
    class Fails(PassRecorder):
        torn = 0

        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            raise RuntimeError("no")

        def teardown(self, estimator, context):
            self.torn += 1

    callback = Fails()
    model = KMeans(2, random_state=0).set_callbacks(callback)
    with pytest.raises(RuntimeError, match="no"):
        model.fit(X)
    assert callback.torn == 1 and not hasattr(model, "cluster_centers_")
    assert "_callback_fit_ctx" not in vars(model)
