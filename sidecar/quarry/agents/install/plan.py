"""Which files would change, and how? A plan reads files and writes none."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from quarry.agents.install.files import FileState, read_state
from quarry.agents.install.jsonc import Malformed
from quarry.agents.install.record import FileRecord, Layer, text_hash, undone
from quarry.agents.install.targets import Target
from quarry.errors import BadConfiguration


class InstallRequest(NamedTuple):
    """An entry to add to, or remove from, a client's configuration file."""

    client: str
    path: Path
    target: Target


class FileChange(NamedTuple):
    """
    A planned change of one file.

    *text* is None where the file is deleted; *record* what is known of it then, None where it is none of ours any
    more. *is_exact* says that it is again as it was before the first change.
    """

    state: FileState
    text: str | None
    record: FileRecord | None
    is_exact: bool = False

    @property
    def is_change(self) -> bool:
        """Whether the file itself changes, and not only what is recorded of it."""
        return self.state.data != (None if self.text is None else self.state.encoded(self.text))


@dataclass
class _Draft:
    """A file while requests are applied to it in turn."""

    state: FileState
    text: str
    record: FileRecord
    is_deleted: bool = False


def plan_install(requests: Iterable[InstallRequest], vault: str, records: Mapping[str, FileRecord]) -> list[FileChange]:
    """
    The changes after which every request is met.

    Args:
        vault: The id of the vault.
        records: By the real path of a file.

    Raises:
        BadConfiguration: A file is malformed, cannot be replaced, or has another server of that name. Nothing of the
            plan is to be carried out then.
    """
    drafts: dict[str, _Draft] = {}
    for request in requests:
        draft = _draft(drafts, request, records)
        with _blaming(request.path):
            _install(draft, request, vault)
    return [_change(draft) for draft in drafts.values()]


def plan_remove(requests: Iterable[InstallRequest], vault: str, records: Mapping[str, FileRecord]) -> list[FileChange]:
    """The changes after which none of the requests is met. As `plan_install`."""
    drafts: dict[str, _Draft] = {}
    for request in requests:
        draft = _draft(drafts, request, records)
        with _blaming(request.path):
            _remove(draft, request, vault)
    return [_change(draft) for draft in drafts.values()]


def _draft(drafts: dict[str, _Draft], request: InstallRequest, records: Mapping[str, FileRecord]) -> _Draft:
    state = read_state(request.path)
    record = records.get(str(state.real), FileRecord())
    return drafts.setdefault(str(state.real), _Draft(state, state.text, record))


def _install(draft: _Draft, request: InstallRequest, vault: str) -> None:
    target, owner = request.target, _owner(request, vault)
    clients = draft.record.clients_of(owner) | {request.client}
    if target.is_done(draft.text):
        draft.record = _shared(draft.record, owner, clients)
        return
    text, record = _without_ours(draft, target, owner)
    addition = target.add(text)
    layer = Layer(owner, tuple(sorted(clients)), text_hash(text), text_hash(addition.text), addition.steps)
    draft.text = addition.text
    draft.record = replace(
        record,
        original=record.original or text_hash(draft.state.text),
        is_ours=record.is_ours or draft.state.data is None,
        containers=tuple(dict.fromkeys((*record.containers, *addition.containers))),
        layers=(*record.layers, layer),
    )


def _without_ours(draft: _Draft, target: Target, owner: str) -> tuple[str, FileRecord]:
    """The text of *draft* without the entries of *owner*: taken back exactly, or found by what they say."""
    text, record = draft.text, draft.record
    if target.has_ours(text):
        text, record = undone(text, record, owner)
    if target.has_ours(text):
        text = target.remove(text, record.containers)
    return text, record


def _remove(draft: _Draft, request: InstallRequest, vault: str) -> None:
    target, owner = request.target, _owner(request, vault)
    others = draft.record.clients_of(owner) - {request.client}
    if others:  # they read the same file, and go on doing so
        draft.record = _shared(draft.record, owner, others)
        return
    text, record = _without_ours(draft, target, owner)
    draft.text = text
    draft.record = replace(record, layers=tuple(layer for layer in record.layers if layer.owner != owner))
    draft.is_deleted = draft.record.is_ours and not draft.record.layers and target.is_bare(text)


def _owner(request: InstallRequest, vault: str) -> str:
    return f"{vault}/{type(request.target).__name__}"


def _shared(record: FileRecord, owner: str, clients: Iterable[str]) -> FileRecord:
    """*record* with *clients* as those that the content of *owner* is for."""
    layers = tuple(
        replace(layer, clients=tuple(sorted(clients))) if layer.owner == owner else layer for layer in record.layers
    )
    return replace(record, layers=layers)


def _change(draft: _Draft) -> FileChange:
    state = draft.state
    text = None if draft.is_deleted or (state.data is None and not draft.text) else draft.text
    record = draft.record if draft.record.layers else None
    return FileChange(state, text, record, record is None and text_hash(draft.text) == draft.record.original)


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """Names the file, and the line where one is known, in what goes wrong."""
    try:
        yield
    except Malformed as error:
        raise BadConfiguration(f"{path}, line {error.line}: {error}; the file is left as it is") from error
    except BadConfiguration as error:
        raise BadConfiguration(f"{path}: {error}") from error
