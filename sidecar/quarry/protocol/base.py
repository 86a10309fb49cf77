"""Base types of all messages, and the fields of parameters as interfaces offer them."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, overload

from msgspec import Meta, structs

from quarry.limits import INCOMPLETE, UNFINISHED
from quarry.messages import Message, message
from quarry.options import Params, Retriever, Value, doc

T = TypeVar("T", covariant=True)

IndexState = Literal["starting", "scanning", "indexing", "rebuilding", "embedding", "live", "paused", "failed"]


class Items(Generic[T]):
    """The sequence of the structs in a field of a result, which the result's class names."""

    __slots__ = ()

    def _items(self) -> Sequence[T]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[T]:
        return iter(self._items())

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._items()[index]


class NoParams(Params, frozen=True, kw_only=True):
    """A request without parameters."""


class CancelParams(Params, frozen=True, kw_only=True):
    """Cancel a request; its answer is the error `cancelled`."""

    id: int | str


class Done(Value, frozen=True, kw_only=True):
    """An empty result: the request is done."""


class MissingRetriever(Value, frozen=True, kw_only=True):
    """A retriever that is unavailable at the moment."""

    retriever: Retriever
    reason: Annotated[Message, doc("Why, and what to do.")]


def local_time(time_ms: int) -> datetime:
    """*time_ms*, milliseconds since 1970, as an aware `datetime` in local time."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).astimezone()


def code_points(text: str, utf16_offsets: Sequence[int]) -> list[int]:
    """
    Convert *utf16_offsets* into *text* to characters of Python, in which one beyond U+FFFF counts once.

    An offset inside a surrogate pair, or beyond the end, becomes the next one that exists.
    """
    positions = {offset: len(text) for offset in utf16_offsets}
    remaining = sorted(positions, reverse=True)
    units = 0
    for position, character in enumerate(text):
        while remaining and remaining[-1] <= units:
            positions[remaining.pop()] = position
        if not remaining:
            break
        units += 2 if character > "\uffff" else 1
    return [positions[offset] for offset in utf16_offsets]


class Option(NamedTuple):
    """A field of parameters, as an interface offers it."""

    name: str
    wire_name: str
    type: type  # of its value: bool, int, float, str, tuple (of names), or a struct
    choices: tuple[str, ...]  # empty: any value
    default: Any  # None: the vault's settings decide
    least: float | None
    most: float | None
    description: str


def options_of(params: type[Params], interface: str) -> Iterator[Option]:
    """The fields of *params* that *interface* ("cli", "mcp" or "python") offers, in their order."""
    for field in structs.fields(params):
        kind, metas = _unwrapped(field.type)
        if not any(interface in (meta.extra or {}).get("interfaces", ()) for meta in metas):
            continue
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        yield Option(
            name=field.name,
            wire_name=field.encode_name,
            type=str if choices else get_origin(kind) or kind,
            choices=choices,
            default=None if field.required else field.default,
            least=next((meta.ge for meta in metas if meta.ge is not None), None),
            most=next((meta.le for meta in metas if meta.le is not None), None),
            description=next((meta.description for meta in metas if meta.description), ""),
        )


def _unwrapped(annotation: Any) -> tuple[Any, list[Meta]]:
    """The type in *annotation* without `None`, and its metadata, outermost first."""
    metas: list[Meta] = []
    while (origin := get_origin(annotation)) in (Annotated, Union, UnionType):
        if origin is Annotated:
            metas += annotation.__metadata__
            annotation = annotation.__origin__
        else:
            annotation = next(part for part in get_args(annotation) if part is not NoneType)
    return annotation, metas


class Freshness(Value, frozen=True, kw_only=True):
    """How current the index was when the answer was read. The answer is complete if `done` equals `total`."""

    state: IndexState
    done: Annotated[int, doc("Finished notes of the current work; without work, all notes that can be found.")]
    total: Annotated[int, doc("Notes of the current work. While `starting` or `scanning`, the number may grow.")]
    epoch: Annotated[
        int,
        doc(
            "Every commit increments it, also across rebuilds; it restarts at 1 if the index had to be created "
            "again. The answer includes all commits up to it: with an equal epoch, nothing can have changed."
        ),
    ]
    fallback: Annotated[Message | None, doc("Which model answers in place of the chosen one; null if none does.")]

    @property
    def is_complete(self) -> bool:
        """Whether the answer was read from an index that contains every note."""
        return self.state not in UNFINISHED and self.done >= self.total


def limitations(index: Freshness, missing: Sequence[MissingRetriever] | None = None) -> list[Message]:
    """
    Why an answer of *index*, given without the *missing* retrievers, may lack notes, or be of another model.

    Args:
        missing: None where the answer is not by meaning in any case.
    """
    reasons = [retriever.reason for retriever in missing or ()]
    if index.fallback and missing is not None:
        reasons.append(index.fallback)
    if index.state == "paused" and index.done < index.total:
        reasons.append(message("incomplete.paused", done=index.done, count=index.total))
    elif index.state in INCOMPLETE:
        is_counted = index.done < index.total
        reasons.append(
            message("incomplete.indexing", done=index.done, count=index.total)
            if is_counted
            else message("incomplete.scanning")
        )
    return reasons
