"""What the text of a JSON configuration means, and steps that many changes of one are made of."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quarry.agents.install import jsonc
from quarry.agents.install.insertions import Insertion, inserted
from quarry.agents.install.jsonc import Malformed
from quarry.agents.install.jsonc_edits import without
from quarry.agents.install.targets import Addition, KeyPath


def added_in_steps(
    text: str,
    scaffold: str,
    adder: Callable[[str, KeyPath, object], list[Insertion]],
    additions: Sequence[tuple[KeyPath, object]],
) -> Addition:
    """*text* with all *additions* by *adder*, one step each; a blank one becomes the *scaffold* first."""
    steps: list[tuple[Insertion, ...]] = []
    if not text.strip():
        steps.append((Insertion(len(text), scaffold),))
        text = inserted(text, steps[-1])
    for path, value in additions:
        steps.append(tuple(adder(text, path, value)))
        text = inserted(text, steps[-1])
    return Addition(text, tuple(steps))


def json_value(text: str) -> Any:
    """The value of the JSON *text*; an empty object if it is blank."""
    return jsonc.value_of(text, jsonc.parse(text)) if text.strip() else {}


def object_at(root: object, path: Sequence[str]) -> Mapping[str, Any]:
    """The object at *path*; empty where there is none."""
    for depth in range(len(path) + 1):
        if not isinstance(root, Mapping):
            raise Malformed(f"{'.'.join(path[:depth]) or 'the file'} is not an object", 1)
        if depth < len(path):
            root = root.get(path[depth], {})
    assert isinstance(root, Mapping)
    return root


def with_member(root: Mapping[str, Any], path: Sequence[str], key: str, value: object) -> dict[str, Any]:
    """*root* with *value* as the member *key* of the object at *path*."""
    if not path:
        return {**root, key: value}
    return {**root, path[0]: with_member(object_at(root, path[:1]), path[1:], key, value)}


def missing_prefixes(root: object, path: Sequence[str]) -> tuple[KeyPath, ...]:
    """The prefixes of *path* at which *root* has nothing."""
    found = []
    for depth in range(1, len(path) + 1):
        root = root.get(path[depth - 1]) if isinstance(root, Mapping) else None
        if root is None:
            found.append(tuple(path[:depth]))
    return tuple(found)


def without_empty(text: str, containers: Sequence[KeyPath]) -> str:
    """*text* without those of *containers* that are empty, innermost first."""
    for path in sorted(containers, key=len, reverse=True):
        node = jsonc.find(jsonc.parse(text), path)
        if node is not None and node.kind != "scalar" and not text[node.start + 1 : node.end - 1].strip():
            text = without(text, path)
    return text


def is_like(text: str, scaffold: str) -> bool:
    """Whether *text* is blank or equals *scaffold* but for blanks."""
    return "".join(text.split()) in ("", "".join(scaffold.split()))


def check_meaning(found: object, wanted: object) -> None:
    """Raise `Malformed` where a changed text does not mean what it should."""
    if found != wanted:
        raise Malformed("it cannot be changed so that all else stays", 1)
