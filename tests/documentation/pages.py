"""Links, headings and commands of the documentation pages."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for pattern in (
        "*.md",
        "docs/*.md",
        "docs/decisions/*.md",
        "sidecar/*.md",
        "sidecar/models/*.md",
        "tests/**/README.md",
    )
    for path in REPOSITORY.glob(pattern)
    if "node_modules" not in path.parts
)
GUIDES = [page for page in PAGES if "decisions" not in page]  # a decision describes the past
SHELL_BLOCKS = ("sh", "bash", "console")
_FENCE = re.compile(
    r"^(?P<fence>`{3,}|~{3,}) *(?P<language>\w*)[^\n]*\n(?P<body>.*?)^(?P=fence) *$", re.DOTALL | re.MULTILINE
)
_LINK = re.compile(
    r"(?<!!)\[(?:[^\]\[]|\[[^\]]*\])*\]\((?P<target>[^)\s]+)(?: \"[^\"]*\")?\)|!\[[^\]]*\]\((?P<image>[^)\s]+)\)"
)
_HEADING = re.compile(r"^#{1,6} +(?P<text>.+?) *#*$", re.MULTILINE)
_INLINE = re.compile(r"(?<!`)`(?P<code>quarry [^`]+)`(?!`)")
_CONTROL = re.compile(r"\|\|?|&&|;|>>?|<")


@dataclass(frozen=True)
class Page:
    """One page: its path in the repository, and its text."""

    path: str
    text: str

    @classmethod
    def read(cls, path: str) -> "Page":
        return cls(path, (REPOSITORY / path).read_text(encoding="utf-8"))

    @property
    def prose(self) -> str:
        """The text without its code blocks."""
        return _FENCE.sub("", self.text)

    @property
    def blocks(self) -> list[tuple[str, str]]:
        """Code blocks: language and body."""
        return [(found["language"], found["body"]) for found in _FENCE.finditer(self.text)]

    @property
    def links(self) -> list[str]:
        """Targets of links and images."""
        return [found["target"] or found["image"] for found in _LINK.finditer(self.prose)]

    @property
    def anchors(self) -> set[str]:
        """Fragments (after `#`) that links to this page may have."""
        return {anchor(found["text"]) for found in _HEADING.finditer(self.prose)}

    @property
    def inline_commands(self) -> list[str]:
        """`quarry` commands in the prose, with their placeholders."""
        return [" ".join(found["code"].split()) for found in _INLINE.finditer(self.prose)]

    @property
    def shell_commands(self) -> Iterator[list[str]]:
        """`quarry` commands in shell blocks, as arguments without `quarry`."""
        for language, body in self.blocks:
            if language in SHELL_BLOCKS:
                for line in body.replace("\\\n", " ").splitlines():
                    yield from _commands(line.removeprefix("$ "))


def anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def _commands(line: str) -> Iterator[list[str]]:
    words: list[str] = []
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    for word in [*lexer, ";"]:
        if not _CONTROL.fullmatch(word):
            words.append(word)
            continue
        if "quarry" in words:
            yield words[words.index("quarry") + 1 :]
        words = []
