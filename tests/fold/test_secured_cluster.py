"""A cluster that talks by TLS, with certificates made here: Dask's own security object is all that a user gives."""

import shutil
import subprocess

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from novum.cluster import KMeans
from novum.linear_model import SGDClassifier

distributed = pytest.importorskip("distributed")
import dask.array as da  # noqa: E402

X = np.random.default_rng(0).normal(size=(600, 3))
Y = (X[:, 0] > 0).astype(int)


@pytest.fixture(scope="module")
def security(tmp_path_factory):
    """A certificate that signs itself, and the security object that asks everybody for it."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl on the path to make certificates with")
    folder = tmp_path_factory.mktemp("certificates")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout"
    subprocess.run([*command.split(), key, "-out", certificate], check=True, capture_output=True)
    roles = {
        f"tls_{role}_{part}": str(path)
        for role in ("scheduler", "worker", "client")
        for part, path in (("cert", certificate), ("key", key))
    }
    return distributed.Security(tls_ca_file=str(certificate), require_encryption=True, **roles)


def test_passes_and_walks_over_tls(security):
    lazy = da.from_array(X, chunks=(100, 3)), da.from_array(Y, chunks=100)
    plain = SGDClassifier(random_state=0).fit(*lazy), KMeans(3, random_state=0).fit(lazy[0])
    home = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tls://",
        security=security,
        dashboard_address=None,
        silence_logs=50,
    )
    with home, distributed.Client(home.scheduler_address, security=security) as client:
        assert all(address.startswith("tls://") for address in client.nthreads())
        secured = SGDClassifier(random_state=0).fit(*lazy), KMeans(3, random_state=0).fit(lazy[0])
    assert_array_equal(secured[0].coef_, plain[0].coef_)
    assert_array_equal(secured[1].cluster_centers_, plain[1].cluster_centers_)
