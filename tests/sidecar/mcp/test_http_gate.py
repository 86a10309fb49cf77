import pytest

from quarry.errors import BadRequest
from quarry.mcp.http_gate import check_host, kept_token, refused, token_path

TOKEN = "a" * 64
GOOD = {"hosts": ["127.0.0.1:5"], "origins": [], "authorizations": [f"Bearer {TOKEN}"], "port": 5, "token": TOKEN}


@pytest.mark.parametrize(
    ("status", "changed"),
    [
        (0, {}),
        (0, {"hosts": ["localhost:5"]}),
        (0, {"authorizations": [f"bearer {TOKEN}"]}),
        (421, {"hosts": []}),
        (421, {"hosts": ["127.0.0.1:5", "127.0.0.1:5"]}),
        (421, {"hosts": ["127.0.0.1:6"]}),
        (421, {"hosts": ["evil.example:5"]}),
        (403, {"origins": ["http://127.0.0.1:5"]}),
        (403, {"origins": [""]}),
        (401, {"authorizations": []}),
        (401, {"authorizations": [f"Bearer {TOKEN}"] * 2}),
        (401, {"authorizations": ["Bearer "]}),
        (401, {"authorizations": [f"Bearer {TOKEN[:-1]}"]}),
        (401, {"authorizations": ["Bearer \xff"]}),
    ],
)
def test_host_origin_and_token_are_all_checked(status, changed):
    assert refused(**{**GOOD, **changed}) == status


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.2", "example.org", ""])
def test_nothing_but_this_machine_is_listened_on(host):
    with pytest.raises(BadRequest, match="tunnel"):
        check_host(host)


def test_a_token_is_kept_and_is_this_users_alone(tmp_path):
    path = tmp_path / "x.mcp-token"

    token = kept_token(path)

    assert kept_token(path) == token
    assert len(token) == 64
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"token": 5}', '{"token": "short"}', "\x00" * 2000])
def test_a_file_that_holds_no_token_is_replaced(tmp_path, content):
    path = tmp_path / "x.mcp-token"
    path.write_text(content)
    path.chmod(0o600)

    assert kept_token(path) == kept_token(path)


def test_a_token_that_others_could_read_is_not_used(tmp_path):
    path = tmp_path / "x.mcp-token"
    first = kept_token(path)
    path.chmod(0o644)

    assert kept_token(path) != first
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_in_its_place_is_not_followed(tmp_path):
    target, path = tmp_path / "target", tmp_path / "x.mcp-token"
    kept_token(target)
    path.symlink_to(target)

    assert kept_token(path) != kept_token(target)


def test_other_vaults_have_another_file(tmp_path, home):
    one, two = tmp_path / "one", tmp_path / "two"

    assert len({token_path([one]), token_path([two]), token_path([one, two])}) == 3
    assert token_path([one, two]) == token_path([two, one])
