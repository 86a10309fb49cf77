"""The engine in this process: the answers of a sidecar, and the vault's lock."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import quarry
from quarry import errors
from quarry.client.discovery import NO_PORT

pytestmark = pytest.mark.slow  # loads the model, starts sidecars


@pytest.fixture
def engine(home, vault):
    with quarry.Engine(vault) as engine:
        engine.wait()
        yield engine


def test_it_answers_as_a_sidecar_does(home, vault):
    def answers(notes):
        notes.wait()
        return [
            notes.search("sourdough", detail="full").hits,
            notes.context("how to fold sourdough").text,
            notes.read("Bread").text,
            notes.related("Tea.md").notes,
            notes.list().notes,
        ]

    with quarry.Engine(vault) as engine:
        in_process = answers(engine)
    with quarry.open(vault) as notes:
        over_the_socket = answers(notes)

    assert in_process == over_the_socket


def test_errors_are_those_of_the_package(engine):
    with pytest.raises(errors.BadQuery):
        engine.search("tag:")
    with pytest.raises(errors.NoteNotFound):
        engine.read("no such note at all")
    with pytest.raises(errors.BadRequest, match=r"^limit: "):
        engine.search("x", limit=0)


def test_many_threads_are_answered(engine):
    with ThreadPoolExecutor(40) as threads:
        found = list(threads.map(lambda _: engine.search("oolong"), range(120)))

    assert {hits[0].path for hits in found} == {"Tea.md"}


def test_a_saved_note_is_found(engine, vault, tools):
    (vault / "Zephyr.md").write_text("# Zephyr\n\nThe zephyranthes flowers after rain.\n", encoding="utf-8")

    read = tools.eventually(
        lambda: "Zephyr.md" in [note.path for note in engine.list()] and engine.read("Zephyr"), "it"
    )

    assert "zephyranthes" in read.text


def test_a_vault_that_a_sidecar_serves_is_refused_with_two_ways_out(start, vault):
    start(vault)

    with pytest.raises(errors.VaultLocked, match=r"quarry\.open\(\), or end that with `quarry stop --vault"):
        quarry.Engine(vault)


def test_other_programs_are_told_at_once_and_nobody_stops_the_process(engine, vault, command, home, found):
    asked = command("search", "--vault", str(vault), "oolong")
    listed = command("ps")
    stopped = command("stop", "--all")

    assert asked.code == 3
    assert "open exclusively" in asked.err
    assert "no sidecar is running" in listed.out + listed.err
    assert stopped.code in (0, 1)
    with pytest.raises(errors.VaultLocked, match=r"quarry\.open"):
        quarry.open(vault)
    assert found(home, vault).port == NO_PORT
    assert engine.search("oolong")


def test_a_closed_engine_gives_the_vault_back(home, vault, found):
    engine = quarry.Engine(vault)
    engine.close()
    engine.close()

    assert found(home, vault) is None
    with pytest.raises(errors.ConnectionFailed, match=r"quarry\.Engine"):
        engine.search("x")
    with quarry.open(vault) as notes:
        assert notes.wait().notes == 3


def test_closing_ends_what_still_waits(home, vault):
    engine = quarry.Engine(vault)
    engine.wait()
    engine._transport._session.service.engine.pause()
    raised = []

    def wait_long():
        try:
            engine.search("oolong", after_ms=2**50, wait_ms=60_000)
        except errors.QuarryError as error:
            raised.append(type(error))

    thread = threading.Thread(target=wait_long)
    thread.start()
    engine.close()
    thread.join(30)

    assert not thread.is_alive()


def test_a_vault_that_cannot_be_opened_is_not_kept(home, vault, monkeypatch):
    def broken(*_, **__):
        raise errors.SchemaTooNew("a newer version wrote this index")

    with monkeypatch.context() as patch:
        patch.setattr("quarry.engine.Engine.open", broken)
        with pytest.raises(errors.SchemaTooNew):
            quarry.Engine(vault)

    with quarry.Engine(vault) as engine:
        assert engine.wait().notes == 3


def test_a_captured_note_is_found_at_once(engine):
    captured = engine.capture("# Zephyr\n\nThe zephyranthes flowers after rain.", wait_ms=30_000)

    assert engine.search("zephyranthes")[0].path == captured.path
