"""Archives made to do harm: each is refused by name, quickly, and runs nothing."""

import io
import json
import os
import pickle
import struct
import zipfile

import numpy as np
import pytest
from hostile import MODEL, STRING, listing, refused, rewrite
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from novum.exceptions import FileFormatError
from novum.persistence import archive
from novum.persistence.files import load, save


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.novum"


# ---------------------------------------------------------------------------------------------------- not a model file


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"not a zip at all" * 100, pickle.dumps(os.getcwd), b"PK\x05\x06" + bytes(18)],
    ids=range(5),
)
def test_other_files(data, path):
    path.write_bytes(data)
    refused(path)


@pytest.mark.parametrize("keep", [0.05, 0.3, 0.6, 0.9, 0.99])
def test_truncated(keep, path):
    data = save(MODEL, path).read_bytes()
    path.write_bytes(data[: int(keep * len(data))])
    refused(path)


def test_flipped_bytes_never_escape_as_another_error(path):
    data = bytearray(save(MODEL, path).read_bytes())
    for at in np.random.default_rng(0).integers(len(data), size=150):
        broken = data.copy()
        broken[at] ^= 0xFF
        path.write_bytes(broken)
        try:
            load(path)
        except FileFormatError as error:
            assert str(path) in str(error)


def test_a_plain_skops_file(path):
    from skops.io import dump

    dump(LogisticRegression(), path)
    refused(path, r"no novum\.json, so it was not written by novum\.save")


@pytest.mark.parametrize(
    "about", [{"novum": "99.0.0", "format": "2"}, {"novum": "0.2.0", "format": "3"}], ids=["major version", "format"]
)
def test_newer_versions(about, path):
    rewrite(path, about=lambda old: old | about)
    refused(path, r"written by novum .*upgrade with pip install")


@pytest.mark.parametrize(
    "about",
    [{}, [], {"novum": 3}, {"novum": "zero"}, {"novum": "9" * 5000 + ".0", "format": "1"}, "novum"],
    ids=range(6),
)
def test_malformed_versions(about, path):
    rewrite(path, change=lambda members: members.update({"novum.json": json.dumps(about).encode()}))
    refused(path)


def test_no_estimator_inside(path):
    rewrite(path, schema=lambda schema: listing() | {"protocol": 2})
    refused(path, "does not hold an estimator")
    rewrite(path, schema=lambda schema: STRING | {"protocol": 2})
    refused(path, "does not hold an estimator")


# ---------------------------------------------------------------------------------------------------- archives


@pytest.mark.parametrize("name", ["../evil.npy", "/etc/evil.npy", "a/b.npy", "..\\evil.npy", "evil.py", ".npy"])
def test_members_with_other_names(name, path):
    rewrite(path, add=[(name, b"x")])
    refused(path, "a member")


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_members_that_come_twice(path):
    rewrite(path, add=[("schema.json", b"{}")])
    refused(path, "twice")


def test_too_many_members(path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_MEMBERS", 50)
    rewrite(path, add=[(f"{k}.bin", b"") for k in range(60)])
    refused(path, "more than the 50 that a model can have")


def test_a_zip_bomb(path, monkeypatch):
    monkeypatch.setattr(archive, "ROOM", 2**20)
    save(MODEL, path)
    with zipfile.ZipFile(path, "a", compression=zipfile.ZIP_DEFLATED) as new, new.open("bomb.npy", "w") as member:
        for _ in range(30):
            member.write(bytes(2**20))
    assert path.stat().st_size < 2**16
    refused(path, "would unpack to .* pass max_bytes")


def test_the_bound_on_memory_can_be_set(path):
    save(MODEL, path)
    with pytest.raises(FileFormatError, match="more than the 1000 that"):
        load(path, max_bytes=1000)
    assert load(path, max_bytes=10**6).alpha == MODEL.alpha


def test_sizes_that_lie(path):
    """The directory says ten bytes, the member holds many: no more than ten are read."""
    save(MODEL, path)
    with zipfile.ZipFile(path, "a", compression=zipfile.ZIP_DEFLATED) as new:
        new.writestr("1.npy", bytes(2**20))
    data = path.read_bytes()
    entry = data.rindex(b"PK\x01\x02", 0, data.rindex(b"1.npy"))
    path.write_bytes(data[: entry + 24] + struct.pack("<I", 10) + data[entry + 28 :])
    refused(path)


def test_encrypted_and_exotic_members(path):
    save(MODEL, path)
    with zipfile.ZipFile(path, "a", compression=zipfile.ZIP_LZMA) as new:
        new.writestr("1.npy", b"x")
    refused(path, "compressed in an unknown way")


def first_array(members):
    return next(name for name in members if name.endswith(".npy"))


@pytest.mark.parametrize("shape", [(2**40,), (2**62, 2**62), (-1,), (3, -3)])
def test_arrays_that_claim_more_than_they_have(shape, path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"shape": shape, "fortran_order": False, "descr": "<f8"})
    rewrite(path, change=lambda members: members.update({first_array(members): header.getvalue() + bytes(16)}))
    refused(path, "claims")


def test_arrays_of_pickled_objects(path):
    data = io.BytesIO()
    np.save(data, np.array([os.getcwd], dtype=object), allow_pickle=True)
    rewrite(path, change=lambda members: members.update({first_array(members): data.getvalue()}))
    refused(path)


def test_arrays_that_are_not_arrays(path):
    for data in (b"", b"\x93NUMPY\x01\x00", b"\x93NUMPY\x07\x00" + bytes(20), pickle.dumps(os.getcwd)):
        rewrite(path, change=lambda members, data=data: members.update({first_array(members): data}))
        refused(path)


@pytest.mark.parametrize("indices", [[0, 10**6], [0, -5]])
def test_sparse_matrices_with_indices_outside(indices, path):
    model = LogisticRegression().fit(np.eye(4), [0, 1, 0, 1])
    model.coef_ = sparse.csr_matrix(np.array([[1.0, 0, 2.0, 0]]))

    def change(members):
        name = next(name for name in members if name.endswith(".npz"))
        arrays = dict(np.load(io.BytesIO(members[name])))
        arrays["indices"] = np.array(indices, dtype=arrays["indices"].dtype)
        data = io.BytesIO()
        np.savez(data, **arrays)
        members[name] = data.getvalue()

    rewrite(path, model, change=change)
    refused(path)


def test_a_bomb_inside_a_sparse_matrix(path, monkeypatch):
    monkeypatch.setattr(archive, "ROOM", 2**20)
    model = LogisticRegression().fit(np.eye(4), [0, 1, 0, 1])
    model.coef_ = sparse.csr_matrix(np.array([[1.0, 0, 2.0, 0]]))

    def change(members):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as new, new.open("data.npy", "w") as member:
            for _ in range(30):
                member.write(bytes(2**20))
        members[next(name for name in members if name.endswith(".npz"))] = data.getvalue()

    rewrite(path, model, change=change)
    refused(path, "sparse matrix .* would unpack")
