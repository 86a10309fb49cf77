import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.vault.gitignore import GitIgnore, TooCostly

PARTS = st.sampled_from(
    ["a", "b", "ab", "*", "**", "***", "?", "[ab]", "[!a]", "a*", "*b", "a*b*", "[]a]", "\\*", "a**b"]
)
PATTERNS = st.builds(
    lambda before, parts, after: before + "/".join(parts) + after,
    st.sampled_from(["", "/", "!"]),
    st.lists(PARTS, min_size=1, max_size=4),
    st.sampled_from(["", "/", "  "]),
)
PATHS = st.lists(st.sampled_from(["a", "b", "ab", "ba", "aab", "*", "]", "c"]), min_size=1, max_size=5).map("/".join)


def naive(pattern: str, name: str) -> bool:
    """Whether a glob without escapes matches one part of a path, or a path of parts: by trying everything."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(naive(pattern[1:], name[at:]) for at in range(len(name) + 1))
    if not name:
        return False
    if pattern[0] == "[":
        end = pattern.index("]", 3 if pattern[1] == "!" else 2)
        inside = pattern[1:end].lstrip("!")
        return (name[0] in inside) != (pattern[1] == "!") and naive(pattern[end + 1 :], name[1:])
    if pattern[0] == "\\":
        pattern = pattern[1:]
    elif pattern[0] == "?":
        return naive(pattern[1:], name[1:])
    return pattern[0] == name[0] and naive(pattern[1:], name[1:])


def naive_parts(patterns: list[str], names: list[str]) -> bool:
    if not patterns:
        return not names
    if len(patterns[0]) > 1 and not patterns[0].strip("*"):
        least = 1 if len(patterns) == 1 else 0
        return any(naive_parts(patterns[1:], names[at:]) for at in range(least, len(names) + 1))
    return bool(names) and naive(patterns[0], names[0]) and naive_parts(patterns[1:], names[1:])


def naive_ignores(lines: list[str], path: str) -> bool:
    """gitignore(5) word for word: level by level, the last line that matches."""
    names = path.split("/")
    for depth in range(1, len(names) + 1):
        ignored = False
        for line in lines:
            pattern = line.rstrip()
            takes_in = pattern.startswith("!")
            pattern = pattern.lstrip("!")
            if pattern.endswith("/") and depth == len(names):
                continue
            pattern = pattern.removesuffix("/")
            if "/" in pattern:
                matches = naive_parts(pattern.removeprefix("/").split("/"), names[:depth])
            else:
                matches = naive(pattern, names[depth - 1])
            ignored = not takes_in if matches else ignored
        if ignored:
            return True
    return False


@given(st.lists(PATTERNS, min_size=1, max_size=5), st.lists(PATHS, min_size=1, max_size=5))
def test_lines_mean_what_trying_every_possibility_finds(lines, paths):
    ignored = GitIgnore(lines)

    assert [ignored.line_for(path) is not None for path in paths] == [naive_ignores(lines, path) for path in paths]


@pytest.mark.parametrize(
    ("line", "path", "is_ignored"),
    [
        ("**/", "a/b.md", True),
        ("**/", "b.md", False),
        ("a/**", "a", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a//b", "a/b", False),
        ("x\\ ", "x ", True),
        ("x  ", "x", True),
        ("\\!x", "!x", True),
        ("a\\/b", "a/b", True),
        ("[[:digit:]][![:upper:]].md", "7b.md", True),
        ("[[:digit:]][![:upper:]].md", "7B.md", False),
        ("[a\\]]x", "]x", True),
        ("[a-]x", "-x", True),
        ("[\\--0]x", ".x", True),
        ("a*b", "a\nb", True),
        ("ab*b", "ab", False),
        ("*.md.*", "x.md.md.bak", True),
        ("/", "a", False),
        ("\t", "\t", False),
    ],
)
def test_a_line_means_what_git_takes_it_for(line, path, is_ignored):
    assert (GitIgnore([line]).line_for(path) is not None) is is_ignored


@pytest.mark.parametrize(
    ("line", "path", "problem"),
    [
        ("[Old-Archive]/", "[Old-Archive]/a.md", "the range d-A in a bracket is reversed"),
        ("[Inbox-2024]*", "[Inbox-2024] x.md", "the range x-2 in a bracket is reversed"),
        ("draft[1.md", "draft[1.md", "a bracket is not closed"),
        ("[[:letter:]]", "[[:letter:]]", "there is no character class '[:letter:]]'"),
    ],
)
def test_a_bracket_that_cannot_be_read_leaves_out_the_file_of_that_name(line, path, problem):
    ignored = GitIgnore(["# mine", line])

    assert ignored.line_for(path) == line
    assert ignored.line_for("b.md") is None
    assert ignored.problems == ((2, f"{problem}; the bracket is read as part of a name; to say so, write \\["),)


def test_a_line_that_takes_in_and_cannot_be_read_takes_nothing_in():
    ignored = GitIgnore(["*.md", "![z-a].md"])

    assert ignored.line_for("[z-a].md") == "*.md"
    assert ignored.problems == ((2, "the range z-a in a bracket is reversed; the line has no effect"),)


@pytest.mark.parametrize("line", ["!", "//", "a\\", "x" * 5_000])
def test_a_line_that_can_match_nothing_is_a_problem(line):
    ignored = GitIgnore([line])

    assert ignored.is_empty
    assert "the line has no effect" in ignored.problems[0][1]


@pytest.mark.parametrize(
    "line", ["*a" * 2_000 + "b", "*[a-c]" * 600 + "b", "*?" * 1_000 + "b", "a/**/" * 400 + "b", "[" * 4_000]
)
def test_no_line_takes_long_on_any_path(line):
    ignored = GitIgnore([line])
    paths = ["a" * 250, "/".join(["a"] * 800), "/".join(["a" * 255] * 15)]

    # A matcher that backtracks would not come back before the time that a test may take is over.
    assert [ignored.line_for(path) for path in paths] == [None, None, None]


def test_more_wildcards_than_can_be_compared_with_every_name_are_refused():
    GitIgnore(["*a", "b*", "/c", "d/e/*a"], max_costly_parts=3)

    with pytest.raises(TooCostly):
        GitIgnore(["*a", "b*", "c*", "*d"], max_costly_parts=3)
    with pytest.raises(TooCostly):
        GitIgnore(["**/a/b/c/d/e"], max_costly_parts=3)
