"""Recurrent layers, attention of a decoder, compositions of trees: literal transcriptions, the notes' numbers, gradients."""

import numpy as np
import pytest
from reference.neural_network import cells

torch = pytest.importorskip("torch")

from novum.neural_network.recurrent.composition import TreeNetwork  # noqa: E402
from novum.neural_network.recurrent.encoder_decoder import EncoderDecoder  # noqa: E402
from novum.neural_network.recurrent.layers import Attention, RecurrentLayers  # noqa: E402
from novum.neural_network.recurrent.network import RecurrentNetwork  # noqa: E402
from novum.neural_network.sequences.padding import PaddedBatch, Ragged  # noqa: E402
from novum.neural_network.sequences.vocabulary import Packed  # noqa: E402

pytestmark = pytest.mark.deep
LENGTHS = np.array([4, 1, 6, 3])


@pytest.fixture(autouse=True)
def one_thread_and_a_seed():
    torch.set_num_threads(1)
    torch.manual_seed(0)


def network(cell, **changes):
    config = {
        "symbols": None,
        "mean": [0.5, -1.0, 0.0],
        "scale": [2.0, 1.0, 0.5],
        "n_units": 5,
        "n_layers": 2,
        "cell": cell,
        "bidirectional": False,
        "dropout": 0.0,
        "pooling": "last",
        "per_step": False,
        "n_outputs": 2,
    } | changes
    return RecurrentNetwork(config).double().eval()


def sequences(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, 3)) for n in LENGTHS]


def padded(xs, filler=0.0):
    values = np.full((len(xs), max(map(len, xs)), xs[0].shape[1]), filler)
    for k, x in enumerate(xs):
        values[k, : len(x)] = x
    lengths = torch.tensor([len(x) for x in xs])
    return PaddedBatch(torch.from_numpy(values), lengths, lengths, False)


def by_hand(net, x, cell, **options):
    """The network's states of one sequence, without padding, from the formulas."""
    weights = {name: value.detach().numpy() for name, value in net.layers.rnn.state_dict().items()}
    scaled = (x - net.input.mean.numpy()) / net.input.scale.numpy()
    return cells.stacked(cell, scaled, weights, 2, options.get("bidirectional", False))


def expected(net, x, cell, pooling, per_step, bidirectional):
    h = by_hand(net, x, cell, bidirectional=bidirectional)
    if not per_step:
        last = np.concatenate([h[-1, :5], h[0, 5:]]) if bidirectional else h[-1]
        h = {"last": last, "mean": h.mean(axis=0), "max": h.max(axis=0)}[pooling]
    return h @ net.head.weight.detach().numpy().T + net.head.bias.detach().numpy()


@pytest.mark.notes("000-c", "rnn")
@pytest.mark.notes("000-c", "gru")
@pytest.mark.notes("000-c", "lstm")
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
def test_the_network_is_its_formulas_and_padding_changes_nothing(cell, bidirectional):
    xs = sequences()
    for pooling, per_step in [("last", False), ("mean", False), ("max", False), ("last", True)]:
        net = network(cell, bidirectional=bidirectional, pooling=pooling, per_step=per_step)
        for filler in (0.0, 1e3):
            out = net(padded(xs, filler)).detach().numpy()
            for k, x in enumerate(xs):
                found = out[k, : len(x)] if per_step else out[k]
                np.testing.assert_allclose(
                    found, expected(net, x, cell, pooling, per_step, bidirectional), rtol=1e-10, atol=1e-12
                )


@pytest.mark.notes("000-c", "lstm")
def test_the_scalar_cell_of_the_notes():
    layer = RecurrentLayers(1, 1, "lstm").double()
    with torch.no_grad():
        for name, value in layer.named_parameters():
            value.fill_(0.5 if "weight" in name else 0.0)
    h, (last_h, last_c) = layer(torch.tensor([[[1.0], [2.0]]], dtype=torch.float64), None)
    np.testing.assert_allclose(h.detach().numpy().ravel(), [0.174270, 0.500859], atol=1e-6)
    np.testing.assert_allclose([last_h.item(), last_c.item()], [0.500859, 0.810271], atol=1e-6)
    half = layer(torch.tensor([[[1.0]]], dtype=torch.float64), None)[1][1]
    assert half.item() == pytest.approx(0.287649, abs=1e-6)


def test_lstm_starts_with_open_forget_gates():
    layer = RecurrentLayers(3, 8, "lstm", 2, bidirectional=True)
    for name, bias in layer.rnn.named_parameters():
        if name.startswith("bias_ih"):
            gates = bias.detach().numpy().reshape(4, 8)
            assert gates[1].min() > 0.5 and np.abs(gates[[0, 2, 3]]).max() < 0.5


@pytest.mark.notes("000-c", "seq2seq-attention")
@pytest.mark.parametrize("kind", ["dot", "additive"])
def test_attention_of_a_decoder_is_its_formula(kind):
    layer = Attention(kind, 4, 3).double()
    h, memory, lengths = torch.randn(2, 5, 4).double(), torch.randn(2, 6, 3).double(), torch.tensor([6, 2])
    out, weights = layer(h, layer.keys(memory), memory, lengths)
    A = layer.memory_map.weight.detach().numpy()
    for n in range(2):
        for t in range(5):
            m, state = memory[n, : lengths[n]].numpy(), h[n, t].numpy()
            if kind == "dot":
                scores = m @ A.T @ state
            else:
                B, b, v = (p.detach().numpy() for p in (layer.state_map.weight, layer.state_map.bias, layer.direction))
                scores = np.tanh(m @ A.T + B @ state + b) @ v
            a = np.exp(scores) / np.exp(scores).sum()
            C, c = layer.combine.weight.detach().numpy(), layer.combine.bias.detach().numpy()
            np.testing.assert_allclose(weights[n, t, : lengths[n]].detach().numpy(), a, atol=1e-12)
            assert not weights[n, t, lengths[n] :].any()
            np.testing.assert_allclose(
                out[n, t].detach().numpy(), np.tanh(C @ np.concatenate([state, a @ m]) + c), atol=1e-12
            )


@pytest.mark.parametrize("attention", [None, "dot", "additive"])
@pytest.mark.parametrize(
    ("cell", "bidirectional", "n_layers"), [("lstm", True, 2), ("gru", False, 1), ("rnn", True, 1)]
)
def test_steps_of_a_decoder_are_the_whole(attention, cell, bidirectional, n_layers):
    net = EncoderDecoder(9, 10, 6, 5, n_layers, cell, attention, bidirectional, 0.0).double().eval()
    source, inputs = torch.randint(4, 9, (3, 6)), torch.randint(4, 10, (3, 5))
    lengths = torch.tensor([6, 2, 4])
    batch = PaddedBatch(source, lengths, lengths, False)
    whole = net(batch, inputs)
    state = net.begin(batch, 7)
    for place in range(5):
        logits, state = net.step(inputs[:, place], place, state)
        torch.testing.assert_close(logits, whole[:, place], rtol=1e-12, atol=1e-12)
    for k, n in enumerate(lengths):
        alone = PaddedBatch(source[k : k + 1, :n], lengths[k : k + 1], lengths[k : k + 1], True)
        torch.testing.assert_close(net(alone, inputs[k : k + 1])[0], whole[k], rtol=1e-12, atol=1e-12)


def test_the_bridge_joins_both_ways_of_every_layer():
    net = EncoderDecoder(9, 10, 6, 5, 2, "gru", None, True, 0.0).double()
    source = torch.randint(4, 9, (1, 4))
    length = torch.tensor([4])
    _, (state,) = net.encode(PaddedBatch(source, length, length, True))
    _, last = net.encoder.rnn(net.source_table[source])  # (layers * 2, 1, units): forward, backward, forward, backward
    W, b = net.bridges[0].weight, net.bridges[0].bias
    for layer in range(2):
        both = torch.cat([last[2 * layer, 0], last[2 * layer + 1, 0]])
        torch.testing.assert_close(state[0, layer], torch.tanh(W @ both + b), rtol=1e-12, atol=1e-12)


@pytest.mark.notes("002", "backprop")
@pytest.mark.notes("000-c", "lstm")
def test_gradients_are_differences():
    x = torch.randn(2, 3, 3, dtype=torch.float64, requires_grad=True)
    lengths = torch.tensor([3, 2])
    for cell in ("rnn", "gru", "lstm"):
        net = network(cell, n_layers=1, bidirectional=True, pooling="mean").train()
        assert torch.autograd.gradcheck(lambda a, net=net: net(PaddedBatch(a, lengths, lengths, False)), (x,))
    h = torch.randn(2, 2, 4, dtype=torch.float64, requires_grad=True)
    for kind in ("dot", "additive"):
        layer = Attention(kind, 4, 3).double()
        assert torch.autograd.gradcheck(lambda a, b, layer=layer: layer(a, layer.keys(b), b, lengths)[0], (h, x))
    for cell in ("tanh", "lstm"):
        tree = TreeNetwork(0, 3, 4, 2, 2, cell, 0.0).double()
        leaves = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
        levels = [torch.tensor([[0, 1]]), torch.tensor([[3, 2], [3, -1]])]
        assert torch.autograd.gradcheck(lambda v, tree=tree: tree(v, levels, torch.tensor([3, 4, 5])), (leaves,))  # noqa: B023


def test_batches_hold_their_sequences_and_zeros():
    xs = sequences()
    ragged = Ragged(Packed(np.concatenate(xs), LENGTHS), "cpu")
    batch = ragged.take(np.array([2, 0, 1]), torch.tensor([2, 0, 1]))
    assert batch.values.shape == (3, 6, 3) and not batch.equal and batch.mask_lengths is batch.lengths
    for row, k in zip(batch.values.numpy(), [2, 0, 1]):
        np.testing.assert_array_equal(row[: LENGTHS[k]], xs[k].astype(np.float32))
        assert not row[LENGTHS[k] :].any()
    alone = ragged.take(np.array([3]), torch.tensor([3]))
    assert alone.equal and alone.mask_lengths is None
    whole = Ragged(Packed(np.arange(12.0)[:, None], np.full(4, 3)), "cpu").take(np.array([3, 1]), torch.tensor([3, 1]))
    assert whole.equal and whole.values[..., 0].tolist() == [[9, 10, 11], [3, 4, 5]]
