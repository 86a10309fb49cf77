"""
Recipes that a person starts from, and completion of their arguments and of the URIs of resources.

A recipe is a message that already quotes the notes on its topic. The quotes are fetched when the recipe is requested;
where the engine does not answer, the recipe still says what to do.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from quarry import protocol as wire
from quarry.errors import QuarryError
from quarry.mcp import quoting
from quarry.mcp.resources import block_names
from quarry.mcp.vaults import PendingCall, ProtocolError, Vault, Vaults, nearest
from quarry.redaction.sanitize import printable

Params = Mapping[str, Any]

QUOTE_TOKENS = 1500
RECENT_NOTES = 10
MAX_ARGUMENT = 4000  # characters; an error message is pasted whole
MAX_VALUES = 100  # of a completion, as the protocol has it


class Recipe(NamedTuple):
    """A prompt: its argument, and what the agent is to do."""

    title: str
    description: str
    argument: str | None
    argument_help: str
    steps: str


RECIPES: Mapping[str, Recipe] = {
    "morning": Recipe(
        "Morning load",
        "Where things stand: the notes changed last, and what is open in them",
        None,
        "",
        "Tell me where I left off. Read the newest of these notes with `read_note`, look for open tasks with "
        "`search` (for example `task-todo:/./ modified:7d`), and sum up in at most ten lines: what moved, what is "
        "open, what to do first. Name the note behind each line.",
    ),
    "kickoff": Recipe(
        "Project kick-off",
        "What the notes know about a topic, before work on it begins",
        "topic",
        "What the work is about",
        "I am about to start on this: {argument}. From my notes, list decisions already made, conventions to keep, "
        "earlier attempts and their outcome, and open questions. Search further with `search` and follow the maps of "
        "content that hits name. Say plainly what the notes do not cover.",
    ),
    "research": Recipe(
        "Research capture",
        "What is known about a topic, and how to keep what is new",
        "topic",
        "What is looked into",
        "I am looking into this: {argument}. First tell me what my notes know already. When we have found something "
        "new, draft a note of it: a title, two or three sentences, the source, tags that my notes use already "
        "(`search` and `list_notes` show them). Save it with the tool `capture` if there is one, else give me the "
        "text for `quarry capture`.",
    ),
    "error": Recipe(
        "Error",
        "Whether the notes know this error, and what helped",
        "message",
        "The error message",
        "I ran into this error:\n\n{argument}\n\nLook in my notes for the same or a similar one: search for its most "
        "telling words, then for what it means. If a note has the cause or the fix, quote it with its path; if none "
        "has, say so before you suggest anything of your own.",
    ),
    "review": Recipe(
        "Review preparation",
        "Conventions and decisions that a review should know",
        "module",
        "The module or area under review",
        "I am about to review changes to this: {argument}. From my notes, list the conventions, decisions and past "
        "faults that concern it, each with the path of its note, as a checklist for the review.",
    ),
}


def list_prompts(vaults: Vaults, _params: Params, _call: PendingCall) -> dict[str, Any]:
    """The recipes with their arguments."""
    vault = [{"name": "vault", "description": "Which vault", "required": True}] if vaults.are_several else []
    prompts = []
    for name, recipe in RECIPES.items():
        topic = {"name": recipe.argument, "description": recipe.argument_help, "required": True}
        arguments = [topic, *vault] if recipe.argument else vault
        prompts.append({"name": name, "title": recipe.title, "description": recipe.description, "arguments": arguments})
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
    recipe = RECIPES[name]
    given = _checked_arguments(params.get("arguments") or {}, name, recipe)
    vault = vaults.named(given.get("vault"))
    argument = given.get(recipe.argument or "", "")
    try:
        quotes = _quotes(vault, argument, call) if recipe.argument else _recent(vault, call)
    except QuarryError as error:
        quotes = f"(My notes could not be asked: {error}.)"
    text = quoting.document(recipe.steps.replace("{argument}", printable(argument)), quotes)
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": recipe.description, "messages": [message]}


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


def _checked_arguments(given: Any, name: str, recipe: Recipe) -> dict[str, str]:
    """
    The arguments *given*, all of them text.

    Raises:
        ProtocolError: One is missing, unknown, too long or no text.
    """
    known = [argument for argument in (recipe.argument, "vault") if argument]
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise ProtocolError(f"`arguments` of {name} is an object of strings")
    for argument, value in given.items():
        if argument not in known:
            raise ProtocolError(f"{name} takes no {argument!r}; it takes {' and '.join(known)}")
        if len(value) > MAX_ARGUMENT:
            raise ProtocolError(f"`{argument}` has {len(value):,} characters, at most {MAX_ARGUMENT:,}")
    if recipe.argument and not given.get(recipe.argument, "").strip():
        raise ProtocolError(f"{name} needs `{recipe.argument}`: {recipe.argument_help.lower()}")
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
    recipe = RECIPES.get(name) if isinstance(name, str) else None
    if kind == "ref/prompt" and recipe and argument == recipe.argument != "message":
        found = vault.ask("search", {"query": value[:200], "limit": 20, "mode": "keyword", "typing": True}, call)
        titles = dict.fromkeys(quoting.clean_name(hit.title) for hit in found.hits)
        return sorted(titles, key=lambda title: not title.lower().startswith(begins)), 0
    return [], 0
