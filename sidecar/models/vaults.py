"""Reads folders of Markdown notes as passages, as the training file holds those of other texts."""

import re
from collections.abc import Iterator
from pathlib import Path

from corpus import Passage

MAX_PASSAGE_CHARS = 900  # as long as the passages of the training file, and some 200 tokens
PASSAGES_PER_NOTE = 4  # reference pages repeat themselves; their openings differ
MIN_PASSAGE_CHARS = 120
LATIN_SHARE = 0.95  # the encoder reads English
STUB = "This is a stub"  # what unwritten pages of the freeCodeCamp guide begin with

_FRONT_MATTER = re.compile(r"\A\ufeff?---\s*\n(.*?)\n---\s*\n", re.DOTALL)
_TITLE = re.compile(r"^title:\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
_FENCE = re.compile(r"^\s*(```|~~~)")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\(([^()\s]*)(?:\s+\"[^\"]*\")?\)")
_MARKS = re.compile(r"[*`]+")


def read_vault(folder: Path) -> Iterator[Passage]:
    """Read the notes below *folder* by their paths, leaving out those that are not mainly in Latin letters."""
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if sum(letter < "\u0250" for letter in text) > LATIN_SHARE * len(text):
            yield from _passages(folder.name, path.relative_to(folder).as_posix(), text)


def _passages(vault: str, name: str, text: str) -> Iterator[Passage]:
    """Give the opening of each of the first sections that say something."""
    title, body = _titled(name, text)
    given = 0
    for heading, lines in _sections(title, _COMMENT.sub(" ", body)):
        passage = " ".join(_LINK.sub(r"\1", " ".join(lines)).split())[:MAX_PASSAGE_CHARS]
        if len(passage) >= MIN_PASSAGE_CHARS and STUB not in passage and given < PASSAGES_PER_NOTE:
            given += 1
            yield Passage(vault, title, heading, passage)


def _titled(name: str, text: str) -> tuple[str, str]:
    """Take the title from the front matter, or from the file's or folder's name; and the text below that."""
    matter = _FRONT_MATTER.match(text)
    stated = _TITLE.search(matter[1]) if matter else None
    stem = Path(name).parent.name if Path(name).stem == "index" else Path(name).stem
    return (stated[1] if stated and stated[1] else stem.replace("-", " ")), text[matter.end() if matter else 0 :]


def _sections(title: str, body: str) -> Iterator[tuple[str, list[str]]]:
    """Cut at headings, except for lines in a fence, where `#` begins a comment."""
    heading, lines, fenced = title, list[str](), False
    for line in body.splitlines():
        fenced ^= bool(_FENCE.match(line))
        found = None if fenced else _HEADING.match(line)
        if found:
            yield heading, lines
            heading, lines = _plain(found[1]) or title, []
        else:
            lines.append(line)
    yield heading, lines


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).split())
