"""
Derives a query from a prompt or a tool call, or finds that it concerns no note.

A prompt is classified by rules, which takes a millisecond: commands, acknowledgements, chores and pasted output are
recognised by their form. What passes is judged by the confidence of the notes that are found. A prompt is no query: it
has no operators, and of a long one its question is asked. Of tool calls, those that change something are preceded by
context: the file that is written, or the command that is run.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from quarry.agents.hooks.events import NoContext
from quarry.lazy_pattern import SENTENCE_END, lazy_pattern

_WORDS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in json.loads(Path(__file__).with_name("words.json").read_text("utf-8")).items()
}
ACKNOWLEDGEMENTS = _WORDS["acknowledgements"]
"""A prompt of these alone says yes, no, thanks, or go on."""

CHORES = _WORDS["chores"]
"""A prompt of these alone asks an agent for work ("fix the failing tests and commit"), and names no subject."""

MAX_READ = 40_000  # characters; the question is at either end of a longer prompt
MAX_QUERY = 600  # characters: three sentences. More words only dilute what is asked
MAX_PASTED = 300  # characters of what is pasted beside it: names of things, which say what it is about
MAX_REMEMBERED = 300  # characters of the words that are kept for the tool calls of a prompt
FEW_WORDS = 10  # of a prompt that may depend on the one before
MAX_ACKNOWLEDGEMENT = 6  # words
MAX_TAGS = 20  # that are looked at; a client puts two or three beside a prompt
MAX_WORD = 60  # characters of a word: a longer one is encoded

_TAG = lazy_pattern(r"<([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>")
_FENCE = lazy_pattern(r"^(```|~~~).*?(?:^\1[`~]*\s*$|\Z)", re.DOTALL | re.MULTILINE)
_COMMAND = lazy_pattern(r"[/!][A-Za-z][\w:.-]*(?=\s|$)|!\s|[$]\s")
_LINK = lazy_pattern(r"\b[a-z][a-z0-9+.-]{0,30}://\S+", re.IGNORECASE)  # or each of many words is read to the end
_SECRET = lazy_pattern(
    r"\b((?:pass(?:word|phrase|wd|code)?|pwd|secret|token|api[ _-]?key|key|pin|bearer|credentials?|kennwort|passwort)\b"
    r"[\"']?)(\s*[:=]+\s*|\s+is\s+|\s+ist\s+)\S+",
    re.IGNORECASE,
)
_PHRASE = lazy_pattern(r"\b(pass ?phrase|(?:seed|recovery)(?: phrase| words?)?|mnemonic)\b.*", re.IGNORECASE)
_ERROR = lazy_pattern(
    r"^[ \t]*[\w.]*(?:Error|Exception|Panic|panicked|fatal|error)\b[\w\[\]]*(?:[ \t]*:)?[ \t]+\S.*$", re.MULTILINE
)
_OUTPUT = lazy_pattern(  # by how a line begins: a time, a frame, a level, a diff, JSON, a shell, a test runner, a table
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\d+\s*[|:]\s|at\s.+[:(]|File \".+\", line|Traceback |Caused by:"
    r"|\.{3} \d+ more|\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|TRACE|FATAL)\b|[+-](?:\S|\s\s)|@@ |diff --git"
    r"|index [0-9a-f]+\.\.|[{}\[\]();,]+\s*$|[\"'][\w-]+[\"']\s*:|\$ |(?:PASS|FAIL)(?:ED)?\b"
    r"|[-rwxdlst=]{10}\s|[=-]{3,}|\S{60,})"
)
_CAN_BE_CREDENTIAL = lazy_pattern(r"(?=.*\d)(?=.*[^\W\d]).{12,}|.{33,}|.*[=+%&@].*")

_EDGES = ".,;:!?\"'`´‘’“”«»„()[]{}<>*_~|\\=+-–—…#/&@%^$"
_INSIDE = str.maketrans(dict.fromkeys('"()[]{}:#/\\`*|<>“”„«»=,;，。！？、；：（）「」', " "))


class Reading(NamedTuple):
    """A prompt that may concern the notes."""

    query: str  # to ask: its sentences, and behind them what was pasted, each on a line
    words: str  # that may be kept


def read_prompt(prompt: str) -> Reading:
    """
    The query of *prompt*.

    Raises:
        NoContext: It asks for nothing that notes may hold.
    """
    typed = _typed(prompt)
    if not typed:
        raise NoContext("empty" if not prompt.strip() else "pasted")
    if _COMMAND.match(typed):
        raise NoContext("command")
    if _is_acknowledgement(typed):
        raise NoContext("acknowledgement")
    prose, error, pasted = _parts(typed)
    sentences = [plain_query(sentence) for sentence in SENTENCE_END.split(_essential(prose))]
    query = "\n".join(filter(None, (*sentences, plain_query(error[:MAX_PASTED]), _names(pasted))))
    if not query:
        raise NoContext("pasted")
    if all(word.isdigit() or word.casefold() in CHORES | ACKNOWLEDGEMENTS for word in query.split()):
        raise NoContext("no-subject")
    return Reading(query, rememberable(f"{prose}\n{error}\n{pasted}"))


def remembered(reading: Reading, earlier: str) -> str:
    """The words to keep of *reading*; on a line below few words, which may depend on them, those kept *earlier*."""
    if len(reading.words.split()) > FEW_WORDS:
        return reading.words
    return f"{reading.words}\n{' '.join(earlier.split())}"[:MAX_REMEMBERED].rstrip()


def last_prompt(kept: str | None) -> str:
    """The words of the last prompt alone, of those that were *kept*."""
    return (kept or "").partition("\n")[0]


def plain_query(text: str) -> str:
    """*text* as words alone: nothing in it is an operator of the query language, and no word is a link."""
    words = []
    for token in _LINK.sub(" ", text).translate(_INSIDE).split():
        word = token.strip(_EDGES)
        if word and (len(word) <= MAX_WORD or not word.isascii()) and any(map(str.isalnum, word)):
            words.append("or" if word == "OR" else word)
    return " ".join(words)


def rememberable(text: str) -> str:
    """
    The words of *text* that may be stored in a file: none that may be a credential, by its form or the word before it.

    Stricter than scrubbing, whose rules take as long to load as a hook has.
    """
    words: list[str] = []
    length = 0
    for word in plain_query(_PHRASE.sub(r"\1", _SECRET.sub(r"\1", _essential(text)))).split():
        if word.isascii() and _CAN_BE_CREDENTIAL.match(word):
            continue
        length += len(word) + 1
        if length > MAX_REMEMBERED:
            break
        words.append(word)
    return " ".join(words)


def _typed(prompt: str) -> str:
    """The part of *prompt* that a person typed, without what the client added."""
    if len(prompt) > MAX_READ:
        prompt = f"{prompt[: MAX_READ // 2]}\n{prompt[-MAX_READ // 2 :]}"
    return _without_markup(prompt).strip()


def _without_markup(text: str) -> str:
    """*text* without its tags and what they enclose: what a client says of open files, commands and background work."""
    at = 0
    for _ in range(MAX_TAGS):
        tag = _TAG.search(text, at)
        if tag is None:
            break
        closing = f"</{tag[1]}>"
        end = text.find(closing, tag.end())
        if end < 0:
            at = tag.end()
            continue
        text = f"{text[: tag.start()]} {text[end + len(closing) :]}"
        at = tag.start()
    return text


def _is_acknowledgement(typed: str) -> bool:
    words = [word.strip(_EDGES).casefold() for word in typed.translate(_INSIDE).split()]
    said = [word for word in words if any(map(str.isalnum, word))]
    return len(said) <= MAX_ACKNOWLEDGEMENT and ACKNOWLEDGEMENTS.issuperset(said)


def _parts(typed: str) -> tuple[str, str, str]:
    """
    The prose of *typed*, the last message of an error in it, and what else was pasted.

    Output without a word beside it is nothing that is asked: of that, only the message is kept.
    """
    errors = _ERROR.findall(typed)
    different = {*errors}  # thousands of lines may be errors
    if "\n" not in typed and not errors:
        return typed, "", ""
    lines = _FENCE.sub("\n", typed).splitlines()
    prose = [line for line in lines if not _OUTPUT.match(line) and line not in different]
    if len(prose) < len(lines):  # what is indented beside output belongs to it
        prose = [line for line in prose if not line.startswith(("    ", "\t"))]
    said, kept = "\n".join(prose).strip(), {*prose, *different}
    pasted = [line for line in typed.splitlines() if line not in kept] if said else []
    return said, errors[-1].strip() if errors else "", "\n".join(pasted)


def _names(pasted: str) -> str:
    """The different words of what was *pasted*, without times and numbers, as far as there is room for them."""
    words = [word for word in plain_query(pasted).split() if sum(map(str.isalpha, word)) * 2 > len(word)]
    return " ".join(dict.fromkeys(words))[:MAX_PASTED].strip()


def _essential(text: str) -> str:
    """*text*, or its sentences that say most, in their order: its questions first, then its beginning and its end."""
    if len(text) <= MAX_QUERY:
        return text
    sentences = [found.strip() for found in SENTENCE_END.split(text) if found.strip()]
    ends = [
        number for pair in zip(range(len(sentences)), reversed(range(len(sentences))), strict=True) for number in pair
    ]
    questions = [number for number in reversed(range(len(sentences))) if sentences[number].endswith(("?", "？"))]
    chosen: set[int] = set()
    room = MAX_QUERY
    for number in (*questions, *ends):
        if number not in chosen and len(sentences[number]) < room:
            chosen.add(number)
            room -= len(sentences[number]) + 1
    if not chosen:
        return sentences[0][:MAX_QUERY].rpartition(" ")[0] or sentences[0][:MAX_QUERY] if sentences else ""
    return "\n".join(sentences[number] for number in sorted(chosen))


# --- tool calls ------------------------------------------------------------------------------------

FILE_TOOLS = frozenset(
    {
        *("Edit", "MultiEdit", "Write"),  # Claude Code, Cursor
        *("editFiles", "createFile", "create_file", "insert_edit_into_file", "replace_string_in_file"),  # VS Code
        *("replace", "write_file"),  # Gemini CLI
    }
)
COMMAND_TOOLS = frozenset(
    {"Bash", "Shell", "runTerminalCommand", "runInTerminal", "run_in_terminal", "run_shell_command"}
)
PATCH_TOOLS = frozenset({"apply_patch"})  # Codex, VS Code
PATH_NAMES = ("file_path", "path", "filePath", "notebook_path")
MAX_COMMAND = 2_000  # characters; a longer one writes a file
MAX_WORDS = 12  # of a command

_COMMAND_END = lazy_pattern(r"[;|&\n]+")
_ASSIGNMENT = lazy_pattern(r"[A-Za-z_]\w*=\S*$")
_PATCHED = lazy_pattern(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_LAUNCHERS = frozenset(
    {"sudo", "env", "command", "exec", "nohup", "time", "uv", "uvx", "pipx", "run", "python", "python3", "-m"}
)
_EVERYDAY = _WORDS["everyday"]


def words_of_tool(tool: str, tool_input: Mapping[str, Any]) -> str:
    """
    The words of a call of *tool*; "" where it says nothing that could be looked for.

    Raises:
        NoContext: No context is given before this tool, or it runs a command of Quarry.
    """
    if tool in COMMAND_TOOLS:
        return _words_of_command(_command(tool_input))
    if tool in PATCH_TOOLS:
        return _words_of_paths(_PATCHED.findall(_patch(tool_input)))
    if tool in FILE_TOOLS:
        return _words_of_paths(_paths(tool_input))
    raise NoContext("other-tool")


def is_own_command(command: str) -> bool:
    """Whether *command* runs `quarry`, by whatever path or launcher."""
    for part in _COMMAND_END.split(command[:MAX_COMMAND]):
        words = [word for word in part.split() if not _ASSIGNMENT.match(word)]
        while words and _base(words[0]) in _LAUNCHERS:
            del words[0]
        if words and _base(words[0]) in ("quarry", "quarry.exe"):
            return True
    return False


def _command(tool_input: Mapping[str, Any]) -> str:
    command = tool_input.get("command")
    if isinstance(command, list):
        command = " ".join(part for part in command if isinstance(part, str))
    return command if isinstance(command, str) else ""


def _words_of_command(command: str) -> str:
    if is_own_command(command):
        raise NoContext("own-command")
    words = [_stem(word) for word in command[:MAX_COMMAND].split() if not word.startswith("-")]
    wanted = [word for word in words if word and word not in _EVERYDAY]
    return rememberable(" ".join(wanted[:MAX_WORDS]))


def _patch(tool_input: Mapping[str, Any]) -> str:
    for name in ("command", "input", "patch"):
        if isinstance(found := tool_input.get(name), str):
            return found
    return ""


def _paths(tool_input: Mapping[str, Any]) -> Iterator[str]:
    files = tool_input.get("files")
    for found in (*map(tool_input.get, PATH_NAMES), *(files if isinstance(files, list) else ())):
        if isinstance(found, str):
            yield found


def _words_of_paths(paths: "Iterator[str] | list[str]") -> str:
    return rememberable(" ".join(dict.fromkeys(_stem(path) for path in list(paths)[:MAX_WORDS])))


def _base(path: str) -> str:
    return path.strip("\"'").replace("\\", "/").rpartition("/")[2]


def _stem(path: str) -> str:
    """The name of a file without its folders and its ending, unless that is a letter: what the agent names it after."""
    base = _base(path)
    stem = base.rpartition(".")[0] or base
    return stem if len(stem) > 1 or not stem.isascii() else ""
