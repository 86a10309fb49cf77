"""
The names of models that another program runs, as `embedding.model` spells them.

    ollama:nomic-embed-text                    by Ollama, on this machine and its usual port
    ollama://127.0.0.1:11500/nomic-embed-text  by Ollama elsewhere
    http://127.0.0.1:1234/v1#nomic-embed-text  by anything that answers `POST /v1/embeddings` as OpenAI does

A name has no key in it, as it may be in a file of the vault: that comes from the environment.
"""

import os
from contextlib import suppress
from ipaddress import ip_address
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct

from quarry import consent
from quarry.consent import Request
from quarry.errors import ModelMissing
from quarry.lazy_pattern import lazy_pattern
from quarry.settings import without_credentials

OLLAMA = "ollama:"
OLLAMA_ORIGIN = "http://127.0.0.1:11434"
KEY_VARIABLE = "QUARRY_EMBEDDING_KEY"  # sent as a bearer token, once its user has confirmed to whom

_EMBEDS = lazy_pattern(r"bert|embed|minilm|\b(?:bge|e5|gte)-")  # families and names; the list does not say it

EndpointApi: TypeAlias = Literal["ollama", "openai"]


class EndpointName(Struct, frozen=True):
    """A model that another program runs."""

    name: str  # as written
    api: EndpointApi
    host: str
    port: int
    is_encrypted: bool
    path: str  # what the paths of the API are below: "", or "/v1"
    model: str  # as that program calls it

    @property
    def origin(self) -> str:
        """Where the program answers."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' * self.is_encrypted}://{host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether that is this machine: what is sent there does not leave it."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def requests(self) -> tuple[Request, ...]:
        """All that the user of this device may confirm; a key goes only where none on the way can read it."""
        remote: tuple[Request, ...] = () if self.is_local else (("remote", self.origin),)
        has_key = endpoint_key() and (self.is_local or self.is_encrypted)
        return ("endpoint", self.name), *remote, *((("key", self.origin),) if has_key else ())


class PulledModel(Struct, frozen=True):
    """A model that Ollama has, as it lists it."""

    name: str
    digest: str = ""  # of its files
    size: int = 0  # bytes
    details: dict[str, Any] = {}

    @property
    def embeds(self) -> bool:
        """Whether it is likely to be one for embeddings."""
        return _EMBEDS.search(f"{self.details.get('family')} {self.name}") is not None

    @property
    def chosen_as(self) -> str:
        """The name that `embedding.model` has for it."""
        return f"{OLLAMA}{self.name.removesuffix(':latest')}"


def is_of_usual_ollama(name: str) -> bool:
    """Whether *name* is that of a model which Ollama runs on this machine and its usual port."""
    return name.startswith(OLLAMA) and not name.startswith(f"{OLLAMA}//")


def endpoint_key() -> str:
    """The key of the environment; "" for none, or for one that no header can hold."""
    key = os.environ.get(KEY_VARIABLE, "").strip()
    return key if key.isascii() and key.isprintable() else ""


def is_endpoint(name: str) -> bool:
    """Whether *name* is spelled as that of a model which another program runs, be it with a scheme that none has."""
    return name.startswith(OLLAMA) or "://" in name[2:]  # a drive of Windows has one letter


def remote_origin(name: str) -> str | None:
    """Where the model called *name* runs, if that is another machine: texts that are sent there leave this one."""
    endpoint = _endpoint_of(name)
    return endpoint.origin if endpoint and not endpoint.is_local else None


def withdraw(name: str) -> list[Request]:
    """
    Take back what was confirmed for *name*, the name of a model or an origin, and return it.

    A yes to where a model runs, or to a key for it, goes with the last model there. Raises as `consent.withdraw`.
    """
    own = _endpoint_of(name)
    others = [_endpoint_of(subject) for kind, subject in consent.confirmed() if kind == "endpoint" and subject != name]
    is_last = own and own.origin not in [other.origin for other in others if other]
    return consent.withdraw([name, own.origin] if own and is_last else [name])


def _endpoint_of(name: str) -> EndpointName | None:
    with suppress(ModelMissing):
        return parse_endpoint(name) if is_endpoint(name) else None
    return None


def parse_endpoint(name: str) -> EndpointName:
    """
    Read a *name* that `is_endpoint`.

    Raises:
        ModelMissing: It lacks a part, or has one that it must not have.
    """
    api: EndpointApi = "ollama" if name.startswith(OLLAMA) else "openai"
    rest = name.removeprefix(OLLAMA)
    url = rest if api == "openai" else f"http:{rest}" if rest.startswith("//") else f"{OLLAMA_ORIGIN}/{rest}"
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise _unreadable(name) from error
    path, model = ("", parts.path.strip("/")) if api == "ollama" else (parts.path.rstrip("/"), parts.fragment)
    is_web = parts.scheme in ("http", "https") and name.isprintable()
    if not (is_web and parts.hostname and model) or "@" in parts.netloc or parts.query:
        raise _unreadable(name)
    return EndpointName(name, api, parts.hostname, port, parts.scheme == "https", path, model)


def _unreadable(name: str) -> ModelMissing:
    return ModelMissing(
        f'embedding model {without_credentials(name)!r} cannot be asked for; write "ollama:NAME", or '
        f'"http://127.0.0.1:PORT/v1#NAME" for a server with the API of OpenAI, and set {KEY_VARIABLE} in the '
        "environment where one wants a key"
    )
