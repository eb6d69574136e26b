"""Sequences as users hand them over: symbols and their numbers, vectors, what a decoder reads and says, what is refused."""

import numpy as np
import pytest

from novum.exceptions import DataError, DataWarning, UnknownCategory
from novum.neural_network.sequences.examples import SequenceExamples, select_sequences, teacher_forcing
from novum.neural_network.sequences.series import as_list, holds_symbols, read_series
from novum.neural_network.sequences.vocabulary import (
    END,
    PAD,
    SPECIAL,
    START,
    UNKNOWN,
    Packed,
    Vocabulary,
    kind_of,
    learn_vocabulary,
    read_symbols,
)


def split(packed):
    return [part.tolist() for part in np.split(packed.values, np.cumsum(packed.lengths)[:-1])]


def test_symbols_have_numbers_after_those_of_the_machine():
    words = learn_vocabulary([["b", "a"], ["c", "a"]], "text")
    assert words.symbols == ["a", "b", "c"] and len(words) == 7
    assert (PAD, START, END, UNKNOWN) == (0, 1, 2, 3) == tuple(range(len(SPECIAL)))
    packed = words.encode([["c", "a"], [], ["b"]], "Model", "X")
    assert split(packed) == [[6, 4], [], [5]]
    assert words.decode([6, 4, END, 5]) == "ca"
    assert learn_vocabulary([[3, "a", 1]]).symbols == [1, 3, "a"]
    assert Vocabulary(**words.config()).decode([4, 5]) == "ab"
    assert "Vocabulary of 3: 'a', 'b', 'c'" in repr(words)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["ab", "c"], [["a", "b"], ["c"]]),
        ([("x", "yz"), ["x"]], [["x", "yz"], ["x"]]),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        ([np.array([1, 2]), np.array(["a"])], [[1, 2], ["a"]]),
        ([[np.int64(5), True]], [[5, True]]),
    ],
)
def test_sequences_of_symbols_are_read(given, read):
    found = read_symbols(given, "Model", "X")
    assert found == read
    assert all(type(symbol) in (str, int, bool) for one in found for symbol in one)


def test_answers_come_in_the_kind_of_the_targets():
    assert kind_of(["ab", "c"]) == "text" and kind_of([("a",), ()]) == "tuple"
    assert kind_of([["a"], "b"]) == "list" and kind_of(np.array([[1]])) == "list"
    assert Vocabulary(["a", "b"], "tuple").decode([4, 5]) == ("a", "b")
    assert Vocabulary([7], "list").decode([4, 4, PAD]) == [7, 7]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("abc", "Model: X must be a list of sequences, not 'abc'; for one sequence give a list of one"),
        (5, "Model: X must be a list of sequences, not 5"),
        (
            [["a"], [0.5]],
            r"Model: sequence 1 of X is \[0.5\]; a sequence is a text, or a list of strings or whole numbers",
        ),
        ([["a"], None], "Model: sequence 1 of X is None"),
        (["a", ""], "Model: sequence 1 of X is empty"),
    ],
)
def test_what_is_no_sequence_of_symbols_is_refused_with_its_place(given, message):
    with pytest.raises(DataError, match=message):
        read_symbols(given, "Model", "X", least=1)


def test_unknown_symbols_are_named():
    words = learn_vocabulary([["a", "b"]])
    given = [["a"], ["q", "b"], ["z", "q"]]
    with pytest.raises(
        UnknownCategory, match=r"Model: X holds symbols that fit did not see: 'q', 'z' \(sequence 1, 2\)"
    ):
        words.encode(given, "Model", "X")
    with pytest.warns(DataWarning, match="'q', 'z'.*read as <unknown>"):
        packed = words.encode(given, "Model", "X", "warn")
    assert split(packed) == [[4], [UNKNOWN, 5], [UNKNOWN, UNKNOWN]]


@pytest.mark.notes("000-c", "teacher-forcing")
def test_a_decoder_reads_one_step_behind_what_it_says():
    targets = [[5, 6, 7], [], [8]]
    packed = Packed(np.array([5, 6, 7, 8]), np.array([3, 0, 1]))
    inputs, outputs = teacher_forcing(packed)
    assert split(inputs) == [[START, *y] for y in targets]
    assert split(outputs) == [[*y, END] for y in targets]
    assert inputs.lengths.tolist() == outputs.lengths.tolist() == [4, 1, 2]


def test_sequences_are_selected_in_order():
    packed = Packed(np.arange(10), np.array([3, 0, 5, 2]))
    assert split(select_sequences(packed, np.array([3, 0, 1, 3]))) == [[8, 9], [0, 1, 2], [], [8, 9]]


def test_batches_are_near_in_length_and_hold_every_sequence_once():
    pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 30, size=500)
    examples = SequenceExamples([Packed(np.zeros(lengths.sum(), dtype=np.int64), lengths)], n_terms=lengths)
    batches = examples.batches(np.random.default_rng(1), 16)
    assert sorted(np.concatenate([b.host for b in batches]).tolist()) == list(range(500))
    ranges = [np.ptp(lengths[b.host]) for b in batches]
    assert np.mean(ranges) < 2 < np.ptp(lengths)
    first = [lengths[b.host].mean() for b in batches]
    assert first != sorted(first)  # the batches themselves come in a random order
    assert np.concatenate([b.host for b in examples.batches(None, 16)]).tolist() == list(range(500))
    assert sum(examples.weight(b) for b in batches) == lengths.sum()


@pytest.mark.parametrize(
    ("given", "symbols"),
    [
        (["text"], True),
        ([[1, 2]], True),
        ([["a"]], True),
        ([[0.5, 1.0]], False),
        (np.array([[1, 2]]), True),
        (np.array([[1.0, 2]]), False),
        ([np.zeros((3, 2), dtype=int)], False),
        ([[[1, 2], [3, 4]]], False),
        ([np.array(["a", "b"])], True),
    ],
)
def test_whole_numbers_and_texts_are_symbols(given, symbols):
    assert holds_symbols(as_list(given, "Model"), "auto") == symbols
    assert holds_symbols(as_list(given, "Model"), not symbols) != symbols


def test_series_are_rows_one_after_another():
    pd = pytest.importorskip("pandas")
    a, b = np.arange(6.0).reshape(3, 2), np.ones((1, 2))
    packed = read_series([a, b.tolist()], "Model")
    assert packed.lengths.tolist() == [3, 1]
    np.testing.assert_array_equal(packed.values, np.vstack([a, b]))
    frame = pd.DataFrame(np.arange(6.0).reshape(2, 3))
    assert read_series(as_list(frame, "Model"), "Model").values.shape == (6, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            [np.ones((2, 2)), np.ones((2, 3))],
            "X has 3 features, but Model is expecting 2 features as input .sequence 1.",
        ),
        ([np.array([[np.nan]])], r"Model: Input X contains NaN \(sequence 0\)"),
        ([np.array([[np.inf]])], r"Model: Input X contains infinity \(sequence 0\)"),
        ([np.empty((0, 2))], "Model: sequence 0 is empty"),
        ([["a", 1.0]], "Model: sequence 0 is .*not numbers"),
        ([np.ones((2, 2, 2))], r"Model: sequence 0 has shape \(2, 2, 2\)"),
        ([np.array([1j])], "Complex data not supported"),
    ],
)
def test_what_is_no_series_is_refused(given, message):
    with pytest.raises(DataError, match=message):
        read_series(given, "Model")


@pytest.mark.parametrize("given", ["abc", 5, None, {"a": 1}])
def test_what_is_no_list_is_refused(given):
    with pytest.raises(DataError, match="Model: X must be a list of sequences"):
        as_list(given, "Model")
    with pytest.raises(DataError, match="X has no sequence"):
        as_list([], "Model")
    with pytest.raises(DataError, match="Expected 2D array, got 1D array instead"):
        as_list(np.arange(3.0), "Model")
