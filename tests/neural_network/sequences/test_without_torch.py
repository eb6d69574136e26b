"""Sequence networks without PyTorch: they import, are made and cloned, and say what is missing when they learn."""

import subprocess
import sys

CODE = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "torch" or name.startswith("torch."):
            raise ImportError(name)

sys.meta_path.insert(0, Missing())
from sklearn.base import clone
from novum import neural_network
from novum.teaching import causal_mask, plot_architecture, scaled_dot_attention
from novum.neural_network import positional_encoding

data = {"RecursiveNetwork": (["a", ("a", "b")], [0, 1])}
names = ("RecurrentClassifier", "RecurrentRegressor", "RecursiveNetwork", "Seq2Seq", "TransformerClassifier", "TransformerSeq2Seq")
for name in names:
    model = clone(getattr(neural_network, name)())
    assert repr(model) == f"{name}()"
    try:
        model.fit(*data.get(name, (["ab", "b"], ["x", "y"])))
    except ImportError as error:
        assert f"{name} needs PyTorch: pip install 'novum[deep]'" in str(error), error
    else:
        raise AssertionError(name)
assert causal_mask(2).tolist() == [[True, False], [True, True]]
"""


def test_networks_need_pytorch_when_they_learn():
    subprocess.run([sys.executable, "-c", CODE], check=True)
