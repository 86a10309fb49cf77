"""The sidecar: opening a connection, the status of the index, settings."""

from typing import Annotated, Literal

import msgspec
from msgspec.structs import fields

from quarry.limits import UNFINISHED
from quarry.messages import Message
from quarry.options import ConsentKind, Fusion, KnownLanguages, Params, Stemming, Value, doc
from quarry.protocol.base import IndexState, MissingRetriever

Access = Literal["reader", "owner"]
ModelState = Literal["loading", "ready", "missing"]
BackfillState = Literal["loading", "missing", "running", "complete"]


class Progress(Value, frozen=True, kw_only=True):
    """Progress of the current work."""

    done_notes: int
    total_notes: int
    done_chunks: int
    notes_per_second: float
    remaining_ms: Annotated[int | None, doc("Null while it cannot be estimated.")]


class Model(Value, frozen=True, kw_only=True):
    """The embedding model."""

    name: str
    state: ModelState
    message: Annotated[str | None, doc("Why it is missing and what to do about it; null otherwise.")]


class Backfill(Value, frozen=True, kw_only=True):
    """A contextual model, and the progress of the contextual backfill: the share of chunks that have its vectors."""

    model: str
    state: Annotated[BackfillState, doc("Static vectors answer until this is `complete`.")]
    message: Annotated[str | None, doc("Why the model is missing and what to do about it.")]
    done_chunks: int
    total_chunks: int
    remaining_ms: Annotated[int | None, doc("Null while it cannot be estimated, and when it is complete.")]
    sent_to: Annotated[str | None, doc("Where the text of notes and queries is sent, if that is another machine.")]


class StoredModel(Value, frozen=True, kw_only=True):
    """A model that the index has vectors of: in use, or kept from before, so that it can be used again at once."""

    id: Annotated[str, doc("SHA-256 of all that determines its vectors.")]
    name: str
    kind: Literal["static", "contextual"]
    chunks: Annotated[int, doc("Chunks that have its vectors.")]
    size_bytes: int
    is_used: bool


class ForgetModelParams(Params, frozen=True, kw_only=True):
    """Delete the vectors that are kept of a model; those of a model in use stay."""

    id: Annotated[str, doc("As in `models` of the status.", max_length=100)]


class Problem(Value, frozen=True, kw_only=True):
    """A note that was skipped, truncated, or only partially read."""

    path: Annotated[str, doc('"": a setting or a rule.')]
    reason: Message
    skipped: Annotated[bool, doc("True: the note cannot be found. False: a part of it can.")]


class IndexStatus(Value, frozen=True, kw_only=True):
    """The status of the index: its contents and current work."""

    state: IndexState
    notes: Annotated[int, doc("Notes that can be found now.")]
    chunks: int
    pending: Annotated[int, doc("Notes known to have changed and not yet indexed.")]
    excluded: Annotated[int, doc("Notes excluded by a rule at the last scan.")]
    progress: Annotated[Progress | None, doc("Null when idle.")]
    model: Model
    backfill: Annotated[Backfill | None, doc("Null unless a contextual model is chosen.")]
    models: Annotated[list[StoredModel], doc("Those in use first, then the last used.")]
    missing: Annotated[list[MissingRetriever], doc("Retrievers that are unavailable now; normally empty.")]
    problem_count: int
    problems: Annotated[list[Problem], doc("At most 100, by path.")]
    indexed_ms: Annotated[int | None, doc("When the index last became equal to the vault.")]
    built_ms: Annotated[
        int | None, doc("When the whole index was last rebuilt, or begun; null if an older version did that.")
    ]
    size_bytes: Annotated[int, doc("Size of the index on disk.")]
    message: Annotated[Message | None, doc("Something the user should know, and what to do about it.")]

    @property
    def is_complete(self) -> bool:
        """Whether every note can be found, by words and, if there is a model, by meaning."""
        is_dense_missing = any(retriever.retriever == "dense" for retriever in self.missing)
        awaits_vectors = is_dense_missing and self.state == "live" and self.model.state == "ready"  # it was just loaded
        return self.state not in UNFINISHED and self.model.state != "loading" and not (self.pending or awaits_vectors)


class IndexUpdated(Value, frozen=True, kw_only=True):
    """Sent after a commit: the results of an open query may have changed."""

    indexed: Annotated[list[str], doc("Notes that are now current; at most 100.")]
    removed: Annotated[list[str], doc("Removed notes; at most 100.")]
    status: IndexStatus


class RebuildParams(Params, frozen=True, kw_only=True):
    """Rebuild the index from scratch; the old one answers queries until then."""


class Client(Value, frozen=True, kw_only=True):
    """The program that connects; shown in the log."""

    name: Annotated[str, doc(max_length=100)]
    version: Annotated[str, doc(max_length=100)] = ""


class InitializeParams(Params, frozen=True, kw_only=True):
    """The first message of every connection."""

    token: Annotated[str, doc("The token from the discovery file, or the owner's; see Tokens.", max_length=200)]
    protocol: Annotated[int, doc("The protocol version that the client speaks.")]
    client: Client


class Vault(Value, frozen=True, kw_only=True):
    """The folder that this sidecar serves."""

    id: Annotated[str, doc("Stable for one folder on one machine.")]
    name: str
    path: Annotated[str, doc("Absolute path on this machine.")]


class InitializeResult(Value, frozen=True, kw_only=True):
    """The connection is open."""

    protocol: int
    version: Annotated[str, doc("The version of the sidecar.")]
    vault: Vault
    access: Annotated[Access, doc("The rights of the token; `owner`: all methods.")]
    status: IndexStatus


class ConsentRequest(Value, frozen=True, kw_only=True):
    """A request that the user of this device has not confirmed yet."""

    kind: ConsentKind
    message: Annotated[Message, doc("The sentence to ask with.")]


class ModelChoice(Value, frozen=True, kw_only=True):
    """An embedding model that the vault could use."""

    name: Annotated[str, doc("As the setting `model` takes it.")]
    languages: Annotated[KnownLanguages | None, doc("`scripts`: English, and languages of other scripts by way of it.")]
    size_bytes: int | None
    remaining_ms: Annotated[int | None, doc("To make the vectors that this vault lacks; null: no estimate.")]
    gain: Annotated[float | None, doc("Of nDCG@10 over the bundled model, on judged sets; null: not measured.")]
    done_chunks: Annotated[int, doc("That have its vector: with all of them, it answers as soon as it is chosen.")]
    total_chunks: int
    is_here: Annotated[bool, doc("On this machine.")]
    obstacle: Annotated[Message | None, doc("Why it cannot be used at the moment.")]
    requests: Annotated[list[ConsentRequest], doc("What has to be confirmed before it is used.")]


class ModelsListParams(Params, frozen=True, kw_only=True):
    """List the embedding models to choose from. Asks an Ollama on this machine which models it has."""

    model: Annotated[Annotated[str, doc(max_length=1000)] | None, doc("Another model to describe.")] = None


class ModelsListResult(Value, frozen=True, kw_only=True):
    """The models to choose from."""

    models: list[ModelChoice]
    chosen: Annotated[str, doc("The name of the one in the settings.")]


class ModelsUseParams(Params, frozen=True, kw_only=True):
    """Use an embedding model: record what the user of this device has confirmed, and write the setting."""

    model: Annotated[str, doc(max_length=1000)]
    confirmed: Annotated[list[ConsentKind], doc("The kinds of its requests that the user has said yes to.")]


class Settings(Value, frozen=True, kw_only=True):
    """The vault's settings, as `.quarry.toml` at its root gives them, or the defaults."""

    include_folders: Annotated[list[str], doc("If not empty, only these folders are indexed.")]
    exclude_folders: list[str]
    model: Annotated[str, doc('"bundled", a local folder, a Hugging Face name, or that of an endpoint.')]
    skip_sections: Annotated[list[str], doc("Headings whose sections are not indexed.")]
    keyword_weight: Annotated[float, doc(ge=0, le=100)]
    dense_weight: Annotated[float, doc(ge=0, le=100)]
    fusion: Annotated[Fusion, doc("How the rankings of the retrievers are combined.")]
    stemming: Annotated[
        Stemming,
        doc(
            "none: a word matches only itself, not its other forms. A change re-indexes all notes; search keeps "
            "working."
        ),
    ]
    index_templates: Annotated[bool, doc("Whether notes in template folders are indexed.")]
    index_canvases: Annotated[bool, doc("Whether the text of canvases is indexed.")]
    index_pdfs: Annotated[bool, doc("Whether the text of PDF files is indexed; needs the extra `pdf` of the engine.")]
    exclude_status: Annotated[list[str], doc("Notes whose property `status` has one of these values are not found.")]
    sensitive_folders: Annotated[list[str], doc("Folders whose notes are sensitive: never read, indexed or shown.")]
    restricted_folders: Annotated[list[str], doc("Folders whose notes are restricted, with the same effect.")]
    capture_folder: Annotated[str, doc('Where `capture` puts new notes; "" is the vault itself.', max_length=1000)]
    capture_by_agents: Annotated[bool, doc("Whether `capture` also accepts the reader's token.")]


SettingsWriteParams: type[Params] = msgspec.defstruct(  # type: ignore[assignment]  # its base is `Params`
    "SettingsWriteParams",
    [(setting.name, setting.type | msgspec.UnsetType, msgspec.UNSET) for setting in fields(Settings)],
    bases=(Params,),
    namespace={"__doc__": "Only the given settings change; comments in `.quarry.toml` are kept."},
    frozen=True,
    kw_only=True,
)
"""Any of the fields of `Settings`."""
