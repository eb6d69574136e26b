"""The moves of the solver: pairs that change, a dual objective that falls, prefixes that are fits of fewer steps, to the bit."""

import warnings

import numpy as np
import pytest

from novum.base.passes import PassRecorder
from novum.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

rng = np.random.default_rng(1)
X = rng.normal(size=(50, 2))
two = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=50) > 0).astype(int)
three = two + (X[:, 0] > 1)
y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=50)
MACHINES = [
    (SVC(C=5.0), (X, two)),
    (NuSVC(nu=0.4), (X, two)),
    (SVR(C=2.0), (X, y)),
    (NuSVR(nu=0.4), (X, y)),
    (OneClassSVM(nu=0.3), (X,)),
]


def fitted(model, data, *callbacks, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return type(model)(**{**model.get_params(), **options}).set_callbacks(*callbacks).fit(*data)


@pytest.mark.parametrize(("model", "data"), MACHINES, ids=lambda one: type(one).__name__)
def test_every_frame_is_the_fit_of_as_many_steps(model, data):
    frames, silent = PassRecorder(), fitted(model, data)
    watched = fitted(model, data, frames)
    assert np.array_equal(watched.dual_coef_, silent.dual_coef_)
    assert np.array_equal(watched.intercept_, silent.intercept_)
    assert np.array_equal(frames[-1].model.dual_coef_, silent.dual_coef_)
    for frame in frames[1 :: max(1, len(frames) // 6)]:
        cut = fitted(model, data, max_iter=frame.facts["steps"])
        assert np.array_equal(frame.model.dual_coef_, cut.dual_coef_)
        assert np.array_equal(frame.model.intercept_, cut.intercept_)
        assert np.array_equal(frame.model.duality_gap_, cut.duality_gap_)
        assert frame.facts["violation"] == pytest.approx(float(cut.kkt_violation_[0]), rel=1e-6, abs=1e-9)
        assert frame.objective == pytest.approx(float(cut.dual_objective_[0]), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("model", "data"), MACHINES, ids=lambda one: type(one).__name__)
def test_moves_are_pairs_and_the_dual_falls(model, data):
    frames = PassRecorder()
    fitted(model, data, frames)
    values = [frame.objective for frame in frames[1:]]
    assert np.all(np.diff(values) <= 1e-9 * np.abs(values[-1]))
    before = None
    for frame in frames[1:]:
        now = frame.facts["variables"]()
        assert len(frame.facts["rows"]) == 2
        if before is not None:
            changed = np.nonzero(now != before)[1]
            assert set(changed.tolist()) <= set(frame.facts["rows"].tolist())
            assert abs((now - before).sum()) < 1e-12
        before = now


def test_variables_are_the_coefficients():
    frames = PassRecorder()
    model = fitted(SVC(C=5.0), (X, two), frames)
    coefficient = np.zeros(50)
    coefficient[model.support_] = model.dual_coef_[0]
    np.testing.assert_array_equal(frames[-1].facts["variables"](), -coefficient[None])


def test_pairs_of_classes_are_runs():
    frames = PassRecorder()
    model = fitted(SVC(), (X, three), frames)
    for frame in frames[1:20]:
        assert set(three[frame.facts["rows"]]) <= {0, 1}
    assert [frame.run for frame in frames if frame.n_iter == 0] == [0, 1, 2]
    assert np.array_equal(frames[-1].model.decision_function(X), model.decision_function(X))


def test_a_callback_ends_the_steps():
    frames, short = PassRecorder(), PassRecorder(stop_at=7)
    fitted(SVC(C=5.0), (X, two), frames)
    stopped = fitted(SVC(C=5.0), (X, two), short)
    assert stopped.n_iter_.tolist() == [7]
    assert np.array_equal(stopped.dual_coef_, frames[7].model.dual_coef_)


def test_blocks_of_many_rows_say_theirs():
    many = rng.normal(size=(1500, 2))
    label = (many[:, 0] * many[:, 1] > 0).astype(int)

    class Light(PassRecorder):
        def on_fit_task_begin(self, estimator, context): ...

        def on_fit_task_end(self, estimator, context):
            return PassRecorder.on_fit_task_end(self, estimator, context)

    frames = Light()
    model = fitted(SVC(C=5.0), (many, label), frames)
    silent = fitted(SVC(C=5.0), (many, label))
    assert np.array_equal(model.dual_coef_, silent.dual_coef_)
    facts = frames[-1].facts
    assert len(frames) < 0.2 * facts["steps"] and len(frames[0].facts["rows"]) > 2
    assert frames[-1].objective == pytest.approx(float(model.dual_objective_[0]), rel=1e-5)
    assert np.count_nonzero(facts["variables"]()) == len(model.support_)


def test_a_hard_margin_is_one_task():
    apart = np.vstack([X + 10, X - 10])
    frames = PassRecorder()
    fitted(SVC(C=np.inf, kernel="linear"), (apart, np.repeat([0, 1], 50)), frames)
    assert not frames
