"""`quarry token`."""

import json

import pytest


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
