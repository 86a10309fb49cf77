"""Arguments as parameters: both classes take what the wire takes, with its defaults."""

import inspect
from datetime import UTC, datetime

import msgspec
import pytest

from quarry import protocol as wire
from quarry.python.async_notes import AsyncNotes
from quarry.python.calls import NoteScope, list_notes
from quarry.python.notes import Notes

NOT_TAKEN = {
    "typing": "a pane's",
    "supersedes": "a pane's; cancelling a task does it",
    "filters": "its fields are arguments",
    "extract": "a pane's",
    "modified_after_ms": "a datetime",
    "modified_before_ms": "a datetime",
}
NOT_TAKEN_OF_FILTERS = {"notes", "not_notes"}  # a pane's; `paths` tells notes by a part of their path
OWN_DEFAULTS = {("search", "expand_small_results"): False}  # who writes `limit=3` in a program wants three at most
METHODS = {
    "search": wire.SearchOptions,
    "context": wire.ContextParams,
    "read": wire.ReadNoteParams,
    "related": wire.RelatedParams,
    "list": wire.ListNotesParams,
    "capture": wire.CaptureParams,
}


def default_of(field):
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return inspect.Parameter.empty if field.required else field.default_factory()


@pytest.mark.parametrize(("method", "params"), METHODS.items(), ids=METHODS)
def test_every_parameter_of_the_wire_is_an_argument_with_its_default(method, params):
    arguments = inspect.signature(getattr(Notes, method)).parameters

    for field in msgspec.structs.fields(params):
        if field.name in NOT_TAKEN or (method, field.name) == ("related", "snippet_width"):
            continue
        assert field.name in arguments, f"Notes.{method} and its twin lack it; or say in NOT_TAKEN why they may"
        default = arguments[field.name].default
        wanted = OWN_DEFAULTS.get((method, field.name), default_of(field))
        assert default == (tuple(wanted) if isinstance(wanted, list) else wanted), field.name
    if "filters" in params.__struct_fields__:
        assert {*wire.Filters.__struct_fields__} - NOT_TAKEN_OF_FILTERS <= {*arguments}


@pytest.mark.parametrize("method", [*METHODS, "status", "wait", "close"])
def test_both_classes_have_the_same_methods(method):
    ours, twin = getattr(Notes, method), getattr(AsyncNotes, method)

    assert inspect.signature(ours) == inspect.signature(twin)
    assert ours.__doc__ == twin.__doc__
    assert inspect.iscoroutinefunction(twin)


def test_a_scope_takes_one_name_or_several_and_tags_with_their_sign():
    scope = NoteScope(folders="Work", not_folders=["a", "b"], tags="#idea")

    assert scope.params == {
        "folders": ["Work"],
        "notFolders": ["a", "b"],
        "paths": [],
        "notPaths": [],
        "tags": ["idea"],
        "notTags": [],
    }


def test_times_become_milliseconds():
    call = list_notes(
        folder=None, tag="#idea", type=None, domain=None, status=None, modified_after=datetime(1970, 1, 2, tzinfo=UTC),
        modified_before=None, limit=1, offset=0, wait_ms=0, after_ms=None,
    )  # fmt: skip

    assert call.params["modifiedAfterMs"] == 86_400_000
    assert call.params["modifiedBeforeMs"] is None
    assert call.params["tag"] == "idea"
