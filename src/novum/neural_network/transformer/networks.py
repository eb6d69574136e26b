r"""The Transformer: symbols and places, N encoder blocks, N decoder blocks, a linear map to the symbols that may come next.

    m = encoder(x_1 ... x_S);   p(y_t | y_1 ... y_{t-1}, x) = softmax(W decoder(START y_1 ... y_{t-1}; m)_t + b)             (1)

In training all places t are computed at once, each blind to those after it; in decoding one place at a time, and the keys and
values of the places before it are kept, so that a place costs one pass over what is there and not a run of the whole decoder.
"""

from typing import Any, NamedTuple

from torch import Tensor, nn
from torch.nn.functional import pad

from novum.neural_network.sequences.inputs import SequenceInput, pooled
from novum.neural_network.sequences.network import SequenceToSequence
from novum.neural_network.sequences.padding import PaddedBatch
from novum.neural_network.transformer.attention import KeyValues, padding_mask
from novum.neural_network.transformer.blocks import DecoderBlock, EncoderBlock
from novum.neural_network.transformer.positions import PositionalEncoding, TokenEmbedding

__all__ = ["Encoder", "EncoderNetwork", "TransformerNetwork", "TransformerShape"]

FIRST_ROOM = 16  # places of a decoder whose keys and values are kept at first


class TransformerShape(NamedTuple):
    """Sizes and kinds of a stack of blocks."""

    width: int
    n_heads: int
    hidden: int
    n_layers: int
    dropout: float
    activation: str
    norm_first: bool
    positions: str
    n_positions: int

    def blocks(self, kind: type[nn.Module]) -> nn.ModuleList:
        """Return `n_layers` blocks of one kind."""
        options = (self.width, self.n_heads, self.hidden, self.dropout, self.activation, self.norm_first)
        return nn.ModuleList(kind(*options) for _ in range(self.n_layers))

    def last_norm(self) -> nn.Module:
        """Return the normalisation after the last block: blocks that normalise what they read leave sums behind."""
        return nn.LayerNorm(self.width) if self.norm_first else nn.Identity()

    def places(self) -> PositionalEncoding:
        """Return the encoding of positions."""
        return PositionalEncoding(self.width, self.positions, self.n_positions, self.dropout)


def key_mask(lengths: Tensor | None, n_steps: int) -> Tensor | None:
    """Return the mask of steps that a sequence has, (n, 1, 1, steps); None where all have all."""
    return None if lengths is None else padding_mask(lengths, n_steps)[:, None, None, :]


class Encoder(nn.Module):
    """Positions and encoder blocks over vectors (n, steps, width)."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.places, self.blocks, self.norm = shape.places(), shape.blocks(EncoderBlock), shape.last_norm()

    def forward(self, x: Tensor, lengths: Tensor | None = None, kept: list[Tensor] | None = None) -> Tensor:
        """Return the codes of x; `lengths` None: no sequence is padded."""
        mask = key_mask(lengths, x.shape[1])
        x = self.places(x)
        for block in self.blocks:
            x = block(x, mask, kept)
        return self.norm(x)


class EncoderNetwork(nn.Module):
    """Steps as vectors, encoder blocks, and a linear map of their codes: of every step, or of their mean or largest values.

    Parameters
    ----------
    config : dict
        That of `SequenceInput`, `shape` (the fields of TransformerShape), `pooling`, `per_step` and `n_outputs`.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        shape = TransformerShape(**config["shape"])
        self.input = SequenceInput(config)
        self.widen = nn.Linear(self.input.width, shape.width) if self.input.table is None else nn.Identity()
        self.encoder = Encoder(shape)
        self.head = nn.Linear(shape.width, config["n_outputs"])
        self.pooling, self.per_step = config["pooling"], config["per_step"]

    def forward(self, batch: PaddedBatch, kept: list[Tensor] | None = None) -> Tensor:
        """Return outputs (n, outputs), or (n, steps, outputs) where every step has its own."""
        codes = self.encoder(self.widen(self.input(batch.values)), batch.mask_lengths, kept)
        return self.head(codes if self.per_step else pooled(codes, batch, self.pooling))


class TransformerNetwork(SequenceToSequence):
    """(1).

    Parameters
    ----------
    n_source, n_target : int
        Numbers of symbols.
    shape : TransformerShape
    tied : bool
        Whether the matrix that reads target symbols also writes them.
    """

    def __init__(self, n_source: int, n_target: int, shape: TransformerShape, tied: bool) -> None:
        super().__init__()
        self.shape = shape
        self.source_embedding = TokenEmbedding(n_source, shape.width)
        self.target_embedding = TokenEmbedding(n_target, shape.width)
        self.encoder = Encoder(shape)
        self.places, self.blocks, self.norm = shape.places(), shape.blocks(DecoderBlock), shape.last_norm()
        self.head = nn.Linear(shape.width, n_target)
        self.n_shared = 1 + 2 * shape.n_layers  # lengths, and the keys and values of m for every block
        if tied:
            self.head.weight = self.target_embedding.weight

    def encode(self, source: PaddedBatch) -> Tensor:
        """Return the encoder's codes m, (n, S, width)."""
        return self.encoder(self.source_embedding(source.values), source.mask_lengths)

    def logits(self, source: PaddedBatch, inputs: Tensor, kept: list[Tensor] | None = None) -> Tensor:
        """Return the logits of (1) at all places of `inputs`."""
        memory = self.encode(source)
        mask = key_mask(source.mask_lengths, source.values.shape[1])
        x = self.places(self.target_embedding(inputs))
        for block in self.blocks:
            x = block(x, memory, mask, kept)
        return self.head(self.norm(x))

    def begin(self, source: PaddedBatch, room: int) -> list[Tensor]:
        """Return lengths, of each block the keys and values of m, and of each those of the first of `room` places."""
        memory = self.encode(source)
        read = [part for block in self.blocks for part in block.multihead_attn.project(memory)]
        shape = (*read[0].shape[:2], min(room, FIRST_ROOM), read[0].shape[3])
        return [source.lengths, *read, *(memory.new_empty(shape) for _ in read)]

    def step(self, symbols: Tensor, place: int, state: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """Return the logits of (1) at one place; the room for keys and values doubles when it is full."""
        lengths, *read = state[: self.n_shared]
        past = state[self.n_shared :]
        if place == past[0].shape[2]:
            past = [pad(part, (0, 0, 0, place)) for part in past]
        x = self.places(self.target_embedding(symbols[:, None]), place)
        mask = key_mask(lengths, read[0].shape[2])
        for k, block in enumerate(self.blocks):
            both = slice(2 * k, 2 * k + 2)
            x = block.step(x, place, KeyValues(*past[both]), KeyValues(*read[both]), mask)
        return self.head(self.norm(x))[:, 0], [lengths, *read, *past]
