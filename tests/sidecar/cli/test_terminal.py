import pytest

from quarry.cli import terminal
from quarry.cli.terminal import bold, marked, print_caret
from quarry.protocol import Mark


@pytest.fixture
def at_a_terminal(monkeypatch):
    monkeypatch.setattr(terminal, "is_decorated", lambda: True)


def test_a_note_cannot_borrow_our_decoration_inside_of_it(at_a_terminal):
    assert bold("\x1b[0mfree") == "\x1b[1m[0mfree\x1b[0m"


@pytest.mark.parametrize(
    ("text", "marks", "shown"),
    [
        ("🍵 two\n\n  words \tmore", [(10, 15)], "🍵 two \x1b[1mwords\x1b[0m more"),
        ("Ah. The boat is in. Yes.", [(4, 18), (8, 12)], "Ah. \x1b[1mThe boat is in\x1b[0m. Yes."),
        ("  a \n b\x1b ", [], "a b"),
    ],
)
def test_marks_are_bold_once_and_the_snippet_is_one_line(at_a_terminal, text, marks, shown):
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
