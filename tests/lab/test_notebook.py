"""`record`: the passes of a fit as copies, as the lab's player in a notebook, and as pictures; what is drawn is what copies say."""

import html
import json
import re
from base64 import urlsafe_b64decode
from zlib import decompress

import numpy as np
import pytest
from lab.runs import decoded
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.linear_model import LinearRegression as Theirs

from novum.base.passes import PassRecorder
from novum.cluster import KMeans
from novum.decomposition import PCA, FastICA
from novum.ensemble import HistGradientBoostingRegressor
from novum.exceptions import DataError, ParameterTypeError
from novum.lab import record
from novum.lab.maps import pixel_centers
from novum.lab.notebook import MOST_BYTES
from novum.lab.server.assets import LANGUAGES, scene_words
from novum.linear_model import LinearRegression, LogisticRegression, Perceptron
from novum.mixture import GaussianMixture
from novum.sequence import GaussianHMM
from novum.tree import DecisionTreeClassifier

X, GROUPS = make_blobs(120, centers=4, random_state=3)
MOONS, SIDES = make_moons(200, noise=0.2, random_state=0)
IRIS, KINDS = load_iris(return_X_y=True, as_frame=True)


def page_of(frames):
    """Return the page within the HTML of a notebook."""
    (text,) = re.findall(r'srcdoc="([^"]*)"', frames._repr_html_())
    return html.unescape(text)


def part_of(frames, name):
    """Return the JSON of a part of the page, as the page unpacks it."""
    (text,) = re.findall(rf'<script type="text/plain" id="{name}">([^<]*)</script>', page_of(frames))
    return decompress(urlsafe_b64decode(text + "=" * (-len(text) % 4)), wbits=-15).decode()


def run_of(frames):
    """Return head, frames and end, every frame with all its arrays."""
    (_, head), *others = json.loads(part_of(frames, "events"))
    held, shown = dict(head["arrays"]), []
    for kind, content in others[:-1]:
        assert kind == "frame"
        held |= content["arrays"]
        shown.append({**content, "arrays": {name: decoded(entry) for name, entry in held.items()}})
    return head, shown, others[-1][1]


def bindings(head):
    return next((view for view in head["scene_info"]["views"] if view["kind"] == "plane"), None)


def test_frames_are_the_passes_of_a_recorder():
    model = KMeans(4, init="random", n_init=1, random_state=1)
    frames, heard = record(model, X), PassRecorder()
    plain = KMeans(4, init="random", n_init=1, random_state=1).set_callbacks(heard).fit(X)
    assert len(frames) == len(heard) and frames.model is model
    for frame, copy in zip(heard, frames, strict=True):
        assert (frames[frame.n_iter].cluster_centers_ == frame.model.cluster_centers_).all()
        assert (copy.cluster_centers_ == frame.model.cluster_centers_).all()
    assert (model.cluster_centers_ == plain.cluster_centers_).all() and frames[-1].score(X) == plain.score(X)
    assert not getattr(model, "_skl_callbacks", None)


def test_the_listeners_of_an_estimator_stay():
    own = PassRecorder()
    model = KMeans(4, random_state=0).set_callbacks(own)
    frames = record(model, X)
    assert len(own) == len(frames) and list(model._skl_callbacks) == [own]


def test_frames_of_the_start_that_was_kept():
    model = GaussianMixture(4, n_init=3, init_params="random", random_state=0)
    frames = record(model, X)
    assert (frames[-1].means_ == model.means_).all()
    assert [one.n_iter for one in frames.passes] == list(range(len(frames)))


def test_a_pass_that_was_not_heard():
    frames = record(KMeans(4, random_state=0), X)
    for n in (len(frames), -len(frames) - 1):
        with pytest.raises(IndexError, match=f"pass {n}: KMeans was heard from pass 0 to pass {len(frames) - 1}"):
            frames[n]
    without_start = record(HistGradientBoostingRegressor(max_iter=3), MOONS[:, :1], MOONS[:, 1])
    assert without_start[3].predict(MOONS[:1, :1]) == without_start.model.predict(MOONS[:1, :1])


@pytest.mark.parametrize("model", [LinearRegression(), PCA(2)])
def test_what_reports_no_passes_is_refused_by_name(model):
    with pytest.raises(DataError, match=f"record: {type(model).__name__} reports no passes"):
        record(model, MOONS, SIDES)


def test_what_takes_no_callbacks_is_refused_by_name():
    with pytest.raises(ParameterTypeError, match="record\\(model=LinearRegression\\): takes no callbacks"):
        record(Theirs(), MOONS, SIDES)


def test_the_player_of_two_columns_draws_what_copies_say():
    frames = record(KMeans(4, init="random", n_init=1, random_state=1), X)
    head, shown, end = run_of(frames)
    assert bindings(head)["crosses"] == "centers" and len(shown) == len(frames) == end["frames"]
    domain = decoded(head["arrays"]["domain"])
    for frame, heard in zip(shown, frames.passes, strict=True):
        drawn, copy = frame["arrays"], heard.model
        assert (drawn["X"] == X).all() and (drawn["centers"] == copy.cluster_centers_).all()
        assert (drawn["labels"] == copy.predict(X)).all()
        assert (drawn["map"].ravel() == copy.predict(pixel_centers(domain))).all()
        assert frame["n"] == heard.n_iter and frame["values"]["objective"] == heard.objective


def test_the_player_of_classes_shows_truth_and_answers():
    names = np.array(["left", "right"])[SIDES]
    frames = record(DecisionTreeClassifier(max_leaf_nodes=5), MOONS, names)
    head, shown, _ = run_of(frames)
    assert {"target", "classes", "map"} <= set(bindings(head))
    assert (decoded(head["arrays"]["truth"]) == SIDES).all()
    assert (shown[-1]["arrays"]["labels"] == (frames.model.predict(MOONS) == "right")).all()


def test_more_columns_are_drawn_by_principal_components():
    frames = record(LogisticRegression(), IRIS, KINDS)
    head, shown, _ = run_of(frames)
    plane = PCA(2).fit(IRIS.to_numpy())
    assert np.allclose(decoded(head["arrays"]["X"]), plane.transform(IRIS.to_numpy()), atol=1e-6)
    grid = plane.inverse_transform(pixel_centers(decoded(head["arrays"]["domain"])))
    with pytest.warns(UserWarning, match="feature names"):
        expected = frames.model.predict(grid)
    assert (shown[-1]["arrays"]["map"].ravel() == expected).all()
    assert "principal components of their 4 columns (92 % and 5 % of the variance)" in part_of(frames, "words")
    assert "componenti principali delle loro 4 colonne" in part_of(frames, "words")


def test_a_number_of_one_column_is_a_curve_and_of_two_a_shade():
    one = record(HistGradientBoostingRegressor(max_iter=3), MOONS[:, :1], MOONS[:, 1])
    head, shown, _ = run_of(one)
    line = np.array(shown[-1]["arrays"]["curve"][0]["p"])
    assert bindings(head)["lines"] == "curve" and (line[:, 1] == one.model.predict(line[:, :1])).all()
    two = record(HistGradientBoostingRegressor(max_iter=3), MOONS, MOONS[:, 1])
    head, shown, _ = run_of(two)
    said = two.model.predict(pixel_centers(decoded(head["arrays"]["domain"])))
    low, high = MOONS[:, 1].min(), MOONS[:, 1].max()
    assert bindings(head)["map_kind"] == "level"
    assert (shown[-1]["arrays"]["map"].ravel() == np.round(255 * np.clip((said - low) / (high - low), 0, 1))).all()


def test_a_sequence_has_labels_and_no_regions():
    flow = np.column_stack([np.r_[np.zeros(30), np.full(30, 5.0)], np.tile([0.0, 1.0], 30)])
    frames = record(GaussianHMM(2, random_state=0), flow)
    head, shown, _ = run_of(frames)
    assert "map" not in bindings(head)
    assert (shown[-1]["arrays"]["labels"] == frames.model.predict(flow)).all()


def test_a_learner_that_predicts_nothing_shows_rows_and_says_so():
    frames = record(FastICA(2, random_state=0), MOONS)
    head, _, _ = run_of(frames)
    assert not {"classes", "map", "lines"} & set(bindings(head))
    assert "predict nothing that could be drawn" in part_of(frames, "words")


def test_many_rows_and_many_passes_stay_small():
    rows, sides = make_moons(5000, noise=0.2, random_state=0)
    frames = record(Perceptron(max_iter=300, tol=None, random_state=0), rows, sides)
    assert len(frames._repr_html_().encode()) <= MOST_BYTES
    head, shown, end = run_of(frames)
    assert end["frames"] == len(frames) == 301 > len(shown) and end["kept"] == "thinned"
    assert shown[0]["n"] == 0 and shown[-1]["n"] == 300 and len(shown) >= 10
    assert len(decoded(head["arrays"]["X"])) == len(rows[::3]) and "One row in 3 is drawn" in part_of(frames, "words")


def test_the_element_of_a_notebook_may_run_scripts_and_nothing_else():
    text = record(KMeans(4, random_state=0), X)._repr_html_()
    assert text.count("<iframe") == 1 and 'sandbox="allow-scripts"' in text and "src=" not in text.split("srcdoc")[0]


def test_a_picture_of_a_pass():
    pytest.importorskip("matplotlib")
    frames = record(KMeans(4, random_state=0), X)
    assert frames.plot(1).get_title() == "KMeans, pass 1"
    assert frames.plot().get_title() == f"KMeans, pass {len(frames) - 1}"


def test_words_of_the_player():
    first, *others = (scene_words(language, "record") for language in LANGUAGES)
    for words in others:
        assert set(words) == set(first)
        for key, text in first.items():
            assert set(re.findall(r"\{(\w+)", words[key])) == set(re.findall(r"\{(\w+)", text)), key
