"""Errors of the wire as the exceptions of `quarry.errors`."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from quarry import errors
from quarry.client.client import RequestFailed
from quarry.python.answers import code_points

OF_THE_WIRE: Mapping[str, type[errors.QuarryError]] = {
    "invalid-params": errors.BadRequest,
    "invalid-request": errors.BadRequest,
    "forbidden": errors.Unauthorized,
    "method-not-found": errors.ProtocolMismatch,
}
"""`kind` of an error -> its class, where the wire itself refuses; the others stand for errors of the engine."""

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
        error = _class_of(failed.kind)(str(failed))
    error.add_note(f"Next: {failed.next}.")
    return error


def _class_of(kind: str) -> type[errors.QuarryError]:
    from quarry.server.failures import error_class_of  # here, as most programs are refused nothing

    return OF_THE_WIRE.get(kind) or error_class_of(kind)


def _snake_case(name: str) -> str:
    return _CAPITAL.sub(lambda capital: f"_{capital[0].lower()}", name)


@contextmanager
def as_errors() -> Iterator[None]:
    """Raise what the sidecar refuses inside the block as an exception of `quarry.errors`."""
    try:
        yield
    except RequestFailed as failed:
        raise exception_of(failed) from None
