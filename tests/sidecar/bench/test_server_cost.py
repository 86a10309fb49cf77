"""What needs no socket; over a real one, `quarry bench` itself is tested with the command line."""

import time

import pytest

from quarry.bench.measurement import PartFailed
from quarry.bench.server_cost import serving

pytestmark = pytest.mark.slow  # each test starts a sidecar


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))


def test_a_sidecar_serves_and_leaves_in_the_end(vault):
    with serving(vault) as process:
        assert process.poll() is None

    assert process.poll() == 0


def test_it_leaves_also_when_measuring_fails(vault):
    with pytest.raises(ZeroDivisionError), serving(vault) as process:
        time.sleep(1 / 0)

    assert process.poll() == 0


def test_a_sidecar_that_does_not_come_up_is_told_of(tmp_path):
    with pytest.raises(PartFailed, match="no sidecar started"), serving(tmp_path / "nowhere"):
        raise AssertionError("nothing serves")
