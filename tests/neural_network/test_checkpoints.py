"""Networks under `novum.checkpoint`: the last epoch is in the file, and a training that was cut off goes on to the same weights."""

import numpy as np
import pytest
from sklearn.base import clone

import novum
from novum.neural_network import Autoencoder, ConvNetClassifier

pytestmark = pytest.mark.deep
RNG = np.random.default_rng(0)
IMAGES = RNG.normal(size=(120, 1, 6, 6)).astype(np.float32)
CODED = (RNG.normal(size=(120, 2)) @ RNG.normal(size=(2, 12))).astype(np.float32)
LABELS = (IMAGES.sum((1, 2, 3)) > 0).astype(int)


@pytest.mark.parametrize(
    "model, given",
    [
        (ConvNetClassifier(max_epochs=6, validation_fraction=0.2, random_state=0), (IMAGES, LABELS)),
        (Autoencoder(max_epochs=6, pretrain_epochs=3, learning_rate=0.01, random_state=0), (CODED,)),
    ],
    ids=["convolutional", "autoencoder"],
)
def test_a_training_goes_on_to_the_same_weights(model, given, tmp_path):
    path = tmp_path / "fit.ckpt"
    plain = clone(model).fit(*given)
    with novum.checkpoint(path, keep=True) as steps:
        clone(model).fit(*given)
    made, data = steps.made, path.read_bytes()
    for cut in (0.3, 0.7):
        path.write_bytes(data[: int(cut * len(data))])
        with novum.checkpoint(path, keep=True) as steps:
            again = clone(model).fit(*given)
        assert 0 < steps.made < made
        assert all(np.array_equal(again.weights_[name], plain.weights_[name]) for name in plain.weights_)
        assert again.history_.objective == plain.history_.objective and again.n_epochs_ == plain.n_epochs_
