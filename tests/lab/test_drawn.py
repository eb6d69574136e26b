"""Arrays of a page that travels as a file: what is read keeps all digits, what is only drawn loses less than can be seen."""

from base64 import b64decode

import numpy as np

from novum.lab.protocol.arrays import encoded
from novum.lab.protocol.drawn import lightened


def light(value):
    """Return an array of a frame as the page has it."""
    events = [["head", {"v": 1}], ["frame", {"n": 0, "arrays": {"one": encoded(value)}}], ["end", {}]]
    (head, frame, end) = lightened(events)
    assert (head, end) == (["head", {"v": 1}], ["end", {}])
    return frame[1]["arrays"]["one"]


def test_lines_and_bands_are_drawn_as_exactly_as_can_be_seen():
    x = np.linspace(1000, 1005, 50)
    points = np.column_stack([x, np.sin(x) * 1e-3])
    (made,) = light([{"p": points.tolist(), "role": "now"}])["v"]
    assert made["role"] == "now" and made["p"] != points.tolist()
    assert (np.abs(np.array(made["p"]) - points).max(axis=0) <= 0.5e-4 * np.ptp(points, axis=0)).all()
    (band,) = light([{"x": [0.0, 1 / 3], "low": [None, 2.0], "high": [0.0, 2e9 / 3]}])["v"]
    assert band == {"x": [0.0, 0.33333], "low": [None, 2.0], "high": [0.0, 666670000.0]}
    gap = [[0.0, None], [1.0, 2 / 3]]
    assert light([{"p": gap}])["v"] == [{"p": gap}]


def test_numbers_that_are_read_keep_all_digits():
    rows = [["a", 1 / 3], ["b", 2 / 3]]
    assert light(rows)["v"] == rows
    assert light([{"id": "x", "value": 1 / 3, "x": "name"}])["v"] == [{"id": "x", "value": 1 / 3, "x": "name"}]
    short = np.random.default_rng(0).normal(size=64)
    assert np.array_equal(np.frombuffer(b64decode(light(short)["b"]), "<f8"), short)


def test_long_rows_have_the_digits_of_longer_ones():
    long = np.random.default_rng(0).normal(size=(40, 2))
    entry = light(long)
    assert entry["t"] == "f4" and entry["s"] == [40, 2]
    assert np.array_equal(np.frombuffer(b64decode(entry["b"]), "<f4").reshape(40, 2), long.astype("<f4"))
    whole = np.arange(100)
    assert light(whole) == encoded(whole)
