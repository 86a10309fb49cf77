"""
Recipes that a person starts from: each is a message with what the notes say about it already quoted in it.

The quotes are fetched when the recipe is asked for; where the engine does not answer, the recipe still says what to do.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from quarry.errors import QuarryError
from quarry.mcp import markdown
from quarry.mcp.arguments import BadArguments, nearest
from quarry.mcp.calls import PendingCall
from quarry.mcp.messages import INVALID_PARAMS, Params, ProtocolError
from quarry.mcp.vaults import Vault, Vaults
from quarry.redaction.sanitize import printable

QUOTE_TOKENS = 1500
RECENT_NOTES = 10
MAX_ARGUMENT = 4000  # characters; an error message is pasted whole


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


def list_prompts(vaults: Vaults) -> dict[str, Any]:
    """The recipes with their arguments."""
    return {"prompts": [_described(name, recipe, vaults) for name, recipe in RECIPES.items()]}


def get_prompt(vaults: Vaults, params: Params, call: PendingCall) -> dict[str, Any]:
    """
    The message of a recipe, with quotes.

    Raises:
        ProtocolError: There is no such recipe, or an argument is missing or unknown.
        Cancelled: The client has given the call up.
    """
    name, recipe = _recipe(params.get("name"))
    given = _arguments(params.get("arguments"), name, recipe)
    try:
        vault = vaults.named(given.get("vault"))
    except BadArguments as error:
        raise ProtocolError(INVALID_PARAMS, f"{error}; {error.suggestion}") from None
    argument = given.get(recipe.argument or "", "")
    quotes = _quotes(vault, argument, call) if recipe.argument else _recent(vault, call)
    text = markdown.document(recipe.steps.replace("{argument}", printable(argument)), quotes)
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": recipe.description, "messages": [message]}


def _described(name: str, recipe: Recipe, vaults: Vaults) -> dict[str, Any]:
    arguments = []
    if recipe.argument:
        arguments.append({"name": recipe.argument, "description": recipe.argument_help, "required": True})
    if vaults.are_several:
        arguments.append({"name": "vault", "description": "Which vault", "required": True})
    return {"name": name, "title": recipe.title, "description": recipe.description, "arguments": arguments}


def _recipe(name: Any) -> tuple[str, Recipe]:
    if isinstance(name, str) and name in RECIPES:
        return name, RECIPES[name]
    meant = nearest(name, list(RECIPES)) if isinstance(name, str) else None
    offer = f"did you mean {meant!r}?" if meant else f"there are {', '.join(RECIPES)}"
    raise ProtocolError(INVALID_PARAMS, f"there is no prompt {str(name)[:60]!r}; {offer}")


def _arguments(given: Any, name: str, recipe: Recipe) -> dict[str, str]:
    """
    The arguments *given*, all of them text.

    Raises:
        ProtocolError: One is missing, unknown, too long or no text.
    """
    given = {} if given is None else given
    known = [argument for argument in (recipe.argument, "vault") if argument]
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise ProtocolError(INVALID_PARAMS, f"`arguments` of {name} is an object of strings")
    for argument, value in given.items():
        if argument not in known:
            raise ProtocolError(INVALID_PARAMS, f"{name} takes no {argument!r}; it takes {' and '.join(known)}")
        if len(value) > MAX_ARGUMENT:
            raise ProtocolError(INVALID_PARAMS, f"`{argument}` has {len(value):,} characters, at most {MAX_ARGUMENT:,}")
    if recipe.argument and not given.get(recipe.argument, "").strip():
        raise ProtocolError(INVALID_PARAMS, f"{name} needs `{recipe.argument}`: {recipe.argument_help.lower()}")
    return given


def _quotes(vault: Vault, topic: str, call: PendingCall) -> str:
    try:
        found = vault.ask("context", {"query": _plain(topic), "maxTokens": QUOTE_TOKENS}, call)
    except QuarryError as error:
        return f"(My notes could not be asked: {error}.)"
    return markdown.document(markdown.PREFACE, found.text) if found.text else "(No note is likely to answer this.)"


def _recent(vault: Vault, call: PendingCall) -> str:
    try:
        page = vault.ask("notes/list", {"limit": RECENT_NOTES}, call)
    except QuarryError as error:
        return f"(My notes could not be asked: {error}.)"
    lines = [f"- {markdown.title_line(note.path, note.title)}" for note in page.notes]
    return markdown.document("The notes changed last:", "\n".join(lines)) if lines else "(The vault has no notes.)"


def _plain(text: str) -> str:
    """*text* as words to search for: what reads like an operator is none in a pasted error message."""
    kept = "".join(character if character.isalnum() or character in "'._ " else " " for character in text)
    return " ".join(word for word in kept.split() if word not in ("OR", "AND"))[:1000] or "notes"
