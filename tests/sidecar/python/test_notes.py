"""The notes of a vault, asked and waited for, with a real sidecar."""

import os
import signal
from datetime import UTC, datetime

import msgspec
import pytest

import quarry
from quarry import errors
from quarry import protocol as wire
from quarry.python.notes import Notes, is_ready
from quarry.tiers.connected import connect

pytestmark = pytest.mark.slow  # starts a sidecar


@pytest.fixture
def notes(at_shared):
    with quarry.open(at_shared.vault, start=False) as notes:
        yield notes


def test_search_gives_hits_best_first(notes):
    found = notes.search("how do I rotate my ssh keys", limit=2)

    assert found[0].path == "Howto/Rotate SSH keys.md"
    assert found[0].confidence == found.confidence > 0.1
    assert len(found) == 2
    assert found[0].text is None
    assert "ssh" in found[0].snippet.lower()


def test_full_detail_gives_the_text_that_stands_at_its_line(notes):
    hit = notes.search("sourdough starter Gerda", limit=1, detail="full")[0]
    lines = notes.read(hit.path).text.split("\n")

    assert hit.text
    marked = [hit.snippet[start:end] for start, end in hit.passages[0].spans]
    assert marked[0] in lines[hit.line]


def test_scopes_narrow_what_is_found(notes):
    everywhere = {hit.path for hit in notes.search("starter", limit=50)}
    inside = {hit.path for hit in notes.search("starter", limit=50, folders="Recipes")}
    outside = {hit.path for hit in notes.search("starter", limit=50, not_folders=["Recipes"])}

    assert inside
    assert all(path.startswith("Recipes/") for path in inside)
    assert inside.isdisjoint(outside)
    assert "Archive/Sourdough rye (old).md" in everywhere


def test_context_is_quoted_and_excluded_notes_are_not(notes):
    context = notes.context("rotate ssh keys", max_tokens=500)
    again = notes.context("rotate ssh keys", exclude=[source.path for source in context.sources])

    assert context.sources[0].path == "Howto/Rotate SSH keys.md"
    assert f"**{context.sources[0].path}**" in str(context)
    assert context.tokens <= 500
    assert "Howto/Rotate SSH keys.md" not in again.text
    assert notes.context("zzqqxx").abstained == "low-confidence"


def test_no_passage_is_quoted_twice_in_a_conversation(notes):
    tried = notes.context("rotate ssh keys", conversation="c1", dry_run=True)
    first = notes.context("rotate ssh keys", conversation="c1")
    second = notes.context("rotate ssh keys", conversation="c1")

    assert tried.text == first.text
    assert {source.path for source in first.sources}.isdisjoint(source.path for source in second.sources)


def test_a_note_is_read_by_its_title_and_from_a_line(notes):
    whole = notes.read("Rotate SSH keys")
    rest = notes.read(whole.path, start_line=10)

    assert whole.path == "Howto/Rotate SSH keys.md"
    assert whole.text.split("\n")[10:] == rest.text.split("\n")
    assert str(whole) == whole.text
    assert notes.read(whole.path, max_tokens=50).truncated


def test_notes_are_listed_page_by_page(notes):
    first, second = notes.list(limit=30), notes.list(limit=30, offset=30)

    assert len(first) == 30
    assert first.total == notes.status().notes
    assert {entry.path for entry in first}.isdisjoint(entry.path for entry in second)
    assert {entry.path.split("/")[0] for entry in notes.list(folder="Recipes")} == {"Recipes"}


def test_related_compares_with_a_note_or_a_text(notes):
    by_note = notes.related("Recipes/Sourdough rye.md", limit=3)
    by_text = notes.related(text="bake bread from rye flour", limit=3)

    assert by_note[0].path == "Archive/Sourdough rye (old).md"
    assert by_note[0].linked
    assert {"Recipes/Sourdough rye.md", "Archive/Sourdough rye (old).md"} <= {note.path for note in by_text}
    with pytest.raises(errors.BadRequest):
        notes.related()


def test_errors_are_those_of_the_package(notes):
    with pytest.raises(errors.BadQuery) as bad:
        notes.search("tag:")
    with pytest.raises(errors.NoteNotFound, match="did you mean"):
        notes.read("Rotate SSH kees")
    with pytest.raises(errors.BadRequest, match=r"^limit: "):
        notes.search("x", limit=0)
    with pytest.raises(errors.BadRequest, match="not valid Unicode"):
        notes.search("\ud800")

    assert bad.value.position >= 0
    assert bad.value.__notes__


def test_a_note_just_written_is_found_after_waiting(home, vault, tools):
    with quarry.open(vault, wait_s=30) as notes:
        notes.wait()
        (vault / "Zephyr.md").write_text("# Zephyr\n\nThe zephyranthes flowers after rain.\n", encoding="utf-8")
        tools.eventually(lambda: notes.list(wait_ms=1000).total == 4, "the new note")

        assert notes.search("zephyranthes")[0].path == "Zephyr.md"
        assert notes.wait().notes == 4


def test_a_captured_note_is_found_at_once(home, vault):
    with quarry.open(vault, wait_s=30) as notes:
        captured = notes.capture("# Zephyr\n\nThe zephyranthes flowers after rain.", tags=["flower"], wait_ms=30_000)

        assert captured.searchable
        assert notes.search("zephyranthes")[0].path == captured.path
        assert notes.read(captured.path).tags == ["flower"]
        with pytest.raises(errors.BadRequest):
            notes.capture("")


def test_a_sidecar_that_was_killed_is_replaced(home, vault, found):
    with quarry.open(vault) as notes:
        notes.wait()
        pid = found(home, vault).pid
        os.kill(pid, signal.SIGKILL)

        assert notes.search("oolong", wait_ms=30_000)[0].path == "Tea.md"
        assert found(home, vault).pid != pid


def test_waiting_for_a_paused_index_says_why(home, vault, tools):
    with quarry.open(vault) as notes:
        notes.wait()
        with notes._transport._borrowed() as client:
            client._as_owner = True
            client._attach()
            client.ask("index/pause")

        with pytest.raises(errors.IndexUnavailable, match="paused"):
            notes.wait()


def test_waiting_ends_with_its_time(notes):
    unfinished = msgspec.structs.replace(notes.status(), state="indexing")

    assert not is_ready(unfinished, 1.0)
    with pytest.raises(errors.IndexBehind, match="notes can be found so far"):
        is_ready(unfinished, 0.0)


def test_a_vault_is_complete_when_its_model_is_there_and_nothing_is_pending(notes):
    status, change = notes.wait(), msgspec.structs.replace

    assert status.is_complete
    assert change(status, model=change(status.model, state="missing")).is_complete
    assert not change(status, model=change(status.model, state="loading")).is_complete
    assert not change(status, pending=1).is_complete
    assert not change(status, state="scanning").is_complete


@pytest.mark.parametrize(
    ("state", "done", "complete"), [("live", 2, True), ("paused", 2, True), ("indexing", 2, False), ("live", 1, False)]
)
def test_an_answer_is_complete_if_every_note_was_searched(state, done, complete):
    assert wire.Freshness(state=state, done=done, total=2, epoch=1, fallback=None).is_complete is complete


def test_a_result_is_a_sequence_that_cannot_be_changed(notes):
    listing = notes.list(limit=2)

    assert list(listing) == listing.notes
    assert (len(listing), listing[-1], listing[:1]) == (2, listing.notes[1], listing.notes[:1])
    assert not notes.list(folder="Nowhere")
    with pytest.raises(AttributeError):
        listing[0].path = "other.md"


def test_a_context_prints_as_its_text_and_is_false_if_it_is_empty(notes):
    context = notes.context("rotate ssh keys")

    assert str(context) == f"{context}" == context.text
    assert context
    assert not notes.context("zzqqxx")


@pytest.mark.parametrize(
    ("text", "offsets", "expected"),
    [
        ("plain", [0, 3, 5], [0, 3, 5]),
        ("a🍞b", [0, 1, 3, 4], [0, 1, 2, 3]),
        ("🍞🍞", [4, 2, 0], [2, 1, 0]),
        ("🍞", [1], [1]),  # inside a pair of surrogates
        ("ab", [99], [2]),
        ("", [0, 0], [0, 0]),
    ],
)
def test_utf16_offsets_become_characters(text, offsets, expected):
    assert wire.code_points(text, offsets) == expected


# --- keywords --------------------------------------------------------------------------------------


class Recording:
    """A transport that notes the parameters of each request."""

    def ask(self, method, params, *, as_owner=False):
        self.params = params

    def close(self):
        pass


def test_a_scope_takes_one_name_or_several_and_tags_with_their_sign():
    transport = Recording()

    Notes(transport).search("x", folders="Work", not_folders=["a", "b"], tags="#idea", weights={"dense": 2.0})

    assert transport.params.filters == wire.Filters(folders=("Work",), not_folders=("a", "b"), tags=("idea",))
    assert transport.params.weights == wire.Weights(dense=2.0)
    assert transport.params.expand_small_results is False  # a program that asks for three notes wants three at most


def test_times_become_milliseconds():
    transport = Recording()

    Notes(transport).list(tag="#idea", modified_after=datetime(1970, 1, 2, tzinfo=UTC))

    assert (transport.params.modified_after_ms, transport.params.modified_before_ms) == (86_400_000, None)
    assert transport.params.tag == "idea"


# --- opening ---------------------------------------------------------------------------------------


def test_a_vault_that_was_never_indexed_is_waited_for(home, vault):
    with quarry.open(vault, wait_s=30) as notes:
        found = notes.search("oolong")

    assert found[0].path == "Tea.md"
    assert found.index.is_complete


def test_an_answer_that_was_not_waited_for_says_so_or_is_complete(home, vault):
    with quarry.open(vault, wait_s=0) as notes:
        found = notes.search("oolong")

    assert found.index.is_complete is bool(found)


def test_none_is_started_if_none_may_be(home, vault):
    with pytest.raises(errors.ConnectionFailed, match="no sidecar is running"):
        quarry.open(vault, start=False)


def test_a_folder_that_does_not_exist_is_refused_at_once(tmp_path):
    with pytest.raises(errors.VaultMissing):
        quarry.open(tmp_path / "nowhere")
    with pytest.raises(errors.VaultMissing):
        quarry.open_async(tmp_path / "nowhere")


def test_a_closed_vault_says_how_to_open_it_again(at_shared):
    notes = quarry.open(at_shared.vault)
    notes.close()
    notes.close()

    with pytest.raises(errors.ConnectionFailed, match=r"quarry\.open"):
        notes.status()


def test_tiers_are_searched_as_well_and_each_hit_says_which_one_it_is_from(vault, tmp_path, tools):
    other = tools.write_vault(tmp_path / "other", {"Oolong.md": "# Oolong\n\nOolong from Alishan.\n"})
    connect(str(other), "vault")

    with quarry.open(vault) as notes:
        everywhere = notes.search("oolong", tiers="all", wait_ms=10_000, deadline_ms=20_000)
        there = notes.search("oolong", tiers=["other"])
        here = notes.search("oolong", deadline_ms=100)

    assert {(hit.origin.name, hit.path) for hit in everywhere} == {("vault", "Tea.md"), ("other", "Oolong.md")}
    assert [hit.path for hit in there] == ["Oolong.md"]
    assert [hit.path for hit in here] == ["Tea.md"]
