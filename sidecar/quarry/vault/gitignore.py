"""
Matches paths with the lines of an ignore file. Every line means what it means to git (gitignore(5), wildmatch.c).

The lines come with the vault, so no line may make matching slow. All lines become one trie over the parts
of a path; a folder is the set of nodes that its path leads to, and one more part of a path is one step of that set
(Thompson, "Regular expression search algorithm", CACM 11(6), 1968). A part with wildcards is a regular expression of
our own making, in which each piece between stars is found at its first place and kept there by an atomic group, as in
Python's `fnmatch.translate`: the engine has nothing to backtrack into. Both take time linear in the lines and the path.

One thing differs: `?` and a bracket match one character, where git matches one byte.

`pathspec` 1.1.1 was measured and declined. One bracket that git cannot read, `[Old-Archive]/`, makes it refuse all
lines. Its default backend backtracks (`*a` eight times, then `b`, on a name of 60 characters: more than 20 s), and
takes 3.5 s for 1,000 names and 17,000 notes, which take .04 s here. Its RE2 backend is as quick, but missing where re2
has no wheel.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, field

MAX_COSTLY_PARTS = 2_000  # in all lines together (see `TooCostly`): 0.3 us each, for every name in the vault
MAX_LINE = 4_096  # characters; no path is longer

_NONE = -1  # the number of no line
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t-\\r ",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class TooCostly(ValueError):
    """
    The lines have more parts than can be compared with every name in the vault; none of them is applied.

    Parts with wildcards count, and parts after a `**` other than the first.
    """


class GitIgnore:
    """
    The lines of one ignore file, compiled.

    A line that is not valid fails closed as far as possible. A bracket that is not a set of characters, such as
    `[Old-Archive]/` with its range from `d` back to `A`, matches itself: the folder of that name is excluded, which is
    what the line most likely means. An invalid line that re-includes notes (`!`) re-includes nothing. A line that ends
    in a single backslash or is too long to match any path excludes nothing, as in git. All are listed in `problems`.

    Args:
        lines: Patterns, comments and empty lines, with accents composed as in the paths (NFC).
        max_costly_parts: The limit of parts that are compared name by name.

    Raises:
        TooCostly: There are more than *max_costly_parts*.
    """

    def __init__(self, lines: Iterable[str], *, max_costly_parts: int = MAX_COSTLY_PARTS) -> None:
        self._root = _Node()
        self._lines: list[str] = []
        self._takes_in: set[int] = set()  # numbers of lines that begin with `!`
        self._budget = max_costly_parts
        problems = []
        for number, line in enumerate(lines, start=1):
            try:
                problem = self._add(line)
            except _Unreadable as unreadable:
                problem = f"{unreadable}; the line has no effect"
            if problem:
                problems.append((number, problem))
        self.problems = tuple(problems)  # the number of a line, counted from 1, and what is wrong with it
        self._folders = {"": _Folder(_closed([self._root]), None)}  # asked for every note

    @property
    def is_empty(self) -> bool:
        """Whether there is no pattern."""
        return not self._lines

    def line_for(self, path: str) -> str | None:
        """
        The line that ignores the file at *path*, as written; None if none does.

        As in git, the last line that matches decides, and nothing below an ignored folder can be re-included.
        """
        parent, _, name = path.rpartition("/")
        folder = self._folder(parent)
        if folder.ignored_by is not None:
            return folder.ignored_by
        return self._deciding(max((node.any_line for node in _step(folder.nodes, name)), default=_NONE))

    def _folder(self, path: str) -> "_Folder":
        """The state of the folder at *path*, computed from its parents down, without recursion."""
        pending = []
        while (folder := self._folders.get(path)) is None:
            path, _, name = path.rpartition("/")
            pending.append((path, name))
        for above, name in reversed(pending):
            folder = folder.entered(name, self._deciding)
            self._folders[f"{above}/{name}" if above else name] = folder
        return folder

    def _deciding(self, line: int) -> str | None:
        return None if line == _NONE or line in self._takes_in else self._lines[line]

    def _add(self, line: str) -> str | None:
        """
        Add *line* to the trie; return what is wrong with it if it is applied nevertheless.

        Raises:
            _Unreadable: The line is invalid and cannot be applied.
        """
        pattern = _without_trailing_blanks(line)
        takes_in = pattern.startswith("!")
        pattern = pattern[takes_in:]
        if (not takes_in and (not pattern or pattern.startswith("#"))) or pattern == "/":
            return None
        if not pattern or len(pattern) > MAX_LINE:
            raise _Unreadable("it names nothing" if not pattern else f"it is longer than {MAX_LINE} characters")
        parts, problem = _parts(pattern)
        if takes_in and problem:
            raise _Unreadable(problem)
        node = self._root
        for part in parts:
            node = self._below(node, part)
        number = len(self._lines)
        self._lines.append(line.strip())
        if takes_in:
            self._takes_in.add(number)
        node.folder_line = number
        if not pattern.endswith("/"):
            node.any_line = number
        return problem and f"{problem}; the bracket is read as part of a name; to say so, write \\["

    def _below(self, node: "_Node", part: "_Part") -> "_Node":
        """The child of *node* for *part*, created if there is none."""
        if part is None:
            node.deep = node.deep or _Node(stays=True, is_deep=True)
            return node.deep
        if isinstance(part, str):
            if part not in node.names:
                self._pay(node.is_deep and not node.stays)
                node.names[part] = _Node(is_deep=node.is_deep)
            return node.names[part]
        if part.pattern not in node.globs:
            self._pay(True)
            node.globs[part.pattern] = (part.fullmatch, _Node(is_deep=node.is_deep))
        return node.globs[part.pattern][1]

    def _pay(self, is_costly: bool) -> None:
        self._budget -= is_costly
        if self._budget < 0:
            raise TooCostly


class _Unreadable(ValueError):
    """A line that cannot be applied."""


# --- the trie ----------------------------------------------------------------------------------


class _Node(Struct, eq=False):
    """A state: the beginning of one or more lines, which a path has matched so far."""

    stays: bool = False  # this node is a `**`: any part of a path leads back to it
    is_deep: bool = False  # it follows a `**`, or is one: one path may match many such nodes
    names: dict[str, "_Node"] = field(default_factory=dict)
    globs: dict[str, tuple[Callable[[str], object], "_Node"]] = field(default_factory=dict)
    deep: "_Node | None" = None  # the `**` that follows, which may match no part
    folder_line: int = _NONE  # the last line that ends here
    any_line: int = _NONE  # the last of them that does not apply to folders only


class _Folder(Struct):
    """A folder of the vault: the nodes that its path reaches, or the line that ignores it."""

    nodes: list[_Node]
    ignored_by: str | None

    def entered(self, name: str, deciding: Callable[[int], str | None]) -> "_Folder":
        """The state of the folder *name* in this one."""
        if self.ignored_by is not None:
            return self
        nodes = list(_step(self.nodes, name))
        line = deciding(max((node.folder_line for node in nodes), default=_NONE))
        return _Folder([] if line is not None else _closed(nodes), line)


def _step(nodes: list[_Node], name: str) -> Iterator[_Node]:
    """The nodes that *name* reaches from *nodes*, before `_closed`."""
    for node in nodes:
        if node.stays:
            yield node
        if (below := node.names.get(name)) is not None:
            yield below
        for matches, below in node.globs.values():
            if matches(name):
                yield below


def _closed(nodes: list[_Node]) -> list[_Node]:
    """*nodes* with every `**` that may follow them and match no part (the epsilon closure), each once."""
    found = dict.fromkeys(nodes)
    for node in nodes:
        if node.deep is not None:
            found[node.deep] = None
    return list(found)


# --- lines -------------------------------------------------------------------------------------


def _without_trailing_blanks(line: str) -> str:
    stripped = line.rstrip(" \t\r\n")
    slashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + line[len(stripped)] if slashes % 2 and len(stripped) < len(line) else stripped


def _parts(pattern: str) -> tuple[list["_Part"], str | None]:
    r"""
    Split *pattern* into the parts of a path; return them and what is wrong with one of them.

    A pattern without a slash, except one at the end, applies in every folder.
    """
    texts = pattern.replace("\\/", "/").removesuffix("/").split("/")
    is_anchored = len(texts) > 1
    parts: list[_Part] = [] if is_anchored else [None]
    problem: str | None = None
    for text in texts:
        if is_anchored and len(text) > 1 and not text.strip("*"):  # `**`, and `***` as to git
            if not parts or parts[-1] is not None:  # `**/**` means `**`
                parts.append(None)
        elif text or parts:  # not what precedes a slash at the beginning
            part, wrong = _part(text)
            parts.append(part)
            problem = problem or wrong
    if not parts:
        raise _Unreadable("it names nothing")
    if parts[-1] is None:  # everything below, but not the folder itself
        parts.append(re.compile(".*", re.DOTALL))
    return parts, problem


def _part(text: str) -> tuple["str | re.Pattern[str]", str | None]:
    """One part: a name, or if it has wildcards a regular expression; and what is wrong with it."""
    name: list[str] = []  # the text, as long as there is no wildcard
    pieces = [""]  # as regular expressions; between two of them stands a star
    problem = None
    is_name = True
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == "*":
            is_name = False
            pieces.append("")
        elif character == "?":
            is_name = False
            pieces[-1] += "."
        else:
            if character == "[" and not problem:  # after a broken bracket, others pair by chance
                try:
                    bracket, at = _bracket(text, at)
                except _Unreadable as unreadable:
                    problem = str(unreadable)
                else:
                    is_name = False
                    pieces[-1] += bracket
                    continue
            elif character == "\\":
                if at == len(text):
                    raise _Unreadable("it ends with a backslash, with nothing to escape")
                character = text[at]
                at += 1
            name.append(character)
            pieces[-1] += re.escape(character)
    return "".join(name) if is_name else _compiled(pieces), problem


def _compiled(pieces: list[str]) -> "re.Pattern[str]":
    """Compile *pieces* with stars between them; the first and the last are anchored at the ends of the name."""
    first, *rest = pieces
    between = "".join(f"(?>.*?{piece})" for piece in rest[:-1] if piece)
    last = f".*{rest[-1]}" if rest else ""  # of fixed length, so one try for each character of the name
    return re.compile(first + between + last, re.DOTALL)


def _bracket(text: str, at: int) -> tuple[str, int]:
    """
    Read the bracket expression that opens before *at*; return it as a regular expression, and the offset after it.

    Raises:
        _Unreadable: It is not closed, has a reversed range, or names an unknown class.
    """
    negated = text[at : at + 1] in ("!", "^")
    at += negated
    found = []
    first = at
    while at < len(text) and (text[at] != "]" or at == first):
        if text.startswith("[:", at):
            name, closing, _ = text[at + 2 :].partition(":]")
            if not closing or name not in _CLASSES:
                raise _Unreadable(f"there is no character class {text[at : at + 12]!r}")
            found.append(_CLASSES[name])
            at += len(name) + 4
            continue
        low, at = _one(text, at)
        high = low
        if text.startswith("-", at) and not text.startswith("-]", at) and at + 1 < len(text):
            high, at = _one(text, at + 1)
        if high < low:
            raise _Unreadable(f"the range {low}-{high} in a bracket is reversed")
        found.append(f"{re.escape(low)}-{re.escape(high)}")
    if at >= len(text):
        raise _Unreadable("a bracket is not closed")
    return f"[{'^' * negated}{''.join(found)}]", at + 1


def _one(text: str, at: int) -> tuple[str, int]:
    """Read one character of a bracket expression, perhaps escaped; return it and the offset after it."""
    at += text[at] == "\\" and at + 1 < len(text)
    return text[at], at + 1


_Part = str | re.Pattern[str] | None  # a name, a pattern, or None for `**`: any number of folders
