"""`quarry models`, against a real sidecar and a real server that embeds."""

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from embedding_server import EmbeddingServer

from quarry.embedding import known_models


@pytest.fixture
def name(server: EmbeddingServer) -> str:
    return f"ollama://127.0.0.1:{server.port}/nomic-embed-text"


def settings(vault: Path) -> str:
    file = vault / ".quarry.toml"
    return file.read_text() if file.exists() else ""


@pytest.fixture
def backfill(command, vault: Path, tools) -> Callable[[str], dict[str, object]]:
    """The status of the backfill, once it is in that state."""

    def wait(state: str) -> dict[str, object]:
        def found() -> dict[str, object] | None:
            status = json.loads(command("status", "--json", "--vault", str(vault)).out)["backfill"]
            return status if status and status["state"] == state else None

        return tools.eventually(found, f"a backfill that is {state}")

    return wait


def rows(command, vault: Path, *more: str) -> dict[str, dict[str, object]]:
    found = json.loads(command("models", "list", *more, "--json", "--vault", str(vault)).out)
    return {row["name"]: row for row in found["models"]}


def test_the_list_has_what_each_is_for_and_costs_in_this_vault(command, vault: Path):
    done = command("models", "--vault", str(vault))
    found = rows(command, vault)

    assert done.code == 0
    assert [model.name for model in known_models()] == list(found)[: len(known_models())]
    assert "* bundled" in done.out
    minilm = found["sentence-transformers/all-MiniLM-L6-v2"]
    assert minilm["remainingMs"] == 50 * minilm["totalChunks"] > 0
    assert [request["kind"] for request in minilm["requests"]] == ["download"]
    assert not minilm["isHere"]


def test_a_model_is_used_once_its_user_says_yes_to_what_is_sent(
    command, vault: Path, name: str, server: EmbeddingServer, type_at_terminal, backfill
):
    type_at_terminal("n\n")
    declined = command("models", "use", name, "--vault", str(vault))
    assert declined.code != 0
    assert f"is sent to the program at {server.origin}" in declined.err
    assert settings(vault) == ""
    assert server.requests == []

    type_at_terminal("y\n")
    accepted = command("models", "use", name, "--vault", str(vault))

    assert accepted.code == 0
    assert name in settings(vault)
    backfill("complete")
    assert rows(command, vault)[name]["doneChunks"] == rows(command, vault)[name]["totalChunks"]


def test_what_a_cloned_vault_prefers_waits_for_a_yes_and_is_then_used(
    command, vault: Path, name: str, server: EmbeddingServer, backfill
):
    (vault / ".quarry.toml").write_text(f'[embedding]\nmodel = "{name}"\n')

    assert "which you have not confirmed on this device" in str(backfill("missing")["message"])
    assert server.requests == []
    assert command("search", "oolong", "--vault", str(vault)).code == 0

    command("models", "use", "--yes", "--vault", str(vault))
    backfill("complete")
    assert "search_document: " in "".join(server.sent_texts)


def test_a_yes_is_shown_and_withdrawn_and_nothing_is_sent_after_that(
    command, vault: Path, name: str, server: EmbeddingServer, backfill
):
    assert "Nothing is confirmed" in command("models", "confirmed").out
    command("models", "use", name, "--yes", "--vault", str(vault))
    backfill("complete")
    assert json.loads(command("models", "confirmed", "--json").out) == [{"kind": "endpoint", "name": name}]

    done = command("models", "withdraw", name)

    assert done.out == f"endpoint  {name}\n"
    assert "which you have not confirmed on this device" in str(backfill("missing")["message"])
    server.requests.clear()
    (vault / "New.md").write_text("a note on oolong")
    command("index", str(vault))
    assert command("search", "oolong", "--vault", str(vault)).code == 0
    assert server.sent_texts == []
    assert "nothing is confirmed for" in command("models", "withdraw", name).err
    assert "takes a NAME" in command("models", "withdraw").err


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nosuchmodel", "'nosuchmodel' does not exist"),
        ("ftp://x", "http://127.0.0.1:PORT/v1#NAME"),
        ("ollama:", "ollama:NAME"),
        (".", "has no model.safetensors"),
    ],
)
def test_what_can_be_no_model_is_refused_before_anything_is_written(command, vault: Path, name: str, told: str):
    refused = command("models", "use", name, "--yes", "--vault", str(vault))

    assert refused.code != 0
    assert told in refused.err
    assert settings(vault) == ""


def test_what_cannot_be_used_yet_is_not_called_ready(
    command, vault: Path, name: str, server: EmbeddingServer, backfill
):
    server.stop()
    assert command("models", "use", name, "--yes", "--vault", str(vault)).code == 0
    backfill("missing")

    told = command("status", "--vault", str(vault))

    assert f"model bundled: ready; the settings name {name}: it cannot be used now" in told.out
    assert "0 of 0 chunks" not in told.out
    assert "the bundled model answers" in told.err


def test_the_bundled_model_answers_while_another_is_gone(command, vault: Path, tools):
    (vault / ".quarry.toml").write_text('[embedding]\nmodel = "./gone"\n')

    def status() -> bool:
        return (
            "model bundled: ready; the settings name ./gone: it cannot be used now"
            in command("status", "--vault", str(vault)).out
        )

    tools.eventually(status)
    assert "'gone' does not exist" in command("status", "--vault", str(vault)).err
    found = command("search", "oolong", "--mode", "semantic", "--json", "--vault", str(vault))
    assert "dense" in json.loads(found.out)["retrievers"]
    told = "The model “./gone” cannot be used now: “bundled” answers."
    assert told in command("search", "oolong", "--vault", str(vault)).err
    assert told in command("context", "oolong", "--vault", str(vault)).err


def test_vectors_that_are_kept_of_a_model_can_be_deleted(command, vault: Path, name: str, backfill, tools):
    command("models", "use", name, "--yes", "--vault", str(vault))
    backfill("complete")
    assert "no vectors" in command("models", "forget", name, "--vault", str(vault)).err  # it is in use
    command("models", "use", "bundled", "--vault", str(vault))
    tools.eventually(lambda: json.loads(command("status", "--json", "--vault", str(vault)).out)["backfill"] is None)

    assert rows(command, vault, name)[name]["doneChunks"] > 0
    assert "deleted" in command("models", "forget", name, "--vault", str(vault)).out
    tools.eventually(lambda: rows(command, vault, name)[name]["doneChunks"] == 0)


def test_texts_that_leave_this_machine_are_told_wherever_one_looks(command, vault: Path, backfill):
    server = EmbeddingServer(host="").start()
    origin = f"http://{socket.gethostname().lower()}:{server.port}"  # by its name, it might be any machine
    name = f"{origin}/v1#nomic-embed-text"
    assert [request["kind"] for request in rows(command, vault, name)[name]["requests"]] == ["endpoint", "remote"]
    (vault / ".quarry.toml").write_text(f'[embedding]\nmodel = "{name}"\n')
    assert backfill("missing")["sentTo"] is None
    assert "leaves this machine" not in command("doctor", "--vault", str(vault)).out

    command("models", "use", "--yes", "--vault", str(vault))

    assert backfill("complete")["sentTo"] == origin
    told = f"leaves this machine: it is sent to {origin}"
    assert told in command("status", "--vault", str(vault)).err
    assert told in command("doctor", "--vault", str(vault)).out
    server.stop()
