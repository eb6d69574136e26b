"""Every data set that the lecture notes use, with the numbers the notes compute from it, and a few tables for studies.

`load_*` returns what is printed somewhere, `make_*` draws a sample; both give scikit-learn's Bunch (`return_X_y=True` for a
pair, `as_frame=True` for pandas); networks come as `BayesianNetwork`. What scikit-learn has (digits, moons, blobs) is not
repeated here.
"""

from novum.datasets.boolean import make_boolean
from novum.datasets.classes import make_gaussian_classes
from novum.datasets.curves import make_sine
from novum.datasets.examples import load_example
from novum.datasets.files import load_nile, path
from novum.datasets.networks import load_fuel_gauge, load_gene_network, load_network
from novum.datasets.noise import add_noise
from novum.datasets.svmlight import load_svmlight
from novum.datasets.tennis import load_play_tennis
from novum.runtime.moved_names import moved_names

__all__ = [
    "add_noise",
    "load_example",
    "load_fuel_gauge",
    "load_gene_network",
    "load_network",
    "load_nile",
    "load_play_tennis",
    "load_svmlight",
    "make_boolean",
    "make_gaussian_classes",
    "make_sine",
    "path",
]

__getattr__ = moved_names(
    __name__,
    {
        ".classes": "make_separable",
        ".clusters": "make_kmeans_failures",
        ".curves": "make_line make_noisy_function",
        ".deep": "make_labelled_graphs make_sequence_pairs make_shifted_objects",
        ".examples": "load_candy_bags load_tenfold_scores load_topic_words",
        ".factors": "FactorTables load_factors",
        ".regions": "make_ellipse",
        ".signals": "make_mixed_signals",
        ".subspaces": "make_embedded_plane make_height_weight",
        ".task": "TaskDescription describe_task",
        ".tennis": "load_go_to_lesson",
    },
)
