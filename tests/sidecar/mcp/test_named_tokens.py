"""Named tokens: what they open, where they are stored, and what becomes of them."""

import os
import stat

import pytest

from quarry.errors import BadRequest
from quarry.mcp.named_tokens import MAX_FOLDERS, add_token, grant_of, grants, revoke_token
from quarry.mcp.principals import TokenHolders


@pytest.fixture
def root(tmp_path):
    for folder in ("Team/Deep", "Secret", "Café", ".obsidian"):
        (tmp_path / "vault" / folder).mkdir(parents=True)
    (tmp_path / "vault/Link").symlink_to("Secret")
    (tmp_path / "vault/Note.md").write_text("# Note")
    return tmp_path / "vault"


def test_a_token_is_stored_as_a_hash_that_only_this_user_reads(root, home):
    token, grant = add_token("bob", root, ["Team"], may_capture=True)
    (stored,) = (home / "data/tokens").iterdir()

    assert token.startswith("quarry_")
    assert len(token) >= 50
    assert token not in stored.name + stored.read_text()
    assert token.removeprefix("quarry_") not in stored.name + stored.read_text()
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    assert stat.S_IMODE(stored.parent.stat().st_mode) == 0o700
    assert (grant.folders, grant.rights, grant.last_used_ms) == (("Team",), ["read", "capture"], None)


def test_only_the_very_token_opens_what_it_was_made_for(root):
    token, grant = add_token("bob", root, ["Team"], may_capture=False)

    assert grant_of(token.encode(), is_use=False) == grant
    for other in (token[:-1], token + " ", token.upper(), token.removeprefix("quarry_"), "", "../x", "quarry_", "\0"):
        assert grant_of(other.encode()) is None


def test_its_use_is_remembered_and_a_look_at_it_is_none(root):
    token, _ = add_token("bob", root, ["/"], may_capture=False)

    assert grant_of(token.encode(), is_use=False).last_used_ms is None
    assert grants()[0].last_used_ms is None
    grant_of(token.encode())
    assert grants()[0].last_used_ms >= grants()[0].created_ms


def test_a_revoked_token_opens_nothing_and_frees_its_name(root):
    token, _ = add_token("bob", root, ["Team"], may_capture=False)
    with pytest.raises(BadRequest, match="quarry token revoke bob"):
        add_token("bob", root, ["Team"], may_capture=False)

    assert revoke_token("bob").folders == ("Team",)
    assert grant_of(token.encode()) is None
    assert revoke_token("bob") is None
    assert add_token("bob", root, ["Team"], may_capture=False)[0] != token


@pytest.mark.parametrize("name", ["", "-x", "a b", "a/b", "x" * 65, "..", "bob\n", "Zoë"])
def test_a_name_is_one_plain_word(root, name):
    with pytest.raises(BadRequest, match="cannot be a name"):
        add_token(name, root, ["Team"], may_capture=False)


@pytest.mark.parametrize(
    ("folder", "way_out"),
    [
        ("team", "did you mean 'Team'"),
        ("Nowhere", "has no folder 'Nowhere'"),
        ("Team/../Secret", "leads upwards"),
        ("Link", "links are not followed"),
        ("Note.md", "has no folder"),
        (".obsidian", "hidden"),
        ("", "empty"),
        ("Team\\Deep", "with /"),
        ("Cafe\u0301", "spell it as on disk"),
    ],
)
def test_a_folder_is_one_of_the_vault_spelled_as_on_disk(root, folder, way_out):
    with pytest.raises(BadRequest, match=way_out):
        add_token("bob", root, [folder], may_capture=False)


def test_folders_within_others_are_left_out_and_the_whole_vault_has_none(root):
    def folders(name, *given):
        return add_token(name, root, list(given), may_capture=False)[1].folders

    assert folders("a", "Team/Deep", "/Team/", "Secret", "Team") == ("Secret", "Team")
    assert folders("b", "Team", "/") == ()
    with pytest.raises(BadRequest, match="--folder"):
        folders("c")


def test_a_token_of_many_deep_folders_opens_them(root):
    deep = "/".join(["x" * 200] * 12)
    folders = [f"Deep {number}/{deep}" for number in range(MAX_FOLDERS)]
    for folder in folders:
        (root / folder).mkdir(parents=True)

    token, grant = add_token("bob", root, folders, may_capture=False)

    assert len(grant.folders) == MAX_FOLDERS
    assert grant_of(token.encode(), is_use=False) == grant
    assert revoke_token("bob")


def test_a_file_that_is_no_token_is_none(root, home):
    token, _ = add_token("bob", root, ["Team"], may_capture=False)
    (stored,) = (home / "data/tokens").iterdir()
    for content in (b"", b"{}", b"[]", b"\xff", b'{"name": "bob", "vault": "/", "folders": null}'):
        stored.write_bytes(content)
        assert (grant_of(token.encode()), grants()) == (None, [])
    stored.unlink()
    os.mkfifo(stored)  # nobody writes into it

    assert (grant_of(token.encode()), grants()) == (None, [])


def test_a_server_without_tokens_says_how_to_make_one(root, tmp_path):
    (tmp_path / "other").mkdir()
    add_token("bob", tmp_path / "other", ["/"], may_capture=False)

    with pytest.raises(BadRequest, match="quarry token add NAME --folder F --read"):
        TokenHolders([root])
