"""Two tokens: what each opens, where they stand, and what a refusal says."""

import stat
import sys

import pytest

from quarry import protocol

READER_METHODS = [name for name in protocol.REQUESTS if name not in {*protocol.OWNER_METHODS, "initialize"}]


def test_a_connection_says_what_its_token_allows(shared):
    assert shared.knock().introduce(shared.token)["result"]["access"] == "reader"
    assert shared.knock().introduce(shared.owner_token)["result"]["access"] == "owner"


@pytest.mark.parametrize("method", sorted(protocol.OWNER_METHODS))
def test_what_only_the_owner_may_do_is_refused_with_what_to_do_instead(talk, method):
    before = talk.live()["indexedMs"]

    error = talk.ask(method)["error"]

    assert error["code"] == -32003
    assert error["data"]["kind"] == "forbidden"
    assert method in error["message"]
    assert "`owner`" in error["data"]["next"]
    assert talk.live()["indexedMs"] == before


@pytest.mark.parametrize("method", READER_METHODS)
def test_all_else_is_open_to_every_client(talk, method):
    answer = talk.ask(method)

    assert answer.get("error", {}).get("code") != -32003


def test_the_owners_token_stands_in_its_own_file_and_nowhere_else(start, vault):
    sidecar = start(vault)

    assert sidecar.owner_file.parent == sidecar.discovery_file.parent
    assert sidecar.owner_token != sidecar.token
    assert sidecar.owner_token not in sidecar.discovery_file.read_text(encoding="utf-8")
    assert sidecar.owner_token not in repr(sidecar.ready)
    if sys.platform != "win32":
        assert stat.S_IMODE(sidecar.owner_file.stat().st_mode) == 0o600


def test_both_files_go_when_the_sidecar_leaves(start, vault):
    sidecar = start(vault)
    files = [sidecar.owner_file, sidecar.discovery_file]

    sidecar.leave()

    assert [file for file in files if file.exists()] == []


def test_the_owners_token_of_one_start_opens_nothing_after_the_next(start, vault):
    first = start(vault)
    old = first.owner_token
    first.process.kill()
    first.process.wait()

    second = start(vault)

    assert second.owner_token != old
    assert "error" in second.knock().introduce(old)
