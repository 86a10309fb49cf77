"""Errors of the wire as the exceptions of `quarry.errors`."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from quarry import errors
from quarry.interfaces.client import RequestFailed
from quarry.interfaces.python.answers import code_points

ERRORS: Mapping[str, type[errors.QuarryError]] = {
    "bad-settings": errors.BadSettings,
    "bad-request": errors.BadRequest,
    "not-written": errors.NoteNotWritten,
    "invalid-params": errors.BadRequest,
    "invalid-request": errors.BadRequest,
    "unauthorized": errors.Unauthorized,
    "forbidden": errors.Unauthorized,
    "note-not-found": errors.NoteNotFound,
    "vault-missing": errors.VaultMissing,
    "model-missing": errors.ModelMissing,
    "schema-too-new": errors.SchemaTooNew,
    "index-unavailable": errors.IndexUnavailable,
    "index-behind": errors.IndexBehind,
    "vault-locked": errors.VaultLocked,
    "deadline": errors.DeadlineExceeded,
    "cancelled": errors.Cancelled,
    "protocol-mismatch": errors.ProtocolMismatch,
    "method-not-found": errors.ProtocolMismatch,
    "extra-missing": errors.ExtraMissing,
    "busy": errors.SidecarBusy,
    "connection-failed": errors.ConnectionFailed,
}
"""`kind` of an error -> its class; `bad-query` has a position besides, and any other is a `QuarryError`."""


_BAD_PARAMETER = re.compile(r"[^:]+: (?P<what>.+) - at `\$\.(?P<parameter>\w+).*`")
_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")


def exception_of(failed: RequestFailed) -> errors.QuarryError:
    """The exception for a request that was refused; what to do next is its note, which a traceback shows."""
    error: errors.QuarryError
    if refused := _BAD_PARAMETER.fullmatch(str(failed)):  # named as on the wire, and its next step names all of them
        return errors.BadRequest(f"{_snake_case(refused['parameter'])}: {refused['what']}")
    if failed.kind == "bad-query":
        query = failed.query or ""
        error = errors.BadQuery(str(failed), code_points(query, [failed.position or 0])[0])
    else:
        error = ERRORS.get(failed.kind, errors.QuarryError)(str(failed))
    error.add_note(f"Next: {failed.next}.")
    return error


def _snake_case(name: str) -> str:
    return _CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", name)


@contextmanager
def as_errors() -> Iterator[None]:
    """Raise what the sidecar refuses inside the block as an exception of `quarry.errors`."""
    try:
        yield
    except RequestFailed as failed:
        raise exception_of(failed) from None
