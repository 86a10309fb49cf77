"""
Does a prompt ask for something that notes may hold, and by which words?

A light classifier of rules, which runs in a millisecond: commands, acknowledgements, chores and pasted output are told
by their form. What it lets pass is judged by the confidence of the notes that are found. A prompt is no query: it has
no operators, and a long one is asked by its question.
"""

import re
from typing import NamedTuple

from quarry.agents.hooks.outcome import Silence
from quarry.agents.hooks.words import ACKNOWLEDGEMENTS, CHORES
from quarry.lazy_pattern import lazy_pattern

MAX_READ = 40_000  # characters; the question stands at either end of a longer prompt
MAX_QUERY = 600  # characters: three sentences. More words only dilute what is asked
MAX_REMEMBERED = 300  # characters of the words that are kept for the tool calls of a prompt
MAX_ACKNOWLEDGEMENT = 6  # words
MAX_TAGS = 20  # that are looked at; a client puts two or three beside a prompt
MAX_WORD = 60  # characters of a word: a longer one is encoded

_TAG = lazy_pattern(r"<([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>")
_FENCE = lazy_pattern(r"^(```|~~~).*?(?:^\1[`~]*\s*$|\Z)", re.DOTALL | re.MULTILINE)
_COMMAND = lazy_pattern(r"[/!][A-Za-z][\w:.-]*(?=\s|$)|!\s|[$]\s")
_SENTENCE = lazy_pattern(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_LINK = lazy_pattern(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_SECRET = lazy_pattern(
    r"\b((?:pass(?:word|phrase|wd|code)?|pwd|secret|token|api[ _-]?key|key|pin|bearer|credentials?|kennwort|passwort)\b"
    r"[\"']?)(\s*[:=]+\s*|\s+is\s+|\s+ist\s+)\S+",
    re.IGNORECASE,
)
_PHRASE = lazy_pattern(r"\b(pass ?phrase|(?:seed|recovery)(?: phrase| words?)?|mnemonic)\b.*", re.IGNORECASE)
_ERROR = lazy_pattern(
    r"^[ \t]*[\w.]*(?:Error|Exception|Panic|panicked|fatal|error)\b[\w\[\]]*[ \t]*:?[ \t]+\S.*$", re.MULTILINE
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
    """A prompt that may concern the notes: the query to ask, and the words that may be kept."""

    query: str
    words: str


def read_prompt(prompt: str) -> Reading:
    """
    The query of *prompt*.

    Raises:
        Silence: It asks for nothing that notes may hold.
    """
    typed = _typed(prompt)
    if not typed:
        raise Silence("empty" if not prompt.strip() else "pasted")
    if _COMMAND.match(typed):
        raise Silence("command")
    if _is_acknowledgement(typed):
        raise Silence("acknowledgement")
    prose, error = _prose_and_error(typed)
    query = plain_query(_essential(f"{prose}\n{error}" if error else prose))
    if not query:
        raise Silence("pasted")
    if all(word.casefold() in CHORES or word.isdigit() for word in query.split()):
        raise Silence("no-subject")
    return Reading(query, rememberable(f"{prose}\n{error}"))


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
    The words of *text* that may lie in a file: none that can be a credential, by its form or by what stands before it.

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


def _prose_and_error(typed: str) -> tuple[str, str]:
    """The lines of *typed* that are prose, and the last message of an error in what was pasted."""
    found = _ERROR.findall(typed)
    lines = _FENCE.sub("\n", typed).splitlines()
    if len(lines) <= 2 and not found:
        return "\n".join(lines), ""
    prose = [line for line in lines if not _OUTPUT.match(line) and line not in found]
    if len(prose) < len(lines):  # what is indented beside output belongs to it
        prose = [line for line in prose if not line.startswith(("    ", "\t"))]
    return "\n".join(prose).strip(), found[-1].strip() if found else ""


def _essential(text: str) -> str:
    """*text*, or its sentences that say most, in their order: its questions first, then its beginning and its end."""
    if len(text) <= MAX_QUERY:
        return text
    sentences = [found.strip() for found in _SENTENCE.split(text) if found.strip()]
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
