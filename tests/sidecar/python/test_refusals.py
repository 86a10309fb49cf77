"""Errors of the wire as exceptions: every kind that a sidecar has becomes the class that it was there."""

import pytest

from quarry import errors
from quarry.client.client import RequestFailed
from quarry.python.refusals import as_errors, exception_of
from quarry.server.failures import _PRESENTATIONS


@pytest.mark.parametrize(("kind", "of"), [(form.kind, of) for of, form in _PRESENTATIONS.items()])
def test_a_kind_becomes_the_class_that_it_stands_for(kind, of):
    error = exception_of(RequestFailed("what happened", kind, "do this"))

    assert type(error) is of
    assert str(error) == "what happened"
    assert error.__notes__ == ["Next: do this."]


def test_an_unknown_kind_is_an_error_of_ours_all_the_same():
    assert type(exception_of(RequestFailed("x", "from-the-future", "y"))) is errors.QuarryError


def test_a_position_counts_characters():
    error = exception_of(RequestFailed("x", "bad-query", "y", position=3, query="🍞 (("))

    assert error.position == 2


def test_a_parameter_out_of_range_is_named_as_it_is_in_python():
    failed = RequestFailed("search: Expected `int` <= 100000 - at `$.maxTokens`", "invalid-params", "search takes …")

    error = exception_of(failed)

    assert isinstance(error, errors.BadRequest)
    assert str(error) == "max_tokens: Expected `int` <= 100000"


def test_what_is_raised_inside_does_not_show_the_wire():
    with pytest.raises(errors.NoteNotFound) as caught, as_errors():
        raise RequestFailed("no such note", "note-not-found", "search")

    assert caught.value.__suppress_context__
