"""Machine learning as it is taught, fast enough to use, with scikit-learn's interface.

Families are imported when first used: `import novum` stays cheap, `novum.cluster.KMeans` works without a second import.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
