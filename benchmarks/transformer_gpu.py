"""Sequence networks on a GPU: `python benchmarks/transformer_gpu.py [transformer] [recurrent] [ragged]`.

transformer  tokens a second in training: `TransformerSeq2Seq` (compiled) beside `torch.nn.Transformer` (compiled) with the same
             sizes, batches, optimiser and precision, on sequences of one length. Bar on one H200: 0.80 of its tokens.
ragged       the same with lengths between a quarter and all of the longest: masks and batches of like length.
recurrent    an epoch of `RecurrentClassifier` beside the bare loop of PyTorch over the same network. Bar: 1.05 of its time.

Source and target tokens are counted, padding is not. The first epochs, which compile, are left out. Without a GPU the sizes
are small and the times those of the processor.
"""

import math
import statistics
import sys
import time

import numpy as np
import torch
from torch import nn

from novum.neural_network import RecurrentClassifier, TransformerSeq2Seq

GPU = torch.cuda.is_available()
DEVICE = torch.device("cuda" if GPU else "cpu")
EPOCHS = 6 if GPU else 3
WARM = 2 if GPU else 1  # epochs that compile
SIZES = (
    {"width": 512, "n_heads": 8, "n_layers": 6, "n_hidden": 2048}
    if GPU
    else {"width": 32, "n_heads": 4, "n_layers": 1, "n_hidden": 64}
)
PAIRS, LENGTH, SYMBOLS, BATCH = (8192, 128, 8000, 128) if GPU else (128, 16, 50, 32)
RATE = 1e-4


class Peer(nn.Module):
    """`torch.nn.Transformer` between embeddings with positions and a linear map: what its users write around it."""

    def __init__(self, n_symbols, longest):
        super().__init__()
        width = SIZES["width"]
        self.source, self.target = nn.Embedding(n_symbols, width), nn.Embedding(n_symbols, width)
        self.places = nn.Parameter(torch.randn(longest, width) / math.sqrt(width))
        self.transformer = nn.Transformer(
            width,
            SIZES["n_heads"],
            SIZES["n_layers"],
            SIZES["n_layers"],
            SIZES["n_hidden"],
            0.1,
            batch_first=True,
            norm_first=True,
        )
        self.output = nn.Linear(width, n_symbols)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(longest))

    def forward(self, source, inputs, targets, hidden=None):
        n = inputs.shape[1]
        coded = self.transformer(
            self.source(source) + self.places[: source.shape[1]],
            self.target(inputs) + self.places[:n],
            tgt_mask=self.mask[:n, :n],
            tgt_is_causal=True,
            src_key_padding_mask=hidden,
            memory_key_padding_mask=hidden,
        )
        logits = self.output(coded).flatten(0, 1).float()
        return nn.functional.cross_entropy(logits, targets.flatten(), ignore_index=0)


def pairs(ragged):
    """Return pairs of sequences, as long as the longest or of any length from a quarter of it."""
    rng = np.random.default_rng(0)
    low = LENGTH // 4 if ragged else LENGTH
    lengths = rng.integers(low, LENGTH + 1, size=PAIRS)
    X = [rng.integers(0, SYMBOLS, size=n).tolist() for n in lengths]
    return X, [sequence[::-1][:-1] for sequence in X]  # with START or END as long as the source


def wait():
    if GPU:
        torch.cuda.synchronize()


def peer_epochs(X, y):
    """Return seconds per epoch of PyTorch's network: data on the device, batches of like length, compiled, bfloat16."""
    lengths = np.array([len(x) for x in X])
    source = torch.zeros(len(X), LENGTH, dtype=torch.long)
    inputs, targets = torch.zeros_like(source), torch.zeros_like(source)
    for k, (x, out) in enumerate(zip(X, y)):
        source[k, : len(x)] = torch.tensor(x) + 4
        inputs[k, 0], inputs[k, 1 : len(out) + 1] = 1, torch.tensor(out) + 4
        targets[k, : len(out)], targets[k, len(out)] = torch.tensor(out) + 4, 2
    source, inputs, targets = (part.to(DEVICE) for part in (source, inputs, targets))
    sizes = torch.as_tensor(lengths, device=DEVICE)
    torch.manual_seed(0)
    module = Peer(SYMBOLS + 4, LENGTH).to(DEVICE).train()
    run = torch.compile(module) if GPU else module
    optimizer = torch.optim.Adam(module.parameters(), lr=RATE, **({"fused": True} if GPU else {}))
    equal = lengths.min() == lengths.max()
    times, rng = [], np.random.default_rng(0)
    for _ in range(EPOCHS):
        wait()
        begin = time.perf_counter()
        order = rng.permutation(len(X))
        if not equal:
            order = order[np.argsort(lengths[order], kind="stable")]
        batches = [order[k : k + BATCH] for k in range(0, len(order), BATCH)]
        for k in rng.permutation(len(batches)):
            index = torch.as_tensor(batches[k], device=DEVICE)
            n = int(-(-lengths[batches[k]].max() // 8) * 8)
            hidden = None if equal else torch.arange(n, device=DEVICE) >= sizes[index][:, None]
            with torch.autocast(DEVICE.type, dtype=torch.bfloat16, enabled=GPU):
                loss = run(source[index, :n], inputs[index, :n], targets[index, :n], hidden)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(module.parameters(), 1.0)
            optimizer.step()
        wait()
        times.append(time.perf_counter() - begin)
    return times


def transformer(ragged=False):
    """Compare tokens a second in training."""
    X, y = pairs(ragged)
    tokens = sum(len(x) + len(out) + 1 for x, out in zip(X, y))
    model = TransformerSeq2Seq(
        **SIZES,
        batch_size=BATCH,
        max_epochs=EPOCHS,
        patience=None,
        learning_rate=RATE,
        compile=GPU,
        random_state=0,
        positions="learned",
        max_length=LENGTH,
    ).fit(X, y)
    ours = tokens / statistics.median(model.history_["seconds"][WARM:])
    theirs = tokens / statistics.median(peer_epochs(X, y)[WARM:])
    kind = "ragged" if ragged else "one length"
    print(
        f"Transformer {SIZES}, {kind}, batch {BATCH} x {LENGTH}: TransformerSeq2Seq {ours:,.0f} tokens/s,"
        f" torch.nn.Transformer {theirs:,.0f} tokens/s, ratio {ours / theirs:.3f} (bar 0.80); last loss {model.history_[-1]:.4f}"
    )


def recurrent():
    """Compare the time of an epoch with a bare loop over the same network."""
    n, steps, columns = (20_000, 64, 32) if GPU else (512, 8, 4)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, steps, columns)).astype(np.float32)
    y = (X[:, :, 0].sum(axis=1) > 0).astype(int)
    for cell, both in [("lstm", False), ("lstm", True), ("gru", False)]:
        model = RecurrentClassifier(
            256 if GPU else 16,
            cell=cell,
            n_layers=2,
            bidirectional=both,
            batch_size=256,
            max_epochs=EPOCHS,
            patience=None,
            clip_norm=None,
            random_state=0,
        ).fit(X, y)
        torch.backends.cudnn.deterministic = True  # as in the estimator
        units = model.n_units
        rnn = {"lstm": nn.LSTM, "gru": nn.GRU}[cell](columns, units, 2, batch_first=True, bidirectional=both)
        head = nn.Linear(units * (2 if both else 1), 2)
        module = nn.ModuleList([rnn, head]).to(DEVICE).train()
        optimizer = torch.optim.Adam(module.parameters(), lr=1e-3, **({"fused": True} if GPU else {}))
        rows, codes = torch.as_tensor(X, device=DEVICE), torch.as_tensor(y, device=DEVICE)
        times = []
        for _ in range(EPOCHS):
            wait()
            begin = time.perf_counter()
            for index in torch.randperm(n, device=DEVICE).split(256):
                with torch.autocast(DEVICE.type, dtype=torch.bfloat16, enabled=GPU):
                    h, _ = rnn(rows[index])
                    last = torch.cat([h[:, -1, :units], h[:, 0, units:]], dim=1)
                    loss = nn.functional.cross_entropy(head(last).float(), codes[index])
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
            wait()
            times.append(time.perf_counter() - begin)
        ours, plain = statistics.median(model.history_["seconds"][WARM:]), statistics.median(times[WARM:])
        print(
            f"{cell}{' both ways' if both else ''}: RecurrentClassifier {1e3 * ours:.0f} ms an epoch,"
            f" bare loop {1e3 * plain:.0f} ms, ratio {ours / plain:.3f} (bar 1.05)"
        )


def main(names):
    if not GPU:
        torch.set_num_threads(1)
    print(torch.cuda.get_device_name() if GPU else "no GPU: the processor's own times")
    for name in names or ("transformer", "ragged", "recurrent"):
        {"transformer": transformer, "ragged": lambda: transformer(True), "recurrent": recurrent}[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
