"""Small tables in every format that novum.scan reads."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

FORMATS = ("parquet", "arrow", "feather", "csv", "csv.gz")


def table(n=1000, d=4, seed=0, dtype=np.float64):
    """Return a frame with features x0 ..., targets y and z, labels of two types, weights."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) * 3 + 2).astype(dtype)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)])
    frame["y"] = X @ np.arange(1.0, d + 1) - 1 + 0.1 * rng.standard_normal(n)
    frame["z"] = X[:, 0] - 2 * X[:, -1] + 0.1 * rng.standard_normal(n)
    frame["number"] = (frame["x0"] + rng.standard_normal(n) > 2).astype(np.int64) * 3
    frame["name"] = np.array(["no", "perhaps", "yes"])[rng.integers(0, 3, n)]
    frame["w"] = rng.integers(0, 4, n).astype(np.float64)
    return frame


def write(frame, path, rows=None):
    """Write a frame in the format of the ending, in row groups (record batches) of `rows` rows."""
    data = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame, preserve_index=False)
    name = str(path)
    if name.endswith(".parquet"):
        pyarrow.parquet.write_table(data, name, row_group_size=rows)
    elif name.endswith(".arrow"):
        with pa.ipc.new_file(name, data.schema) as writer:
            writer.write_table(data, max_chunksize=rows)
    elif name.endswith(".feather"):
        pyarrow.feather.write_feather(data, name, chunksize=rows, compression="lz4")
    elif name.endswith(".csv.gz"):
        with pa.CompressedOutputStream(name, "gzip") as stream:
            pyarrow.csv.write_csv(data, stream)
    else:
        pyarrow.csv.write_csv(data, name)
    return path


def write_npy(frame, path, features, order="C"):
    """Write the features, and beside them y and w, as .npy files."""
    np.save(path, np.asarray(frame[features].to_numpy(), order=order))
    np.save(path.with_name("y.npy"), frame["y"].to_numpy())
    np.save(path.with_name("w.npy"), frame["w"].to_numpy())
    return path
