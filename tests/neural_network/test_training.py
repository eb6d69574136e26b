"""The loop that all networks on PyTorch share: curves that repeat, checkpoints, averages, schedules, early stopping."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from novum.exceptions import DataError, FileFormatError, ParameterError
from novum.neural_network.training.steps import fall, rate_at

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.filterwarnings("ignore:.*the network is worse than none"),  # few epochs are enough here
]

from novum.neural_network import MultiTaskNetwork, TorchClassifier, TorchRegressor  # noqa: E402
from novum.neural_network.training.steps import Average  # noqa: E402


def network(n_features, n_outputs):
    from torch import nn

    return nn.Sequential(nn.Linear(n_features, 16), nn.Tanh(), nn.Dropout(0.1), nn.Linear(16, n_outputs))


def plain(n_features, n_outputs):
    return torch.nn.Sequential(torch.nn.Linear(n_features, n_outputs))


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def moons():
    from sklearn.datasets import make_moons

    return make_moons(400, noise=0.2, random_state=0)


OPTIONS = {"learning_rate": 0.01, "max_epochs": 12, "batch_size": 32, "random_state": 3}


def test_a_seed_repeats_everything_and_leaves_the_users_generator_alone(moons):
    X, y = moons
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    first, second = (TorchClassifier(network, **OPTIONS).fit(X, y) for _ in range(2))
    assert_array_equal(torch.random.get_rng_state(), before)
    assert first.history_.objective == second.history_.objective
    assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    other = TorchClassifier(network, **{**OPTIONS, "random_state": 4}).fit(X, y)
    assert other.history_.objective != first.history_.objective


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"optimizer": "momentum", "schedule": "cosine", "warmup_steps": 20},
        {"optimizer": "adagrad", "validation_fraction": 0.2, "averaging": 0.95},
        {"optimizer": "rmsprop", "schedule": "plateau", "clip_norm": 0.1, "patience": 4, "tol": 0.02},
        {"optimizer": "adamw", "weight_decay": 0.1, "schedule": "linear"},
    ],
)
def test_a_training_goes_on_from_a_file_to_the_same_curve(moons, tmp_path, options):
    X, y = moons
    options = {**OPTIONS, **options}
    whole = TorchClassifier(network, **options).fit(X, y)

    class Cut:
        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context): ...
        def on_fit_task_end(self, estimator, context):
            return getattr(context, "n_iter", 0) == 5

    path = tmp_path / "training.npz"
    part = TorchClassifier(network, checkpoint=path, **options).set_callbacks(Cut()).fit(X, y)
    assert part.n_epochs_ == 5
    rest = TorchClassifier(network, checkpoint=path, **options).resume(X, y)
    assert rest.history_.objective == whole.history_.objective
    for name, value in whole.weights_.items():
        assert_array_equal(rest.weights_[name], value)


def test_checkpoints_of_others_are_refused(moons, tmp_path):
    X, y = moons
    path = tmp_path / "training.npz"
    TorchClassifier(network, checkpoint=str(path), max_epochs=1, random_state=0).fit(X, y)
    with pytest.raises(FileFormatError, match="a checkpoint of TorchClassifier, not of TorchRegressor"):
        TorchRegressor(network, checkpoint=path).resume(X, y)
    with pytest.raises(FileFormatError, match="other data or other parameters"):
        TorchClassifier(network, checkpoint=path).resume(X[:, :1], y)
    path.write_bytes(b"PK nothing")
    with pytest.raises(FileFormatError, match="no checkpoint of a training"):
        TorchClassifier(network, checkpoint=path).resume(X, y)
    with pytest.raises(FileNotFoundError):
        TorchClassifier(network, checkpoint=tmp_path / "none.npz").resume(X, y)
    with pytest.raises(ParameterError, match="checkpoint is None"):
        TorchClassifier(network).resume(X, y)


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"])
def test_the_loop_is_the_bare_loop_of_pytorch(moons, optimizer):
    X, y = moons
    model = TorchClassifier(
        plain, optimizer=optimizer, learning_rate=0.01, weight_decay=0.1, max_epochs=3, random_state=7
    )
    model.fit(X, y)
    torch.manual_seed(7)
    module = plain(2, 2)
    kinds = {"sgd": {}, "momentum": {"momentum": 0.9}, "nesterov": {"momentum": 0.9, "nesterov": True}}
    name = {"adagrad": "Adagrad", "rmsprop": "RMSprop", "adam": "Adam", "adamw": "AdamW"}.get(optimizer, "SGD")
    bare = getattr(torch.optim, name)(module.parameters(), lr=0.01, weight_decay=0.1, **kinds.get(optimizer, {}))
    rows, codes = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
    for epoch in range(3):
        order = torch.from_numpy(np.random.default_rng([7, epoch]).permutation(len(X)))
        for index in order.split(64):
            bare.zero_grad()
            torch.nn.functional.cross_entropy(module(rows[index]), codes[index]).backward()
            bare.step()
    for key, value in module.state_dict().items():
        assert_allclose(model.weights_[key], value.numpy(), rtol=1e-6)


def test_schedules():
    assert [fall("linear", s) for s in (0, 0.25, 1)] == [1, 0.75, 0]
    assert [fall("cosine", s) for s in (0, 0.5, 1)] == pytest.approx([1, 0.5, 0])
    assert [fall("step", s) for s in (0.49, 0.5, 0.75)] == pytest.approx([1, 0.1, 0.01])
    assert [rate_at("constant", 2.0, t, 100, 4) for t in range(5)] == [0.5, 1.0, 1.5, 2.0, 2.0]


def test_a_plateau_lowers_the_rate(moons):
    X, y = moons
    model = TorchClassifier(plain, schedule="plateau", patience=4, tol=0.5, learning_rate=0.01, random_state=0).fit(
        X, y
    )
    assert model.history_["rate"][0] == 0.01
    assert model.history_["rate"][-1] == pytest.approx(1e-3)  # after two epochs of waiting, for the next
    assert model.n_epochs_ == 5  # the first, and four without a gain of half


@pytest.mark.notes("000-c", "plot-learning-curves")
def test_the_best_epoch_is_kept_and_drawn(moons):
    from matplotlib.figure import Figure

    X, y = moons
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(y)) < 0.3, 1 - y, y)
    model = TorchClassifier(
        lambda p, k: torch.nn.Sequential(torch.nn.Linear(p, 200), torch.nn.ReLU(), torch.nn.Linear(200, k)),
        learning_rate=0.05,
        max_epochs=60,
        patience=8,
        validation_fraction=0.4,
        random_state=0,
    ).fit(X, noisy)
    held = model.history_["validation loss"]
    assert model.best_epoch_ == int(np.argmin(held)) + 1 < model.n_epochs_ < 60
    again = TorchClassifier(**{**model.get_params(), "max_epochs": model.best_epoch_}).fit(X, noisy)
    for name, value in again.weights_.items():
        assert_array_equal(model.weights_[name], value)
    ax = model.plot_training(Figure().subplots())
    training, watched, mark = ax.lines[:3]
    assert_array_equal(training.get_ydata(), model.history_.objective)
    assert_array_equal(watched.get_ydata(), held)
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (model.best_epoch_, min(held))
    assert [text.get_text() for text in ax.get_legend().get_texts()][-1] == f"kept: epoch {model.best_epoch_}"
    own = model.history_.plot(ax=Figure().subplots())
    for line, drawn in zip(own.lines, ax.lines, strict=True):
        assert_array_equal(line.get_xydata(), drawn.get_xydata())


def test_validation_rows_of_the_user_are_watched(moons):
    X, y = moons
    model = TorchClassifier(network, **OPTIONS).fit(X[:300], y[:300], validation=(X[300:], y[300:]))
    last = TorchClassifier(network, **{**OPTIONS, "max_epochs": model.best_epoch_}).fit(X[:300], y[:300])
    code = torch.tensor(y[300:])
    loss = torch.nn.functional.cross_entropy(torch.tensor(last.predict_proba(X[300:])).log(), code)
    assert min(model.history_["validation loss"]) == pytest.approx(float(loss), rel=1e-5)
    assert model.history_["validation accuracy"][model.best_epoch_ - 1] == last.score(X[300:], y[300:])
    with pytest.raises(ParameterError, match=r"validation must be \(X, y\)"):
        TorchClassifier(network).fit(X, y, validation=7)


def test_averages_follow_their_formula():
    module = torch.nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        module.weight.fill_(1.0)
    average, expected = Average(module, 0.3), 1.0
    for t, value in enumerate([2.0, 5.0, -1.0, 4.0]):
        with torch.no_grad():
            module.weight.fill_(value)
        average.update()
        d = min(0.3, (1 + t) / (10 + t))
        expected = d * expected + (1 - d) * value
    average.swap()
    assert module.weight.item() == pytest.approx(expected, rel=1e-6)
    average.swap()
    assert module.weight.item() == 4.0


def test_weights_count_rows(moons):
    X, y = moons
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    options = {"optimizer": "sgd", "learning_rate": 0.5, "batch_size": 10_000, "max_epochs": 5, "random_state": 0}
    weighed = TorchClassifier(plain, **options).fit(X, y, sample_weight=weight)
    repeated = TorchClassifier(plain, **options).fit(
        np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int))
    )
    assert_allclose(weighed.predict_proba(X), repeated.predict_proba(X), rtol=1e-5)


def test_clipping_bounds_a_step():
    X, y = np.array([[100.0], [-100.0]]), np.array([1, 0])
    options = {"optimizer": "sgd", "learning_rate": 1.0, "max_epochs": 1, "random_state": 0}
    start = TorchClassifier(plain, **{**options, "learning_rate": 1e-12}).fit(X, 1 - y)
    cut = TorchClassifier(plain, clip_norm=0.01, **options).fit(X, 1 - y)
    step = sum(float(((cut.weights_[k] - start.weights_[k]) ** 2).sum()) for k in cut.weights_) ** 0.5
    assert step <= 0.01 * (1 + 1e-4)


def test_a_loss_that_explodes_says_so(moons):
    X, y = moons
    with pytest.raises(DataError, match=r"TorchRegressor: the loss is .* lower learning_rate=1e.30"):
        TorchRegressor(plain, optimizer="sgd", learning_rate=1e30, max_epochs=50).fit(X, y.astype(float))


def test_own_modules_are_copied_and_answer_as_they_are(moons):
    X, y = moons
    given = plain(2, 2)
    before = given[0].weight.detach().clone()
    model = TorchClassifier(given, max_epochs=2, random_state=0).fit(X, y)
    assert_array_equal(given[0].weight.detach(), before)
    one_score = TorchClassifier(torch.nn.Linear(2, 1).double(), max_epochs=30, learning_rate=0.05, random_state=0).fit(
        X, y
    )
    z = one_score.module_(torch.tensor(X, dtype=torch.float32).double()).detach().numpy()[:, 0]
    assert_allclose(one_score.predict_proba(X)[:, 1], 1 / (1 + np.exp(-z)), rtol=1e-9)
    assert model.module_ is model.module_
    with pytest.raises(DataError, match=r"gave outputs of shape \(64, 5\) for 64 rows; it must give \(64, 2\)"):
        TorchClassifier(lambda p, k: torch.nn.Linear(p, 5)).fit(X, y)
    with pytest.raises(DataError, match=r"returned int, not a torch\.nn\.Module"):
        TorchClassifier(lambda p, k: 3).fit(X, y)


def test_a_loss_of_ones_own(moons):
    X = moons[0]
    target = X[:, 0] + 5
    model = TorchRegressor(plain, loss=torch.nn.L1Loss(), max_epochs=60, learning_rate=0.02, random_state=0).fit(
        X, target
    )
    assert_allclose(model.predict(X), target, atol=0.05)
    rows = TorchRegressor(plain, loss=torch.nn.MSELoss(reduction="none"), max_epochs=3, random_state=0)
    usual = TorchRegressor(plain, max_epochs=3, random_state=0)
    w = np.random.default_rng(0).random(len(X))
    assert_allclose(rows.fit(X, target, w).predict(X), usual.fit(X, target, w).predict(X), rtol=1e-6)
    with pytest.raises(DataError, match="must give a number for every row"):
        TorchRegressor(plain, loss=torch.nn.L1Loss()).fit(X, target, w)


def test_weights_in_files(moons, tmp_path):
    X, y = moons
    names = np.where(y > 0, "up", "down")
    model = TorchClassifier(network, **OPTIONS).fit(X, names)
    path = model.save_weights(tmp_path / "weights.npz")
    again = TorchClassifier(network).load_weights(path)
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_array_equal(again.predict(X), model.predict(X))
    with pytest.raises(FileFormatError, match="do not fit this module"):
        TorchClassifier(plain).load_weights(path)
    two = TorchRegressor(plain, max_epochs=2, random_state=0).fit(X, np.c_[y, 2.0 * y])
    same = TorchRegressor(plain).load_weights(two.save_weights(tmp_path / "two.npz"))
    assert_array_equal(same.predict(X), two.predict(X))


def test_rates_to_begin_at(moons):
    X, y = moons
    model = TorchClassifier(network, random_state=0, batch_size=50)
    curve = model.find_learning_rate(X, y)
    assert 1e-3 < curve.suggestion < 1
    assert_allclose(np.diff(np.log(curve.rates)), np.log(1e7) / 99, rtol=1e-9)
    fitted = TorchClassifier(network, learning_rate=curve.suggestion, max_epochs=40, random_state=0).fit(X, y)
    assert fitted.score(X, y) > 0.93
    from matplotlib.figure import Figure

    ax = curve.plot(Figure().subplots())
    assert_array_equal(ax.lines[1].get_ydata(), curve.smoothed)
    with pytest.raises(ParameterError, match="rates must rise"):
        model.find_learning_rate(X, y, low=1.0, high=0.1)


def test_tasks_share_a_body(tmp_path):
    import novum

    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    sign = np.where(X[:, 0] * X[:, 1] > 0, "same", "other").astype(object)
    y = {"sign": sign, "sum": X.sum(axis=1) * 10 + 3}
    y["sum"][::3] = np.nan
    sign[1::3] = None
    model = MultiTaskNetwork((48, 48), learning_rate=0.01, max_epochs=60, random_state=0).fit(X, y)
    assert model.tasks_ == {"sign": "classes", "sum": "number"}
    predicted = model.predict(X)
    assert (predicted["sign"] == np.where(X[:, 0] * X[:, 1] > 0, "same", "other")).mean() > 0.93
    assert_allclose(predicted["sum"], X.sum(axis=1) * 10 + 3, atol=6)
    assert model.score(X, y) > 0.95
    assert_allclose(model.predict_proba(X)["sign"].sum(axis=1), 1)
    again = novum.load(novum.save(model, tmp_path / "tasks.novum"))
    assert_array_equal(again.predict(X)["sum"], predicted["sum"])
    heavy = MultiTaskNetwork((48,), task_weights={"sum": 0.0}, max_epochs=3, random_state=0).fit(X, y)
    light = MultiTaskNetwork((48,), tasks={"sign": "classes"}, max_epochs=3, random_state=0).fit(X, {"sign": sign})
    assert heavy.score(X, {**y, "sum": np.zeros(500)}) < 1
    assert light.tasks_ == {"sign": "classes"}
    for wrong, words in [
        ({"tasks": {"price": "number"}}, r"name \['price'\], and y has \['sign', 'sum'\]"),
        ({"tasks": {"sign": "kind"}}, "a task is 'classes' or 'number'"),
    ]:
        with pytest.raises(ParameterError, match=words):
            MultiTaskNetwork(**wrong).fit(X, y)
    with pytest.raises(DataError, match="y must be a mapping or a frame"):
        MultiTaskNetwork().fit(X, y["sum"])


def test_losses_of_tasks_pass_over_missing_targets():
    from novum.neural_network.training.heads import task_losses

    z = {"a": torch.tensor([[1.0, 2.0], [0.5, 0.0], [0.0, 0.0]]), "b": torch.tensor([[1.0], [2.0], [3.0]])}
    y = {"a": torch.tensor([1, -100, 0]), "b": torch.tensor([float("nan"), 1.0, 5.0])}
    found = task_losses(z, y, {"a"}, torch.tensor([1.0, 1.0, 3.0]))
    a = (np.log(1 + np.exp(-1.0)) + 3 * np.log(2)) / 4
    assert float(found["a"]) == pytest.approx(a)
    assert float(found["b"]) == pytest.approx((1 + 3 * 4) / 4)


@pytest.mark.filterwarnings("ignore::FutureWarning:torch")
@pytest.mark.filterwarnings("ignore::FutureWarning:copyreg")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_onnx_files_answer_alike(moons, tmp_path):
    pytest.importorskip("onnxscript")
    ort = pytest.importorskip("onnxruntime")
    X, y = moons
    model = TorchClassifier(network, **OPTIONS).fit(X, y)
    session = ort.InferenceSession(str(model.to_onnx(tmp_path / "network.onnx")))
    (scores,) = session.run(None, {"X": X.astype(np.float32)})
    assert_allclose(scores[:, 1] - scores[:, 0], model.decision_function(X), rtol=1e-4, atol=1e-5)


def test_an_interrupted_fit_changes_nothing(moons):
    X, y = moons
    model = TorchClassifier(network, **OPTIONS).fit(X, y)
    before = dict(vars(model))

    class Stop:
        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context): ...
        def on_fit_task_end(self, estimator, context):
            raise KeyboardInterrupt

    model.set_callbacks(Stop())
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.weights_ is before["weights_"]
    assert model.history_ is before["history_"]


def test_lines_of_progress(moons, capsys):
    X, y = moons
    TorchClassifier(network, verbose=True, **{**OPTIONS, "max_epochs": 2}).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["epoch", "1"], ["epoch", "2"]]


def test_scikit_learns_checks_and_tools(moons):
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.estimator_checks import check_estimator

    order = "batches are drawn by row, so repetition moves rows between them"
    options = {"random_state": 0, "max_epochs": 30, "learning_rate": 0.02}
    for estimator in (TorchClassifier(network, **options), TorchRegressor(network, **options)):
        found = check_estimator(
            estimator,
            on_fail=None,
            on_skip=None,
            expected_failed_checks={"check_sample_weight_equivalence_on_dense_data": order},
        )
        assert [r["check_name"] for r in found if r["status"] == "failed"] == []
    X, y = moons
    search = GridSearchCV(
        make_pipeline(StandardScaler(), TorchClassifier(network, **OPTIONS)),
        {"torchclassifier__learning_rate": [1e-5, 0.02]},
        cv=2,
    )
    assert search.fit(X, y).best_params_ == {"torchclassifier__learning_rate": 0.02}
