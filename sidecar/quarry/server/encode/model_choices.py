"""The models to choose from: what each is for, costs in this vault and needs on this machine."""

import os
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from quarry import consent
from quarry import protocol as wire
from quarry.embedding import known_models, ollama_models, requests_for
from quarry.embedding.endpoint_name import (
    KEY_VARIABLE,
    OLLAMA,
    PulledModel,
    is_endpoint,
    is_of_usual_ollama,
    parse_endpoint,
)
from quarry.embedding.known_models import KnownModel
from quarry.errors import ModelMissing
from quarry.index import Reader
from quarry.indexing.current_index import fingerprint_of
from quarry.messages import Message, message
from quarry.server.message_redaction import redacted

MEMORY_OF_SIZE = 2  # a model takes its weights, and as much again while it works; an estimate
MEMORY_FILE = Path("/proc/meminfo")  # of Linux


def model_choices(chosen: str, other: str | None, reader: Reader) -> wire.ModelsListResult:
    """
    Known models, those that the Ollama on this machine has, the *chosen* one, and the *other* that is asked about.

    Raises:
        ModelMissing: The name of the *other* cannot be read.
    """
    if other:
        requests_for(other)
    known, models = {model.name: model for model in known_models()}, ollama_models()
    pulled = {model.chosen_as: model for model in models or ()}
    listed = [name for name, model in pulled.items() if model.embeds]
    done = {fingerprint_of(stored.model).name: stored.chunks for stored in reversed(reader.stored_models)}
    choices = []
    for name in dict.fromkeys([*known, *listed, chosen, other or chosen]):
        obstacle = _obstacle(name, known.get(name), pulled, has_ollama=models is not None)
        if not obstacle and name != chosen:  # of the chosen one, memory has what it needs
            obstacle = _too_large(_size_of(known.get(name), pulled.get(name)) or 0)
        choices.append(
            _choice(name, known.get(name), pulled.get(name), obstacle, (done.get(name, 0), reader.chunk_count))
        )
    return wire.ModelsListResult(models=choices, chosen=chosen)


def _choice(
    name: str, known: KnownModel | None, pulled: PulledModel | None, obstacle: Message | None, chunks: tuple[int, int]
) -> wire.ModelChoice:
    try:
        requests = requests_for(name)
    except ModelMissing as error:
        requests, obstacle = (), message("obstacle.unusable", detail=str(error))
    size_bytes = _size_of(known, pulled)
    origin = parse_endpoint(name).origin if requests and is_endpoint(name) else ""
    size = f"{size_bytes / 1e6:.0f} MB" if size_bytes else "? MB"
    told = partial(message, model=name, size=size, origin=origin, variable=KEY_VARIABLE)
    done, total = chunks
    return wire.ModelChoice(
        name=name,
        languages=known.languages if known else None,
        size_bytes=size_bytes,
        remaining_ms=round(known.ms * (total - done)) if known else None,
        gain=known.gain if known else None,
        done_chunks=done,
        total_chunks=total,
        is_here=bool(pulled) or not (("download", name) in requests or name.startswith(OLLAMA)),
        obstacle=redacted(obstacle) if obstacle else None,
        requests=[
            wire.ConsentRequest(kind=kind, message=told(f"consent.{kind}"))
            for kind, subject in requests
            if not consent.is_confirmed(kind, subject)
        ],
    )


def _obstacle(
    name: str, known: KnownModel | None, pulled: Mapping[str, PulledModel], *, has_ollama: bool
) -> Message | None:
    """Why the model cannot be used at the moment."""
    if is_of_usual_ollama(name) and name.removesuffix(":latest") not in pulled:
        model = name.removeprefix(OLLAMA)
        return message("obstacle.needs-pull", model=model) if has_ollama else message("obstacle.needs-ollama")
    needs_extra = known and known.is_contextual and not is_endpoint(name) and find_spec("onnxruntime") is None
    return message("obstacle.needs-extra") if needs_extra else None


def _size_of(known: KnownModel | None, pulled: PulledModel | None) -> int | None:
    return pulled.size if pulled else known.size_mb * 1_000_000 if known else None


def _too_large(size_bytes: int) -> Message | None:
    needed, free = MEMORY_OF_SIZE * size_bytes, available_bytes()
    if free is None or needed <= free:
        return None
    return message("obstacle.needs-memory", needed=f"{needed / 1e9:.1f} GB", free=f"{free / 1e9:.1f} GB")


def available_bytes() -> int | None:
    """The memory that is free or can be freed; all of it where the system does not say; None on Windows."""
    with suppress(OSError, ValueError, StopIteration):
        lines = MEMORY_FILE.read_text("ascii").splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    with suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None
