import pytest

from quarry import errors
from quarry.client.codec import RequestFailed
from quarry.protocol.envelope import Error
from quarry.server.failures import error_of, presentation_of


def family(kind=errors.QuarryError):
    for child in kind.__subclasses__():
        if child.__module__ == "quarry.errors":
            yield child
            yield from family(child)


def an(kind):
    return kind("the tea is cold", 3) if kind is errors.BadQuery else kind("the tea is cold")


@pytest.mark.parametrize("kind", list(family()))
def test_every_error_of_ours_has_a_form_of_its_own_and_a_next_step(kind):
    error = error_of(an(kind))

    assert error.message == "the tea is cold"
    assert error.data.kind != "internal"
    assert error.data.next
    assert error.code < 0


def test_a_bad_query_says_where():
    assert error_of(errors.BadQuery("a quote is open", 7)).data.position == 7
    assert error_of(errors.NoteNotFound("no")).data.position is None


def test_a_defect_is_told_by_its_class_alone():
    error = error_of(ValueError("a line of a private note"))

    assert error.code == Error.INTERNAL
    assert "private" not in error.message
    assert "ValueError" in error.message


@pytest.mark.parametrize(
    ("kind", "exit_code"),
    [
        (errors.BadQuery, 2),
        (errors.BadSettings, 2),
        (errors.BadRequest, 2),
        (errors.VaultLocked, 3),
        (errors.VaultMissing, 4),
        (errors.SchemaTooNew, 5),
        (errors.ProtocolMismatch, 6),
        (errors.IndexUnavailable, 1),
        (errors.IndexDamaged, 1),
        (errors.ConnectionFailed, 1),
        (errors.Cancelled, 130),
    ],
)
def test_the_exit_code_is_the_same_on_both_ways_to_it(kind, exit_code):
    assert presentation_of(an(kind)).exit_code == exit_code
    told = error_of(an(kind)).data
    form = presentation_of(RequestFailed("x", told.kind, told.next))
    assert (form.kind, form.next, form.exit_code) == (told.kind, told.next, exit_code)


@pytest.mark.parametrize(("kind", "code"), [("invalid-params", 2), ("invalid-request", 2), ("made-up-later", 1)])
def test_what_the_wire_refuses_is_bad_usage_and_an_unknown_kind_a_plain_failure(kind, code):
    assert presentation_of(RequestFailed("x", kind, "do it")).exit_code == code
