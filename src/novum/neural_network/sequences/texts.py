"""Paragraphs that docstrings of sequence networks share, written once: a line `[reading]` in one becomes the entry below."""

import inspect

__all__ = ["complete_paragraphs"]

PARAGRAPHS = {
    "sequences": """X is a list of sequences of any lengths: arrays of shape (steps, columns) or (steps,), texts (whose
symbols are their characters), lists of strings or of whole numbers; or an array of shape
(n_samples, steps, columns). Whole numbers are symbols unless `tokens=False`. Padding never changes an answer.""",
    "reading": """per_step : bool, default=False
    Whether every step has a target: then y is a list of sequences as long as those of X, and so are the predictions.
tokens : bool or "auto", default="auto"
    Whether steps are symbols, each with a learned vector, or numbers; "auto": texts and whole numbers are symbols.
unknown : {"error", "warn"}, default="error"
    What to do with symbols that the fit did not see: refuse them by name, or name them in a warning and read a vector of zeros.""",
    "translation": """label_smoothing : float, default=0.0
    Share of every target that is spread over all symbols.
max_length : int or None, default=None
    Most symbols of an answer; None: twice as many as the longest target of the fit, and eight.
beam_width : int, default=1
    Sequences that `predict` follows at a time; 1: the most probable symbol at every step.
length_penalty : float, default=0.0
    Of a beam the sequence with the largest log p / length^length_penalty is the answer: above 0 helps long ones.
unknown : {"error", "warn"}, default="error"
    What to do with symbols of X that the fit did not see: refuse them by name, or name them in a warning and read a vector of
    zeros.""",
    "pairs": """X and y are lists of sequences of any lengths: texts (whose symbols are their characters), or lists of strings
or whole numbers. Predictions are of the kind that y had.""",
    "sequence attributes": """symbols_ : list or None
    The symbols that training had, where steps are symbols.
n_features_in_ : int
    Columns of a step; 1 for symbols.
module_, weights_, config_, history_, n_epochs_, best_epoch_
    As in every network: see `NetworkEstimator`.""",
    "translation attributes": """source_symbols_, target_symbols_ : list
    The symbols that training had.
max_length_ : int
    Most symbols of an answer.
module_, weights_, config_, history_, n_epochs_, best_epoch_
    As in every network: see `NetworkEstimator`.""",
    "recurrent": """n_units : int, default=64
    Size of the state of a layer.
cell : {"lstm", "gru", "rnn"}, default="lstm"
n_layers : int, default=1
bidirectional : bool, default=False
    Whether a second network reads from the last step to the first.
dropout : float, default=0.0
    Share of values set to zero in training, before, between and after layers.
n_embedding : int, default=32
    Size of the vectors of symbols.
pooling : {"last", "mean", "max"}, default="last"
    What stands for a sequence: the state after its last step, or the mean or largest values over its steps.""",
    "transformer": """width : int, default=64
    Size of the vectors between layers; a multiple of `n_heads`.
n_heads : int, default=4
n_layers : int, default=2
    Blocks; of the encoder, and as many of the decoder where there is one.
n_hidden : int or None, default=None
    Units of the network at every position; None: four times `width`.
dropout : float, default=0.1
activation : {"relu", "gelu"}, default="relu"
norm_first : bool, default=True
    Normalise what a part of a block reads; otherwise what it leaves, as in the first Transformer.
positions : {"sinusoidal", "learned"}, default="sinusoidal"
    Vectors of the positions: waves, or a table, which knows no position that training did not have.""",
}


def complete_paragraphs(doc: str | None) -> str | None:
    """Return the docstring of a class with the paragraphs that it names in their places."""
    if doc is None:
        return doc
    lines = inspect.cleandoc(doc).split("\n")
    return "\n".join(
        PARAGRAPHS.get(line[1:-1], line) if line[:1] == "[" and line[-1:] == "]" else line for line in lines
    )
