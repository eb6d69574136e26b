"""Attention, positions and blocks: the notes' numbers, PyTorch's own layers with the same weights, gradients by differences."""

import math

import numpy as np
import pytest

from novum.neural_network import positional_encoding

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from novum.neural_network.sequences.padding import PaddedBatch  # noqa: E402
from novum.neural_network.transformer.attention import (  # noqa: E402
    MultiHeadAttention,
    causal_mask,
    padding_mask,
    scaled_dot_attention,
)
from novum.neural_network.transformer.blocks import DecoderBlock, EncoderBlock, PositionwiseFeedForward  # noqa: E402
from novum.neural_network.transformer.networks import TransformerNetwork, TransformerShape  # noqa: E402
from novum.neural_network.transformer.positions import PositionalEncoding, TokenEmbedding  # noqa: E402

pytestmark = pytest.mark.deep
DOUBLE = {"dtype": torch.float64}


@pytest.fixture(autouse=True)
def one_thread_and_a_seed():
    torch.set_num_threads(1)
    torch.manual_seed(0)


def normal(*shape, **options):
    return torch.randn(*shape, **DOUBLE, **options)


def close(a, b, tolerance=1e-12):
    torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.notes("000-c", "scaled-dot-attention")
def test_attention_has_the_numbers_of_the_notes():
    Q = torch.eye(2, **DOUBLE)
    K = torch.tensor([[1, 0], [0, 1], [1, 1]], **DOUBLE)
    V = torch.tensor([[1, 2], [3, 4], [5, 6]], **DOUBLE)
    out, a = scaled_dot_attention(Q, K, V)
    close(a, torch.tensor([[0.401112, 0.197776, 0.401112], [0.197776, 0.401112, 0.401112]], **DOUBLE), 1e-6)
    close(out, torch.tensor([[3, 4], [3.406673, 4.406673]], **DOUBLE), 1e-6)
    many = normal(3, 5, 7), normal(3, 4, 7), normal(3, 4, 2)
    for together, one in zip(zip(*scaled_dot_attention(*many)), zip(*many)):
        for found, alone in zip(together, scaled_dot_attention(*one)):
            close(found, alone)
    q, k, v = normal(5, 7), normal(4, 7), normal(4, 3)
    scores = q.numpy() @ k.numpy().T / math.sqrt(7)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    out, a = scaled_dot_attention(q, k, v)
    close(a, torch.from_numpy(weights))
    close(out, torch.from_numpy(weights @ v.numpy()))


@pytest.mark.notes("000-c", "causal-mask")
def test_later_positions_are_not_seen():
    x = torch.tensor([[1, 0], [0, 1], [1, 1]], **DOUBLE)
    _, a = scaled_dot_attention(x, x, x, causal_mask(3))
    expected = [[1, 0, 0], [0.330238, 0.669762, 0], [0.248255, 0.248255, 0.503490]]
    close(a, torch.tensor(expected, **DOUBLE), 1e-6)
    layer = MultiHeadAttention(6, 2).double()
    sequence = normal(1, 5, 6)
    changed = sequence.clone()
    changed[:, 3:] += 1
    before, after = layer(sequence, causal=True), layer(changed, causal=True)
    close(before[:, :3], after[:, :3])
    assert (before[:, 3:] - after[:, 3:]).abs().min() > 1e-6


def test_a_query_that_may_see_nothing_receives_zeros():
    out, a = scaled_dot_attention(normal(2, 3), normal(4, 3), normal(4, 3), torch.zeros(2, 4, dtype=torch.bool))
    assert not out.any() and not a.any()


@pytest.mark.parametrize("masked", ["nothing", "padding", "causal"])
def test_fused_attention_is_its_twin(masked):
    layer = MultiHeadAttention(12, 3).double()
    x, lengths = normal(4, 6, 12), torch.tensor([6, 1, 3, 4])
    mask = padding_mask(lengths, 6)[:, None, None] if masked == "padding" else None
    kept = []
    causal = masked == "causal"
    close(layer(x, mask=mask, causal=causal), layer(x, mask=mask, causal=causal, kept=kept))
    close(kept[0].sum(dim=-1), torch.ones(4, 3, 6, **DOUBLE))
    if masked == "padding":
        assert not kept[0][1, ..., 1:].any() and not kept[0][2, ..., 3:].any()


def heads_one_by_one(layer, x, memory, seen):
    """The definition: every head with matrices of its own, concatenated, projected."""
    width, size = x.shape[-1], x.shape[-1] // layer.n_heads
    W, b = layer.in_proj_weight, layer.in_proj_bias
    heads = []
    for h in range(layer.n_heads):
        rows = [slice(part * width + h * size, part * width + (h + 1) * size) for part in range(3)]
        q, k, v = (y @ W[r].T + b[r] for y, r in zip((x, memory, memory), rows))
        scores = q @ k.transpose(1, 2) / math.sqrt(size)
        heads.append(torch.where(seen, scores, -math.inf).softmax(-1) @ v)
    return torch.cat(heads, dim=-1) @ layer.out_proj.weight.T + layer.out_proj.bias


@pytest.mark.notes("000-c", "multi-head-attention")
def test_heads_are_attention_on_projections_of_their_own():
    layer = MultiHeadAttention(12, 4).double()
    nn.init.normal_(layer.in_proj_bias)
    nn.init.normal_(layer.out_proj.bias)
    x, memory, lengths = normal(3, 5, 12), normal(3, 7, 12), torch.tensor([7, 2, 5])
    seen = padding_mask(lengths, 7)
    close(layer(x, memory, seen[:, None, None]), heads_one_by_one(layer, x, memory, seen[:, None]))
    close(layer(x, causal=True), heads_one_by_one(layer, x, x, causal_mask(5)))


@pytest.mark.parametrize("cross", [False, True])
def test_attention_is_that_of_pytorch(cross):
    ours, theirs = MultiHeadAttention(12, 3).double(), nn.MultiheadAttention(12, 3, batch_first=True).double()
    ours.load_state_dict(theirs.state_dict())
    x, lengths = normal(4, 5, 12), torch.tensor([5, 1, 3, 4])
    memory = normal(4, 5, 12) if cross else x
    seen = padding_mask(lengths, 5)
    expected, weights = theirs(x, memory, memory, key_padding_mask=~seen, average_attn_weights=False)
    kept = []
    close(ours(x, memory if cross else None, seen[:, None, None], kept=kept), expected)
    close(kept[0], weights)


@pytest.mark.notes("000-c", "positional-encoding")
def test_positions_are_added():
    table = torch.from_numpy(positional_encoding(1000, 10))
    layer = PositionalEncoding(10, "sinusoidal", 1).double()
    x = normal(2, 1000, 10)  # longer than the first table
    close(layer(x) - x, table.expand(2, -1, -1), 1e-6)
    close(layer(x[:, :3], first=500) - x[:, :3], table[500:503].expand(2, -1, -1), 1e-6)
    learned = PositionalEncoding(4, "learned", 6).double()
    close(learned(torch.zeros(1, 3, 4, **DOUBLE), first=2)[0], learned.table[2:5])


@pytest.mark.notes("000-c", "token-embedding")
def test_symbols_are_rows_of_a_learned_matrix():
    assert float(TokenEmbedding(3000, 16).weight.detach().std()) == pytest.approx(1 / 4, rel=0.02)
    layer = TokenEmbedding(7, 4).double()
    symbols = torch.tensor([[3, 0, 3], [6, 1, 2]])
    close(layer(symbols), 2 * layer.weight[symbols])
    layer(symbols).sum().backward()
    counts = torch.bincount(symbols.flatten(), minlength=7).double()
    close(layer.weight.grad, 2 * counts[:, None].expand(-1, 4))


@pytest.mark.notes("000-c", "positionwise-ffn")
@pytest.mark.parametrize(("activation", "g"), [("relu", torch.relu), ("gelu", nn.functional.gelu)])
def test_the_same_network_stands_at_every_position(activation, g):
    layer = PositionwiseFeedForward(6, 11, activation=activation).double()
    x = normal(2, 5, 6)
    a, b = layer.linear1, layer.linear2
    for n in range(2):
        for t in range(5):
            close(layer(x)[n, t], b.weight @ g(a.weight @ x[n, t] + a.bias) + b.bias)


def copied(ours, theirs):
    """Give our block the weights of PyTorch's."""
    state = theirs.state_dict()
    renamed = {}
    for name, value in state.items():
        if name.startswith("linear"):
            name = f"feed_forward.{name}"
        elif name.startswith("norm"):
            name = f"norms.{int(name[4]) - 1}.{name[6:]}"
        renamed[name] = value
    ours.load_state_dict(renamed)
    return ours


@pytest.mark.notes("000-c", "transformer-blocks")
@pytest.mark.notes("000-c", "transformer")
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_blocks_are_those_of_pytorch(norm_first, activation):
    options = {"batch_first": True, "norm_first": norm_first, "activation": activation, "dropout": 0.0}
    x, memory = normal(3, 5, 8), normal(3, 6, 8)
    seen, memory_seen = padding_mask(torch.tensor([5, 2, 4]), 5), padding_mask(torch.tensor([1, 6, 3]), 6)
    theirs = nn.TransformerEncoderLayer(8, 2, 13, **options).double()
    ours = copied(EncoderBlock(8, 2, 13, 0.0, activation, norm_first).double(), theirs)
    expected = theirs(x, src_key_padding_mask=~seen)
    close(ours(x, seen[:, None, None])[seen], expected[seen])
    theirs = nn.TransformerDecoderLayer(8, 2, 13, **options).double()
    ours = copied(DecoderBlock(8, 2, 13, 0.0, activation, norm_first).double(), theirs)
    causal = nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64)
    expected = theirs(x, memory, tgt_mask=causal, memory_key_padding_mask=~memory_seen)
    close(ours(x, memory, memory_seen[:, None, None]), expected)


def padded(values, lengths=None):
    """Return a batch as networks take it."""
    full = torch.full((len(values),), values.shape[1])
    return PaddedBatch(
        values, full if lengths is None else lengths, full if lengths is None else lengths, lengths is None
    )


def network(**changes):
    options = {"positions": "sinusoidal", "norm_first": True, "n_layers": 2} | changes
    shape = TransformerShape(
        8, 2, 12, options["n_layers"], 0.0, "relu", options["norm_first"], options["positions"], 40
    )
    return TransformerNetwork(9, 10, shape, options.get("tied", False)).double().eval()


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")  # PyTorch's own remark on its fast path
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_the_network_is_torch_nn_transformer(positions, norm_first):
    ours = network(positions=positions, norm_first=norm_first)
    theirs = nn.Transformer(8, 2, 2, 2, 12, 0.0, batch_first=True, norm_first=norm_first).double().eval()
    for mine, other in zip(ours.encoder.blocks, theirs.encoder.layers):
        copied(mine, other)
    for mine, other in zip(ours.blocks, theirs.decoder.layers):
        copied(mine, other)
    if not norm_first:  # there PyTorch normalises once more at the end, which we do not
        theirs.encoder.norm = theirs.decoder.norm = None
    source, inputs, lengths = torch.randint(4, 9, (3, 6)), torch.randint(4, 10, (3, 5)), torch.tensor([6, 2, 4])
    hidden = ~padding_mask(lengths, 6)
    embedded = ours.encoder.places(ours.source_embedding(source)), ours.places(ours.target_embedding(inputs))
    causal = nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64)
    expected = theirs(
        *embedded,
        tgt_mask=causal,
        src_key_padding_mask=hidden.double().masked_fill(hidden, -math.inf),
        memory_key_padding_mask=hidden.double().masked_fill(hidden, -math.inf),
    )
    close(ours(padded(source, lengths), inputs), ours.head(expected))


@pytest.mark.parametrize("tied", [False, True])
def test_steps_with_kept_keys_are_the_whole_decoder(tied):
    net = network(tied=tied)
    assert (net.head.weight is net.target_embedding.weight) == tied
    source, inputs, lengths = torch.randint(4, 9, (3, 6)), torch.randint(4, 10, (3, 5)), torch.tensor([6, 2, 4])
    inputs = inputs.repeat(1, 8)  # longer than the first room for keys and values, twice
    whole = net(padded(source, lengths), inputs)
    state = net.begin(padded(source, lengths), 41)
    for place in range(40):
        logits, state = net.step(inputs[:, place], place, state)
        close(logits, whole[:, place])


def test_padding_changes_no_answer():
    net = network()
    source, inputs = torch.randint(4, 9, (1, 4)), torch.randint(4, 10, (1, 5))
    alone = net(padded(source), inputs)
    longer = torch.cat([source, torch.randint(0, 9, (1, 3))], dim=1)
    close(net(padded(longer, torch.tensor([4])), inputs), alone)


def test_gradients_are_differences():
    layer = MultiHeadAttention(4, 2).double()
    x, memory = normal(2, 3, 4, requires_grad=True), normal(2, 4, 4, requires_grad=True)
    seen = padding_mask(torch.tensor([4, 2]), 4)[:, None, None]
    assert torch.autograd.gradcheck(lambda a, b: layer(a, b, seen), (x, memory))
    assert torch.autograd.gradcheck(lambda a: layer(a, causal=True, kept=[]), (x,))
    for block in (EncoderBlock(4, 2, 5, norm_first=True), EncoderBlock(4, 2, 5, 0.0, "gelu", False)):
        assert torch.autograd.gradcheck(block.double(), (x,))
    decoder = DecoderBlock(4, 2, 5).double()
    assert torch.autograd.gradcheck(lambda a, b: decoder(a, b, seen), (x, memory))
    net = network(n_layers=1, tied=True)
    source, inputs = torch.tensor([[4, 5, 6]]), torch.tensor([[1, 7]])
    names = ["target_embedding.weight", "source_embedding.weight", "blocks.0.multihead_attn.in_proj_weight"]
    values = [dict(net.named_parameters())[name].detach().requires_grad_() for name in names]

    def logits(*given):
        return torch.func.functional_call(net, dict(zip(names, given)), (padded(source), inputs))

    assert torch.autograd.gradcheck(logits, tuple(values))
