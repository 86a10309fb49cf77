from mcp_types import version as sdk

from quarry.mcp import versions


def test_the_revisions_are_those_that_the_sdk_speaks():
    assert versions.HANDSHAKE_VERSIONS == sdk.HANDSHAKE_PROTOCOL_VERSIONS
    assert versions.STATELESS_VERSIONS == sdk.MODERN_PROTOCOL_VERSIONS


def test_a_known_revision_is_agreed_to_and_another_answered_with_the_latest():
    assert versions.negotiated("2024-11-05") == "2024-11-05"
    assert versions.negotiated("2031-01-01") == versions.negotiated("2026-07-28") == "2025-11-25"


def test_only_one_revision_has_batches():
    assert [version for version in versions.ALL_VERSIONS if versions.has_batches(version)] == ["2025-03-26"]
    assert not versions.has_batches(None)


def test_structured_results_came_with_the_third_revision():
    assert [versions.has_structured_results(version) for version in versions.ALL_VERSIONS] == [0, 0, 1, 1, 1]
