"""Every data set that the lecture notes use, with the numbers the notes compute from it, and a few tables for studies.

`load_*` returns what is printed somewhere, `make_*` draws a sample; both give scikit-learn's Bunch (`return_X_y=True` for a
pair, `as_frame=True` for pandas); networks come as `BayesianNetwork`. What scikit-learn has (digits, moons, blobs) is not
repeated here.
"""

from novum.datasets.boolean import make_boolean
from novum.datasets.classes import make_gaussian_classes, make_separable
from novum.datasets.clusters import make_kmeans_failures
from novum.datasets.curves import make_line, make_noisy_function, make_sine
from novum.datasets.deep import make_labelled_graphs, make_sequence_pairs, make_shifted_objects
from novum.datasets.examples import load_candy_bags, load_example, load_tenfold_scores, load_topic_words
from novum.datasets.factors import FactorTables, load_factors
from novum.datasets.files import load_nile, path
from novum.datasets.networks import load_fuel_gauge, load_gene_network, load_network
from novum.datasets.noise import add_noise
from novum.datasets.regions import make_ellipse
from novum.datasets.signals import make_mixed_signals
from novum.datasets.subspaces import make_embedded_plane, make_height_weight
from novum.datasets.svmlight import load_svmlight
from novum.datasets.task import TaskDescription
from novum.datasets.tennis import load_go_to_lesson, load_play_tennis

__all__ = [
    "FactorTables",
    "TaskDescription",
    "add_noise",
    "load_candy_bags",
    "load_example",
    "load_factors",
    "load_fuel_gauge",
    "load_gene_network",
    "load_go_to_lesson",
    "load_network",
    "load_nile",
    "load_play_tennis",
    "load_svmlight",
    "load_tenfold_scores",
    "load_topic_words",
    "make_boolean",
    "make_ellipse",
    "make_embedded_plane",
    "make_gaussian_classes",
    "make_height_weight",
    "make_kmeans_failures",
    "make_labelled_graphs",
    "make_line",
    "make_mixed_signals",
    "make_noisy_function",
    "make_separable",
    "make_sequence_pairs",
    "make_shifted_objects",
    "make_sine",
    "path",
]


def __dir__() -> list[str]:
    return sorted(__all__)
