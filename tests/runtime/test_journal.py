"""Steps that are written down: values as bytes and back, records after crashes and damage, keys, superseding."""

import json
from typing import NamedTuple

import numpy as np
import pytest

from novum.engines.trees.histograms import NODE
from novum.exceptions import DataWarning, FileFormatError, SourceError
from novum.fold.blocks import Block
from novum.runtime.journal import Journal
from novum.runtime.journal.file import MAGIC, RecordFile
from novum.runtime.journal.values import LENGTH, NotPlain, decode, digest, encode


def same(a, b):
    if isinstance(a, np.ndarray):
        layout = a.flags.f_contiguous == b.flags.f_contiguous
        return a.dtype == b.dtype and a.shape == b.shape and layout and a.tobytes() == b.tobytes()
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    return type(a) is type(b) and (a == b or a != a)


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 3, -(2**80), 0.1, float("inf"), float("nan"), -0.0, "ü\n", (), [], {}, (1, (2.0, [None]))),
        {"a": 1, 2: (np.float32(0.1), np.int64(7), np.bool_(True))},
        *(np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.empty((0, 3)), np.array(5)),
        *(
            np.array(["a", "bc"]),
            np.array([b"x"]),
            np.array([True, False]),
            np.arange(4, dtype=">i4"),
            np.array([1 + 2j]),
        ),
        np.zeros(3, NODE),
        np.array(["a", None, 2.5], dtype=object),
    ],
    ids=repr,
)
def test_plain_values_come_back_as_they_were(value):
    found = decode(encode(value))
    assert same(value, found) or (
        isinstance(value, np.ndarray) and value.dtype == object and value.tolist() == found.tolist()
    )


def test_named_tuples_of_novum_come_back_and_others_have_no_form():
    block = decode(encode(Block(np.ones((2, 3)), None, np.ones(2), 5, {})))
    assert isinstance(block, Block) and block.start == 5 and np.array_equal(block.X, np.ones((2, 3)))

    class Mine(NamedTuple):
        x: int

    for value in (Mine(1), object(), lambda: 1, {1, 2}, json):
        with pytest.raises(NotPlain):
            encode(value)


@pytest.mark.parametrize(
    "tree, headings",
    [
        ({"class": "os:system", "fields": ["true"]}, []),
        ({"class": "novum.persistence.files:load", "fields": ["x"]}, []),
        ({"class": "novum.cluster.kmeans:KMeans", "state": {"dict": []}}, []),
        ({"class": "novum.runtime.journal.values:NotPlain", "fields": []}, []),
        ({"array": 0}, []),
        ({"array": 0}, [["<f8", [2**40], False]]),
        ({"array": 0}, [["<f8", [-1], False]]),
        ({"array": 0}, [["|O", [1], False]]),
        ({"array": 0}, [["nonsense", [1], False]]),
        ({"other": 0}, []),
    ],
)
def test_what_no_journal_writes_is_refused_and_nothing_is_called(tree, headings):
    outline = json.dumps([tree, headings]).encode()
    with pytest.raises(FileFormatError):
        decode(len(outline).to_bytes(LENGTH, "little") + outline)


def test_digests_tell_values_apart_and_do_not_depend_on_layout_in_memory():
    values = [
        0,
        0.0,
        "0",
        None,
        (0,),
        [0],
        np.zeros(1),
        np.zeros(1, np.float32),
        np.zeros((1, 1)),
        {"a": 0},
        {"b": 0},
        1e-300,
    ]
    assert len({digest(value) for value in values}) == len(values)
    table = np.arange(6.0).reshape(2, 3)
    assert digest(table) == digest(np.asfortranarray(table)) == digest(table.copy())


def test_a_record_that_was_cut_short_is_lost_and_no_other(tmp_path):
    path = tmp_path / "records"
    file = RecordFile(path)
    for k in range(5):
        file.add(bytes([k]) * 100)
    file.close()
    whole = path.read_bytes()
    size = (len(whole) - len(MAGIC)) // 5
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        file = RecordFile(path)
        found = [file.read(*place)[0] for place in file.records()]
        assert found == list(range(max(0, length - len(MAGIC)) // size))
        file.add(b"next")
        file.close()
        again = RecordFile(path)
        assert [again.read(*place) for place in again.records()][-1] == b"next"
        again.close()


def test_damage_before_the_end_is_refused(tmp_path):
    path = tmp_path / "records"
    file = RecordFile(path)
    for k in range(3):
        file.add(bytes([k]) * 100)
    file.close()
    whole = bytearray(path.read_bytes())
    whole[len(MAGIC) + 50] ^= 1
    path.write_bytes(whole)
    with pytest.raises(
        FileFormatError, match=r"records: is no checkpoint of novum: the record at byte 19 is damaged\. Remove it"
    ):
        RecordFile(path)
    path.write_bytes(b"a table, perhaps\n" * 10)
    with pytest.raises(FileFormatError, match="it does not begin as one"):
        RecordFile(path)
    assert path.read_bytes().startswith(b"a table")  # what is no checkpoint is left as it is


def test_two_cannot_write_one_file(tmp_path):
    file = RecordFile(tmp_path / "records")
    with pytest.raises(SourceError, match="another process writes this checkpoint"):
        RecordFile(tmp_path / "records")
    file.close()
    RecordFile(tmp_path / "records").close()


def test_steps_are_made_once_by_place_and_name(tmp_path):
    made = []

    def run(journal, stop=99):
        def make(name, value):
            if len(made) >= stop:
                raise KeyboardInterrupt
            made.append(name)
            return value

        first = journal.step("a", lambda: make("a0", 1))
        second = journal.step("a", lambda: make("a1", np.arange(3)))
        third = journal.step("b", lambda: (journal.step("a", lambda: make("b0/a0", 5)), make("b0", 6)))
        return first, second.tolist(), third

    journal = Journal(tmp_path / "steps")
    with pytest.raises(KeyboardInterrupt):
        run(journal, stop=3)  # within b, after its part
    journal.close()
    assert made == ["a0", "a1", "b0/a0"]
    for _ in range(2):
        journal = Journal(tmp_path / "steps")
        assert run(journal) == (1, [0, 1, 2], (5, 6))
        journal.close()
    assert made == ["a0", "a1", "b0/a0", "b0"]


def test_another_way_is_noticed_and_made_again_from_there(tmp_path):
    def run(journal, second):
        return [journal.step("pass", lambda k=k: k + second * (k > 0), (k, second if k else 0)) for k in range(4)]

    journal = Journal(tmp_path / "steps")
    assert run(journal, 10) == [0, 11, 12, 13]
    journal.close()
    journal = Journal(tmp_path / "steps")
    with pytest.warns(DataWarning, match=r"the fit differs from the one that was written down, from step pass#1 on"):
        assert run(journal, 20) == [0, 21, 22, 23]
    assert (journal.read, journal.made) == (1, 3)
    journal.close()


def test_what_is_superseded_leaves_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("novum.runtime.journal.steps.GARBAGE", 10_000)
    journal = Journal(tmp_path / "steps")
    state = journal.state("weights")
    for k in range(200):
        journal.step("pass", lambda k=k: k)
        state.keep(np.full(100, float(k)))
    assert (tmp_path / "steps").stat().st_size < 60_000
    journal.close()
    journal = Journal(tmp_path / "steps")
    assert journal.state("weights").last()[0] == 199.0
    assert [journal.step("pass", lambda: -1) for _ in range(200)] == list(range(200))
    journal.close()


def test_items_in_parallel_are_steps_each(tmp_path):
    asked = []

    def make(items):
        asked.append(list(items))
        return (item * item for item in items)

    journal = Journal(tmp_path / "steps")
    with pytest.raises(ZeroDivisionError):
        journal.each("tree", [1, 2, 3], lambda items: (item if item < 3 else 1 // 0 for item in items))
    journal.close()
    journal = Journal(tmp_path / "steps")
    assert journal.each("tree", [1, 2, 3], make) == [1, 2, 9]
    assert asked == [[3]]
    journal.close()
