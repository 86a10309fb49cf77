"""
A credential in a note is nowhere but in the note: not in the index, its WAL, a rebuild, the log, an answer.

Each is made while the test runs; none that looks alive stands in this file.
"""

import base64
import json
import logging
from pathlib import Path

import pytest
from builders import Vault, ask, index_bytes, settle
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from quarry.documents.note import ParserSettings, read_note
from quarry.engine import Engine
from quarry.types import VaultChange


def _mixed(length: int, seed: int) -> str:
    """Letters and digits without a pattern, the same each time."""
    alphabet = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU"
    state, letters = seed * 2654435761 + 12345, []
    for _ in range(length):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        letters.append(alphabet[(state >> 33) % len(alphabet)])
    return "".join(letters)


def _jwt() -> str:
    parts = [
        json.dumps({"alg": "HS256", "typ": "JWT"}),
        json.dumps({"sub": "12345", "name": _mixed(12, 3)}),
        _mixed(24, 4),
    ]
    return ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts)


SECRETS = {
    "github": "gh" + "p_" + _mixed(36, 1),
    "aws": "AK" + "IA" + "Q4R7TZ2M" + "XW5LPC3N",
    "slack": "xox" + "b-" + "123456789012-" + "1234567890123-" + _mixed(24, 5),
    "stripe": "sk" + "_live_" + _mixed(24, 6),
    "anthropic": "sk-" + "ant-api03-" + _mixed(93, 7) + "AA",
    "gitlab": "glp" + "at-" + _mixed(20, 8),
    "npm": "np" + "m_" + _mixed(36, 9),
    "sendgrid": "S" + "G." + _mixed(22, 10) + "." + _mixed(43, 11),
    "huggingface": "h" + "f_" + "".join(c for c in _mixed(80, 12) if c.isalpha())[:34],
    "jwt": _jwt(),
}
PASSWORD = "Tr0ub" + "4dor" + _mixed(10, 13)
KEY_BODY = [_mixed(64, seed) for seed in range(20, 26)]
PRIVATE_KEY = "\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", *KEY_BODY, "-----END RSA " + "PRIVATE KEY-----"])


def canaries() -> list[str]:
    """What must be found nowhere: each secret's own part, without a prefix that a rule's name may share."""
    return [secret[-16:] for secret in SECRETS.values()] + [PASSWORD, *KEY_BODY]


def planted(secret: str) -> dict[str, str]:
    """A note for every place in which a secret may stand."""
    filler = "Ordinary words about the garden and its beans. "
    return {
        "body.md": f"# Body\nthe walnut key is {secret}, keep it",
        "heading.md": f"# Walnut\n\n## Key {secret}\ntext of some length that stands below the heading",
        "h1.md": f"# Walnut {secret}\ntext",
        "title.md": f"---\ntitle: Walnut {secret}\n---\ntext",
        "alias.md": f"---\naliases: [walnut, {secret}]\n---\ntext",
        "tag.md": f"---\ntags: [walnut, {secret}]\n---\n#{secret} text",
        "property.md": f"---\napi: {secret}\nlist:\n  - walnut {secret}\n---\ntext",
        "broken.md": f"---\nkey: {secret}: [\n\t- x\n---\nwalnut",
        "code.md": f"walnut\n```sh\nexport TOKEN={secret}\n```\n",
        "data.md": f'walnut\n```json\n{{"service": {{"token": "{secret}"}}}}\n```\n',
        "table.md": f"walnut\n\n| name | key |\n|---|---|\n| x | {secret} |\n",
        "link.md": f"walnut [[Note|{secret}]] [x](https://example.org/?k={secret}) **{secret}** `{secret}`",
        "comment.md": f"walnut %% {secret} %% <!-- {secret} -->",
        **{
            f"border{at}.md": "walnut " + (filler * 60)[: 1960 + at] + " " + secret + " " + filler * 10
            for at in range(0, 60, 5)
        },
    }


@pytest.fixture
def everywhere(vault: Vault) -> Vault:
    """Every secret in every place, a password in its own three forms, and a private key of several lines."""
    for name, secret in SECRETS.items():
        vault.write_all({f"{name}/{path}": text for path, text in planted(secret).items()})
    vault.write("url.md", f"walnut postgres://admin:{PASSWORD}@db.example.org:5432/garden")
    vault.write(
        "assignment.md", f'walnut\npassword = "{PASSWORD}"\nCurl: -H "Authorization: Bearer {SECRETS["github"]}"'
    )
    vault.write("key.md", f"walnut\n\n{PRIVATE_KEY}\n\nand after it")
    vault.write("key-border.md", "walnut " + "Ordinary words. " * 118 + f"\n{PRIVATE_KEY}\n and after it")
    return vault


def left_in(data: bytes) -> list[str]:
    return [canary for canary in canaries() if canary.encode() in data or canary.lower().encode() in data]


@pytest.mark.slow
def test_no_secret_is_in_the_bytes_of_the_index_or_the_log(everywhere: Vault, tmp_path: Path, open_engine, caplog):
    caplog.set_level(logging.DEBUG)
    engine: Engine = open_engine()
    found_after_indexing = left_in(index_bytes(tmp_path))

    everywhere.write("late.md", f"walnut {SECRETS['stripe']}")
    engine.vault_changed([VaultChange("created", "late.md"), everywhere.rename("github", "moved")])
    settle(engine)
    engine.rebuild()
    settle(engine)

    assert found_after_indexing == []
    assert left_in(index_bytes(tmp_path)) == []
    assert left_in(caplog.text.encode()) == []
    assert engine.status().notes > 200


def test_no_secret_is_in_what_a_rebuild_leaves_when_it_is_cut_short(
    everywhere: Vault, tmp_path: Path, encoder, open_engine
):
    engine: Engine = open_engine()
    encoder.hold()
    engine.rebuild()
    encoder.is_waiting.wait(30)
    leftovers = [file.name for file in tmp_path.glob("index.db*")]
    found = left_in(index_bytes(tmp_path))
    encoder.release()

    assert any("rebuild" in name for name in leftovers)
    assert found == []


def test_no_answer_shows_a_secret(everywhere: Vault, open_engine):
    engine: Engine = open_engine()

    said = [
        repr(ask(engine, query, limit=100, max_tokens=100_000))
        for query in ("walnut", "key", "token", "garden password", "tag:walnut")
    ]
    with engine.reader() as reader:
        paths = sorted(reader.stamps())
    said += [repr(engine.read_note(path)) for path in paths]

    assert left_in("\n".join(said).encode()) == []
    assert sum("REDACTED" in text for text in said) > 200


def test_asking_for_a_secret_finds_nothing(everywhere: Vault, open_engine):
    engine: Engine = open_engine()

    for secret in SECRETS.values():
        answer = ask(engine, f'"{secret}"', mode="keyword", max_tokens=1_000_000)
        assert not answer.hits or answer.relaxed  # to words that stand beside it
        assert secret not in repr(answer.hits)


@hypothesis_settings(max_examples=150)
@given(st.integers(1800, 2100), st.sampled_from(sorted(SECRETS)))
def test_no_secret_survives_at_any_offset_around_the_border_of_a_chunk(offset: int, name: str):
    text = ("Ordinary words about beans. " * 100)[:offset] + f" {SECRETS[name]} " + "And more of them. " * 60

    note = read_note("a.md", text.encode(), ParserSettings())

    assert left_in(repr(note).encode()) == []
    assert len(note.chunks) > 1
