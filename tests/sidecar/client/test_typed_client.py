"""Requests and results as structs, with a real sidecar."""

import pytest

from quarry import protocol as wire
from quarry.client.client import SidecarClient
from quarry.client.typed_client import ask
from quarry.errors import ConnectionFailed

pytestmark = pytest.mark.slow  # starts a sidecar


def test_a_result_is_a_struct_of_the_wire(at_shared):
    with SidecarClient(at_shared.vault, "test") as client:
        found = ask(client, "search", wire.SearchParams(query="accordion", detail="full"), wire.SearchResult)

        assert found.hits[0].passages[0].breakdown.fused > 0


def test_a_result_of_another_shape_is_no_answer(at_shared):
    with (
        SidecarClient(at_shared.vault, "test") as client,
        pytest.raises(ConnectionFailed, match="does not follow the sidecar's protocol"),
    ):
        ask(client, "index/status", wire.NoParams(), wire.NoteText)
