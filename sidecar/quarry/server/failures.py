"""Errors of the engine as a door shows them: a code for programs, a sentence and a next step for people."""

from msgspec import Struct
from msgspec.structs import replace

from quarry import errors
from quarry.client.codec import RequestFailed
from quarry.documents.decoding import utf16_offset
from quarry.messages import Message
from quarry.protocol.envelope import Error, ErrorData
from quarry.redaction.scrub import scrub_text
from quarry.server.gate import UNAUTHORIZED
from quarry.server.message_redaction import redacted


class Presentation(Struct, frozen=True):
    """How one kind of error is shown."""

    kind: str
    code: int  # JSON-RPC
    exit_code: int  # of the command line; `quarry --help` lists them
    next: str


_PRESENTATIONS: dict[type[errors.QuarryError], Presentation] = {
    errors.BadQuery: Presentation("bad-query", Error.BAD_QUERY, 2, "correct the query and ask again"),
    errors.BadSettings: Presentation(
        "bad-settings", Error.INVALID_PARAMS, 2, "correct the setting, or delete it for its default"
    ),
    errors.BadConfiguration: Presentation(
        "bad-configuration",
        Error.INVALID_PARAMS,
        2,
        "correct that, or change the file by hand; see `quarry install --help`",
    ),
    errors.BadRequest: Presentation("bad-request", Error.INVALID_PARAMS, 2, "correct that parameter"),
    errors.Unauthorized: Presentation("unauthorized", Error.UNAUTHORIZED, 1, UNAUTHORIZED.data.next),
    errors.NoteNotFound: Presentation("note-not-found", Error.NOT_FOUND, 1, "search or list notes to find its path"),
    errors.UnreadableDocument: Presentation(
        "unreadable-document", Error.UNAVAILABLE, 1, "open the file in its own program, and save it anew"
    ),
    errors.NoteNotWritten: Presentation(
        "not-written", Error.UNAVAILABLE, 1, "see that its folder can be written and the disk has room, and try again"
    ),
    errors.VaultMissing: Presentation(
        "vault-missing", Error.UNAVAILABLE, 4, "name an existing folder; --vault DIR names the vault"
    ),
    errors.ModelMissing: Presentation(
        "model-missing", Error.UNAVAILABLE, 1, 'set embedding.model to "bundled", or repair the model'
    ),
    errors.NotConfirmed: Presentation(
        "not-confirmed", Error.UNAVAILABLE, 1, "confirm it on this device: `quarry models use NAME`"
    ),
    errors.SchemaTooNew: Presentation(
        "schema-too-new", Error.UNAVAILABLE, 5, "update Quarry, or run `quarry index --rebuild`"
    ),
    errors.IndexUnavailable: Presentation("index-unavailable", Error.UNAVAILABLE, 1, "run `quarry doctor`"),
    errors.IndexBehind: Presentation(
        "index-behind", Error.UNAVAILABLE, 1, "ask again with a longer `waitMs`, or without `afterMs`"
    ),
    errors.VaultLocked: Presentation("vault-locked", Error.UNAVAILABLE, 3, "connect to the running one, or stop it"),
    errors.DeadlineExceeded: Presentation("deadline", Error.DEADLINE, 1, "use fewer or rarer words"),
    errors.Cancelled: Presentation(
        "cancelled", Error.CANCELLED, 130, "send the request again if the answer is still needed"
    ),
    errors.ProtocolMismatch: Presentation("protocol-mismatch", Error.PROTOCOL_MISMATCH, 6, "update the older side"),
    errors.ExtraMissing: Presentation("extra-missing", Error.UNAVAILABLE, 1, "install what is missing"),
    errors.TeamUnavailable: Presentation(
        "team-unavailable", Error.UNAVAILABLE, 1, "check the address and ~/.pgpass, or ask its administrator"
    ),
    errors.SidecarBusy: Presentation("busy", Error.BUSY, 1, "close a program that uses it, or try again in a moment"),
    errors.ConnectionFailed: Presentation("connection-failed", Error.UNAVAILABLE, 1, "run `quarry doctor`"),
}
_REFUSED_BY_THE_WIRE = frozenset({"invalid-params", "invalid-request"})  # what was typed is out of range, or no text
_DEFECT = Presentation(
    "internal", Error.INTERNAL, 1, "try again; if it keeps happening, report it with the log that `quarry doctor` names"
)


def presentation_of(error: BaseException) -> Presentation:
    """How *error* is shown: as its sidecar has it, or by its class or the nearest base that has a form."""
    if isinstance(error, RequestFailed):
        known = next((form for form in _PRESENTATIONS.values() if form.kind == error.kind), _DEFECT)
        exit_code = 2 if error.kind in _REFUSED_BY_THE_WIRE else known.exit_code
        return Presentation(error.kind, known.code, exit_code, error.next)
    return next((_PRESENTATIONS[base] for base in type(error).__mro__ if base in _PRESENTATIONS), _DEFECT)


def error_of(error: Exception, query: str = "") -> Error:
    """
    The JSON-RPC error object for *error*, which a request with this *query* met.

    A defect of Quarry is reported without its message, which may quote a note.
    """
    form = presentation_of(error)
    message = f"the sidecar failed ({type(error).__name__})"
    if isinstance(error, errors.QuarryError):  # some quote what was asked, which may have been pasted
        message = scrub_text(str(error))
    data = ErrorData(kind=form.kind, next=form.next)
    if isinstance(error, errors.BadQuery):
        localized = redacted(error.message) if isinstance(error.message, Message) else None
        data = replace(data, position=utf16_offset(query, error.position), message=localized)
    return Error(code=form.code, message=message, data=data)


def error_class_of(kind: str) -> type[errors.QuarryError]:
    """The class of error that came over the wire as *kind*; the base of the family where it is none of the engine's."""
    return next((of for of, form in _PRESENTATIONS.items() if form.kind == kind), errors.QuarryError)
