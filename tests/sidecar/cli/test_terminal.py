import pytest

from quarry.cli import terminal
from quarry.cli.terminal import bold, marked, print_caret, print_if_empty, print_line, print_stderr
from quarry.protocol import IndexStatus, Mark, Model, Vault


@pytest.fixture
def at_a_terminal(monkeypatch):
    monkeypatch.setattr(terminal, "is_decorated", lambda: True)


@pytest.mark.parametrize("decorated", [True, False])
def test_nothing_but_our_own_decoration_passes(monkeypatch, capsys, decorated):
    monkeypatch.setattr(terminal, "is_decorated", lambda: decorated)

    text = "\x1b]0;title\x07 \x1b[31m \x9b1m \u202e" + ("" if decorated else "\x1b[1m")
    print_line(f"{bold('a')} {text}")
    print_stderr("\x1b[2J gone")

    printed = capsys.readouterr()
    assert printed.out.startswith("\x1b[1ma\x1b[0m " if decorated else "a ")
    assert not set(printed.out.removeprefix("\x1b[1ma\x1b[0m")) & set("\x1b\x9b\u202e")
    assert printed.err == "quarry: [2J gone\n"


def test_a_note_cannot_borrow_our_decoration_inside_of_it(at_a_terminal):
    assert bold("\x1b[0mfree") == "\x1b[1m[0mfree\x1b[0m"


@pytest.mark.parametrize(
    ("text", "marks", "shown"),
    [
        ("🍵 two\n\n  words \tmore", [(10, 15)], "🍵 two \x1b[1mwords\x1b[0m more"),
        ("Ah. The boat is in. Yes.", [(4, 18), (8, 12)], "Ah. \x1b[1mThe boat is in\x1b[0m. Yes."),
        ("  a \n b\x1b ", [], "a b"),
        ("See [the old one](a/b%20(c).md) and ![pic](p.png).", [(5, 8)], "See \x1b[1mthe\x1b[0m old one and pic."),
        ("[[a/Plan|the plan]] [[Plan]] ![[p.png|240]]", [(4, 8)], "the plan Plan p.png"),
        ("now [1] see [x] (y) [^1]", [(0, 3)], "\x1b[1mnow\x1b[0m [1] see [x] (y) [^1]"),
    ],
)
def test_marks_are_bold_once_and_the_snippet_is_one_line_without_targets_of_links(at_a_terminal, text, marks, shown):
    assert marked(text, [Mark(start=start, end=end, kind="word") for start, end in marks]) == shown


def test_color_can_be_declined(monkeypatch):
    class Screen:
        @staticmethod
        def isatty():
            return True

    monkeypatch.setattr(terminal.sys, "stdout", Screen())
    monkeypatch.delenv("NO_COLOR", raising=False)
    wanted = terminal.is_decorated()
    monkeypatch.setenv("NO_COLOR", "")

    assert wanted
    assert not terminal.is_decorated()


@pytest.mark.parametrize(
    ("text", "position", "shown", "column"),
    [
        ("tea OR", 4, "tea OR", 4),
        ("tea", 3, "tea", 3),
        ("🍵茶 x", 4, "🍵茶 x", 5),
        ("e\u0301 x", 3, "e\u0301 x", 2),
        ("a\n\tb", 3, "a  b", 3),
        ("\x1b[2Ja", 4, " [2Ja", 4),
        ("x" * 100, 90, "…" + "x" * 70, 61),
        ("x" * 100, 0, "x" * 60 + "…", 0),
        ("🍵", 1, "", 0),
    ],
)
def test_the_caret_stands_under_the_place(capsys, text, position, shown, column):
    print_caret(text, position)

    assert capsys.readouterr().err == f"  {shown}\n  {' ' * column}^\n"


@pytest.mark.parametrize(("indexed_ms", "is_known"), [(None, False), (1_795_691_262_937, True)])
def test_an_empty_vault_that_was_read_once_is_known_to_be_empty_while_it_is_looked_through_again(
    capsys, indexed_ms, is_known
):
    nothing = dict.fromkeys(("notes", "chunks", "pending", "excluded", "problem_count", "size_bytes"), 0)
    absent = dict.fromkeys(("progress", "backfill", "built_ms", "message"))
    model = Model(name="bundled", state="ready", message=None)
    status = IndexStatus(
        state="scanning", model=model, models=[], missing=[], problems=[], indexed_ms=indexed_ms, **nothing, **absent
    )

    print_if_empty(Vault(id="v", name="empty", path="/notes/empty"), status)

    assert ("there are no Markdown files in /notes/empty" in capsys.readouterr().err) is is_known
