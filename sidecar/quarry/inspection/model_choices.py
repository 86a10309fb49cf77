"""The models to choose from: what each is for, costs in this vault and needs on this machine."""

from collections.abc import Mapping
from importlib.util import find_spec

from msgspec import Struct

from quarry import consent
from quarry.embedding import known_models, ollama_models, requests_for
from quarry.embedding.endpoint_name import KEY_VARIABLE, OLLAMA, PulledModel, is_endpoint, parse_endpoint
from quarry.embedding.known_models import KnownModel
from quarry.errors import ModelMissing
from quarry.index import Reader
from quarry.indexing.current_index import fingerprint_of
from quarry.messages import Message, message
from quarry.options import ConsentKind, KnownLanguages

_LATEST = ":latest"


class ConsentRequest(Struct, frozen=True):
    """A request that the user of this device has not confirmed yet, and the sentence to ask with."""

    kind: ConsentKind
    message: Message


class ModelChoice(Struct, frozen=True):
    """A model that the vault could use."""

    name: str  # as `embedding.model` takes it
    languages: KnownLanguages | None  # None: not known
    size_bytes: int | None
    remaining_ms: int | None  # to make the vectors that this vault lacks, estimated; None: no estimate
    gain: float | None  # of nDCG@10 over the bundled model, on judged sets; None: not measured
    done_chunks: int  # that have its vector
    total_chunks: int
    is_chosen: bool
    is_here: bool  # on this machine
    obstacle: Message | None  # why it cannot be used at the moment
    requests: tuple[ConsentRequest, ...]


def model_choices(chosen: str, other: str | None, reader: Reader) -> list[ModelChoice]:
    """
    Known models, those that the Ollama on this machine has, the *chosen* one, and the *other* that is asked about.

    Raises:
        ModelMissing: The name of the *other* cannot be read.
    """
    if other and is_endpoint(other):
        parse_endpoint(other)
    known = {model.name: model for model in known_models()}
    models = ollama_models()
    pulled = {f"{OLLAMA}{model.name.removesuffix(_LATEST)}": model for model in models or ()}
    names = dict.fromkeys([*known, *pulled, chosen, *([other] if other else [])])
    done = {fingerprint_of(stored.model).name: stored.chunks for stored in reversed(reader.stored_models)}
    total = reader.chunk_count
    return [
        _choice(name, known.get(name), pulled, done.get(name, 0), total, chosen, has_ollama=models is not None)
        for name in names
    ]


def _choice(
    name: str,
    known: KnownModel | None,
    pulled: Mapping[str, PulledModel],
    done: int,
    total: int,
    chosen: str,
    *,
    has_ollama: bool,
) -> ModelChoice:
    obstacle = _obstacle(name, known, pulled, has_ollama=has_ollama)
    try:
        requests = requests_for(name)
    except ModelMissing as error:
        requests, obstacle = (), message("obstacle.unusable", detail=str(error))
    size_bytes = pulled[name].size_bytes if name in pulled else known.size_mb * 1_000_000 if known else None
    is_download = any(kind == "download" for kind, _ in requests)
    return ModelChoice(
        name=name,
        languages=known.languages if known else None,
        size_bytes=size_bytes,
        remaining_ms=round(known.ms * (total - done)) if known else None if done < total else 0,
        gain=known.gain if known else None,
        done_chunks=done,
        total_chunks=total,
        is_chosen=name == chosen,
        is_here=name in pulled or not (is_download or name.startswith(OLLAMA)),
        obstacle=obstacle,
        requests=tuple(
            ConsentRequest(kind, _sentence(kind, name, size_bytes))
            for kind, subject in requests
            if not consent.is_confirmed(kind, subject)
        ),
    )


def _obstacle(
    name: str, known: KnownModel | None, pulled: Mapping[str, PulledModel], *, has_ollama: bool
) -> Message | None:
    if name.startswith(f"{OLLAMA}//"):
        return None
    if name.startswith(OLLAMA) and not has_ollama:
        return message("obstacle.needs-ollama")
    if name.startswith(OLLAMA) and name not in pulled:
        return message("obstacle.needs-pull", model=name.removeprefix(OLLAMA))
    if known and known.is_contextual and not is_endpoint(name) and find_spec("onnxruntime") is None:
        return message("obstacle.needs-extra")
    return None


def _sentence(kind: ConsentKind, name: str, size_bytes: int | None) -> Message:
    """The sentence to ask the user of this device with."""
    size = f"{size_bytes / 1e6:.0f} MB" if size_bytes else "? MB"
    origin = parse_endpoint(name).origin if is_endpoint(name) else ""
    return message(f"consent.{kind}", model=name, size=size, origin=origin, variable=KEY_VARIABLE)
