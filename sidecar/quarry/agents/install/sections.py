"""A section of a Markdown file between two marks, added, found and removed; all else stays."""

import re

from quarry.agents.install.insertions import Insertion
from quarry.agents.install.jsonc import Malformed, line_of


def section(name: str, body: str) -> str:
    """*body* between the marks of *name*."""
    return f"<!-- quarry:{name}:start, by `quarry install` -->\n{body.strip()}\n<!-- quarry:{name}:end -->"


def section_in(text: str, name: str) -> str | None:
    """
    The section *name* in *text*, with its marks and with `\\n` for line ends; None where there is none.

    Raises:
        Malformed: It begins and does not end.
    """
    span = _span(text, name)
    return None if span is None else text[span[0] : span[1]].replace("\r\n", "\n")


def section_insertions(text: str, name: str, body: str) -> list[Insertion]:
    """The insertion that adds the section at the end, behind an empty line."""
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return [Insertion(len(text), gap + section(name, body).replace("\n", newline) + newline)]


def without_section(text: str, name: str) -> str:
    """*text* without the section *name* and one empty line before it. Raises as `section_in`."""
    span = _span(text, name)
    if span is None:
        return text
    start, end = span
    ending = re.compile(r"\r?\n").match(text, end)
    end = ending.end() if ending else end
    before = re.search(r"(?<=\n)\r?\n\Z", text[:start])
    return text[: before.start() if before else start] + text[end:]


def _span(text: str, name: str) -> tuple[int, int] | None:
    start = re.search(rf"<!-- quarry:{re.escape(name)}:start[^\r\n>]*-->", text)
    if start is None:
        return None
    end = re.compile(rf"<!-- quarry:{re.escape(name)}:end -->").search(text, start.end())
    if end is None:
        raise Malformed(f"the section quarry:{name} is not closed", line_of(text, start.start()))
    return start.start(), end.end()
