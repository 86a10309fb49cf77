"""
Recipes that a person starts from, and completion of their arguments and of the URIs of resources.

A recipe is a message that already quotes the notes on its topic. The quotes are fetched when the recipe is requested;
where the engine does not answer, the recipe still says what to do.
"""

from collections.abc import Mapping
from typing import Any

from quarry import protocol as wire
from quarry.errors import QuarryError
from quarry.mcp import quoting
from quarry.mcp.resources import block_names
from quarry.mcp.vaults import PendingCall, ProtocolError, Vault, Vaults, nearest
from quarry.messages import message
from quarry.redaction.sanitize import printable

Params = Mapping[str, Any]

QUOTE_TOKENS = 1500
RECENT_NOTES = 10
MAX_ARGUMENT = 4000  # characters; an error message is pasted whole
MAX_VALUES = 100  # of a completion, as the protocol has it


RECIPES: Mapping[str, str | None] = {
    "morning": None,
    "kickoff": "topic",
    "research": "topic",
    "error": "message",
    "review": "module",
}
"""Prompt -> its argument. Their sentences are under `mcp.` in the catalogue, in English alone."""


def list_prompts(vaults: Vaults, _params: Params, _call: PendingCall) -> dict[str, Any]:
    """The recipes with their arguments."""
    vault = [{"name": "vault", "description": "Which vault", "required": True}] if vaults.are_several else []
    prompts = []
    for name, argument in RECIPES.items():
        topic = [{"name": argument, "description": _text(name, "argument"), "required": True}] if argument else []
        about = {"title": _text(name, "title"), "description": _text(name, "description")}
        prompts.append({"name": name, **about, "arguments": [*topic, *vault]})
    return {"prompts": prompts}


def get_prompt(vaults: Vaults, params: Params, call: PendingCall) -> dict[str, Any]:
    """
    The message of a recipe, with quotes.

    Raises:
        ProtocolError: There is no such recipe, or an argument is missing or unknown.
        CallCancelled: The client has given the call up.
    """
    name = params.get("name")
    if not isinstance(name, str) or name not in RECIPES:
        meant = nearest(name, list(RECIPES))
        offer = f"did you mean {meant!r}?" if meant else f"there are {', '.join(RECIPES)}"
        raise ProtocolError(f"there is no prompt {str(name)[:60]!r}; {offer}")
    given = _checked_arguments(params.get("arguments") or {}, name)
    vault = vaults.named(given.get("vault"))
    argument = given.get(RECIPES[name] or "", "")
    try:
        quotes = _quotes(vault, argument, call) if argument else _recent(vault, call)
    except QuarryError as error:
        quotes = f"(My notes could not be asked: {error}.)"
    text = quoting.document(_text(name, "steps", argument=printable(argument)), quotes)
    said = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": _text(name, "description"), "messages": [said]}


def complete(vaults: Vaults, params: Params, call: PendingCall) -> dict[str, Any]:
    """
    Values for an argument of a prompt or the URI of a resource: names of vaults and blocks, paths, titles.

    Raises:
        ProtocolError: `ref` or `argument` is invalid.
        CallCancelled: The client has given the call up.
    """
    ref, argument = params.get("ref"), params.get("argument")
    if not isinstance(ref, dict) or not isinstance(argument, dict):
        raise ProtocolError("`ref` and `argument` are objects")
    name, value = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(value, str):
        raise ProtocolError("`argument` has a name and a value, both strings")
    try:
        values, total = _values(vaults, params, (ref.get("type"), ref.get("name"), name), value, call)
    except (QuarryError, ProtocolError):
        values, total = [], 0  # an offer while a person types: the call that follows says what is wrong
    shown = values[:MAX_VALUES]
    return {"completion": {"values": shown, "total": max(total, len(values)), "hasMore": total > len(shown)}}


# --- recipes ---------------------------------------------------------------------------------------


def _text(name: str, part: str, **args: str) -> str:
    return str(message(f"mcp.{name}.{part}", **args))


def _checked_arguments(given: Any, name: str) -> dict[str, str]:
    """
    The arguments *given*, all of them text.

    Raises:
        ProtocolError: One is missing, unknown, too long or no text.
    """
    topic = RECIPES[name]
    known = [topic, "vault"] if topic else ["vault"]
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise ProtocolError(f"`arguments` of {name} is an object of strings")
    for argument, value in given.items():
        if argument not in known:
            raise ProtocolError(f"{name} takes no {argument!r}; it takes {' and '.join(known)}")
        if len(value) > MAX_ARGUMENT:
            raise ProtocolError(f"`{argument}` has {len(value):,} characters, at most {MAX_ARGUMENT:,}")
    if topic and not given.get(topic, "").strip():
        raise ProtocolError(f"{name} needs `{topic}`: {_text(name, 'argument').lower()}")
    return given


def _quotes(vault: Vault, topic: str, call: PendingCall) -> str:
    found: wire.ContextResult = vault.ask("context", {"query": _plain(topic), "maxTokens": QUOTE_TOKENS}, call)
    return quoting.document(quoting.PREFACE, found.text) if found.text else "(No note is likely to answer this.)"


def _recent(vault: Vault, call: PendingCall) -> str:
    page: wire.NoteList = vault.ask("notes/list", {"limit": RECENT_NOTES}, call)
    lines = [f"- {quoting.title_line(note.path, note.title)}" for note in page.notes]
    return quoting.document("The notes changed last:", "\n".join(lines)) if lines else "(The vault has no notes.)"


def _plain(text: str) -> str:
    """*text* as words to search for: a pasted error message has no operators."""
    kept = "".join(character if character.isalnum() or character in "'._ " else " " for character in text)
    return " ".join(word for word in kept.split() if word not in ("OR", "AND"))[:1000] or "notes"


# --- completion ------------------------------------------------------------------------------------


def _values(
    vaults: Vaults, params: Params, target: tuple[Any, Any, str], value: str, call: PendingCall
) -> tuple[list[str], int]:
    """The values that continue *value* for the *target* (kind of reference, its name, argument), and their number."""
    begins = value.lower()
    kind, name, argument = target
    if argument == "vault":
        return [known for known in vaults.names if known.lower().startswith(begins)], 0
    context = params.get("context")
    chosen = context.get("arguments") if isinstance(context, dict) else None
    vault = vaults.named(chosen.get("vault") if isinstance(chosen, dict) else None)
    if (kind, argument) == ("ref/resource", "name"):
        return [known for known in block_names(vault, call) if known.lower().startswith(begins)], 0
    found: wire.SearchResult
    if (kind, argument) == ("ref/resource", "path"):
        paths = {"query": "", "limit": MAX_VALUES, "filters": {"paths": [value] if value else []}}
        found = vault.ask("search", paths, call)
        return sorted(
            (hit.path for hit in found.hits), key=lambda path: (not path.lower().startswith(begins), path)
        ), found.total
    topic = RECIPES.get(name) if isinstance(name, str) else None
    if kind == "ref/prompt" and argument == topic != "message":
        found = vault.ask("search", {"query": value[:200], "limit": 20, "mode": "keyword", "typing": True}, call)
        titles = dict.fromkeys(quoting.clean_name(hit.title) for hit in found.hits)
        return sorted(titles, key=lambda title: not title.lower().startswith(begins)), 0
    return [], 0
