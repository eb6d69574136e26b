"""
Convolutional network: what it sees
===================================

A small network learns handwritten digits. Its first filters are little pictures of three by three pixels; each makes a map of
one image: where the filter fits, the map is bright. The second block sees maps of maps.
"""

import torch
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from novum.neural_network import ConvNetClassifier

torch.set_num_threads(1)
X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), test_size=0.3, random_state=0)
model = ConvNetClassifier((16, 32), max_epochs=20, validation_fraction=0.1, random_state=0).fit(X, y)
print(f"right on {model.score(X_test, y_test):.1%} of the digits that were not seen")

# %%
# The loss falls on the training rows and on those held back; the weights of the marked epoch are kept.
model.plot_training()

# %%
# A digit, the filters of the first block, and the maps that both blocks make of the digit.
figure, axes = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained")
axes[0].imshow(X_test[3].reshape(8, 8), cmap="gray")
axes[0].set_title(f"a {y_test[3]}, told as {model.predict(X_test[3:4])[0]}")
axes[0].set_axis_off()
for ax, draw, title in [
    (axes[1], model.plot_filters, "filters of block 0"),
    (axes[2], lambda ax: model.plot_feature_maps(X_test[3], 0, ax), "maps of block 0"),
    (axes[3], lambda ax: model.plot_feature_maps(X_test[3], 1, ax), "maps of block 1"),
]:
    draw(ax=ax).set_title(title)
plt.show()
