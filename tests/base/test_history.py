import copy
import json
import pickle

import numpy as np
import pytest

from novum.base.history import History, sparkline


@pytest.fixture
def history():
    return History([3.0, 2.0, 1.5], {"step": [1, 0.5, 0.25]}, name="loss")


def test_is_a_sequence_of_floats(history):
    assert list(history) == [3.0, 2.0, 1.5] == history
    assert history == (3.0, 2.0, 1.5)
    assert history != [3.0]
    assert (len(history), history[0], history[-1], 2.0 in history) == (3, 3.0, 1.5, True)
    assert history.index(1.5) == 2
    assert list(reversed(history)) == [1.5, 2.0, 3.0]
    with pytest.raises(IndexError):
        history[3]


def test_numpy_takes_it(history):
    array = np.asarray(history)
    assert array.dtype == np.float64
    np.testing.assert_array_equal(np.diff(history), [-1.0, -0.5])
    assert np.asarray(history, dtype=np.float32).dtype == np.float32
    assert np.min(history) == 1.5
    with pytest.raises(ValueError, match="always a copy"):
        np.array(history, copy=False)
    array[0] = 9  # a copy: the record stays
    assert history[0] == 3.0


def test_columns(history):
    assert history["step"] == [1.0, 0.5, 0.25]
    assert history["loss"] == [3.0, 2.0, 1.5]
    with pytest.raises(KeyError, match="there are \\['loss', 'step'\\]"):
        history["speed"]
    with pytest.raises(ValueError, match="column 'a' has 1 value for 2 passes"):
        History([1, 2], {"a": [1]})


def test_append_fills_gaps_with_nan(history):
    history.append(1.0, accuracy=0.9)
    assert history[-1] == 1.0
    np.testing.assert_array_equal(history["step"], [1, 0.5, 0.25, np.nan])
    np.testing.assert_array_equal(history["accuracy"], [np.nan, np.nan, np.nan, 0.9])
    history.append(np.float32(0.5))
    assert type(history[-1]) is float


def test_slices_keep_their_columns(history):
    assert history[1:] == History([2.0, 1.5], {"step": [0.5, 0.25]}, name="loss")
    assert history[1:] != History([2.0, 1.5], name="loss")


def test_state_is_plain(history):
    state = vars(history)
    assert json.loads(json.dumps(state)) == state
    assert copy.deepcopy(history) == history == pickle.loads(pickle.dumps(history))


def test_to_frame(history):
    frame = history.to_frame()
    assert frame.index.tolist() == [1, 2, 3]
    assert frame.to_dict("list") == {"loss": [3.0, 2.0, 1.5], "step": [1.0, 0.5, 0.25]}


def test_plot(history):
    axes = history.plot()
    np.testing.assert_array_equal(axes.lines[0].get_xydata(), [[1, 3], [2, 2], [3, 1.5]])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("pass", "loss")
    assert History([1.0]).plot(axes) is axes
    assert len(axes.lines) == 2


def test_repr_is_short(history):
    assert repr(history) == "History([3.0, 2.0, 1.5], name='loss', columns=['step'])"
    long = History(range(100))
    assert repr(long) == "History([0.0, 1.0, 2.0, ..., 97.0, 98.0, 99.0], name='objective', passes=100)"
    assert repr(History()) == "History([], name='objective')"


def test_html_has_a_line_and_a_table(history):
    html = History(range(100), name="<loss>")._repr_html_()
    assert "<polyline" in html and "&lt;loss&gt;" in html
    assert html.count("<tr>") == 1 + 7
    assert "<td>100</td><td>99</td>" in html
    assert "<table>" in History()._repr_html_()


def test_line_skips_what_is_not_finite():
    assert sparkline(np.array([1.0, np.nan])) == ""
    assert sparkline(np.array([np.nan, 1.0, np.inf, 1.0])).count(",") == 2
