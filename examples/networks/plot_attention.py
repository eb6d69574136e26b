"""
Attention: where a translator of dates looks
============================================

A small Transformer learns to write dates in figures, "3 March 2021" as "2021-03-03". Attention shows where each figure comes from:
the year is copied from the end, the day from the beginning, and the month from the letters that tell it
(:doc:`/theory/attention`).
"""

import datetime

import matplotlib.pyplot as plt
import numpy as np
import torch

from novum.neural_network import TransformerSeq2Seq

torch.set_num_threads(1)
days = np.random.default_rng(0).choice(73_000, size=3_000, replace=False)
dates = [datetime.date(1900, 1, 1) + datetime.timedelta(int(day)) for day in days]
X, y = [f"{day.day} {day:%B %Y}" for day in dates], [day.isoformat() for day in dates]
model = TransformerSeq2Seq(
    48,
    n_layers=1,
    n_hidden=96,
    dropout=0.0,
    tied_weights=True,
    max_epochs=12,
    learning_rate=5e-3,
    batch_size=32,
    schedule="cosine",
    warmup_steps=100,
    random_state=0,
)
model.fit(X[:2500], y[:2500])
print(f"{model.score(X[2500:], y[2500:]):.1%} of 500 dates that were not seen are right")
print(model.candidates(["17 October 1987"], beam_width=3)[0])

# %%
# The mean over the heads, and two heads on their own.
figure, axes = plt.subplots(1, 3, figsize=(15, 4), layout="constrained")
for ax, head, title in zip(axes, (None, 0, 1), ("all heads", "head 0", "head 1")):
    model.plot_attention("17 October 1987", head=head, ax=ax).set_title(title)

# %%
# The loss of every epoch.
model.plot_training()
plt.show()
