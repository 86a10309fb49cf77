"""`quarry token`."""

import json

import pytest
from sidecars import is_running

from quarry.cli.doctor import _tokens
from quarry.client.client import SidecarClient
from quarry.client.discovery import read_discovery


@pytest.fixture
def token(command, vault):
    def run(*arguments):
        return command("token", *arguments, "--vault", str(vault))

    return run


def test_a_token_is_printed_once_listed_without_it_and_revoked(token, vault):
    made = token("add", "bob", "--folder", "Kitchen", "--folder", "Garden", "--read")
    secret = made.out.strip()

    assert secret.startswith("quarry_")
    assert "shown this once" in made.err
    assert token("list").out == f"bob  Garden, Kitchen of {vault}, read, never used\n"
    (row,) = json.loads(token("list", "--json").out)["tokens"]
    assert (row["folders"], row["rights"], row["lastUsedMs"]) == (["Garden", "Kitchen"], ["read"], None)
    assert token("revoke", "bob").out == "revoked bob\n"
    assert "quarry token add" in token("list").err
    assert secret not in token("list").out + token("list", "--json").out


@pytest.mark.parametrize(
    ("arguments", "way_out"),
    [
        (["add", "bob", "--folder", "Kitchen"], "add --read"),
        (["add", "--folder", "Kitchen", "--read"], "needs the NAME"),
        (["add", "bob", "--read"], "name them with --folder"),
        (["revoke", "bob"], "quarry token list"),
        (["list", "bob"], "leave it out"),
        (["sell", "bob"], "it takes add, list or revoke"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(token, arguments, way_out):
    done = token(*arguments)

    assert done.code == 2
    assert way_out in done.err


@pytest.mark.slow
def test_with_the_last_token_of_folders_their_index_is_gone(token, vault, home):
    for name in ("bob", "eve"):
        token("add", name, "--folder", "Kitchen", "--read")
    with SidecarClient(vault, "test", only=("Kitchen",)) as client:
        pid = read_discovery(client.discovery_path).pid
        client.wait_until_complete(30)

    token("revoke", "bob")
    assert list((home / "data").glob("vault-*.db"))
    token("revoke", "eve")
    assert list((home / "data").glob("vault-*")) == []
    assert not is_running(pid)


def test_the_doctor_tells_of_tokens_and_of_folders_that_are_gone(token, vault, command):
    token("add", "bob", "--folder", "Kitchen", "--read")
    token("add", "eve", "--folder", "/", "--read", "--capture")

    assert [(one.verdict, one.detail) for one in _tokens(vault)] == [
        ("good", "bob may read Kitchen"),
        ("good", "eve may read and capture the whole vault"),
    ]
    (vault / "Kitchen").rename(vault / "Pantry")
    finding, _ = _tokens(vault)
    assert (finding.verdict, "quarry token revoke bob" in finding.detail) == ("bad", True)
