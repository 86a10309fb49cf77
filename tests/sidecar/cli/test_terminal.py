import pytest

from quarry.cli import terminal
from quarry.cli.terminal import bold, dim, marked, print_caret, print_line, print_stderr
from quarry.protocol import Mark


@pytest.fixture
def at_a_terminal(monkeypatch):
    monkeypatch.setattr(terminal, "is_decorated", lambda: True)


def test_a_pipe_gets_plain_words(capsys):
    print_line(f"{bold('a')} {dim('b')}")

    assert capsys.readouterr().out == "a b\n"


def test_a_terminal_gets_decoration(at_a_terminal, capsys):
    print_line(f"{bold('a')} {dim('b')}")

    assert capsys.readouterr().out == "\x1b[1ma\x1b[0m \x1b[2mb\x1b[0m\n"


@pytest.mark.parametrize("people", [True, False])
def test_nothing_but_our_own_decoration_passes(monkeypatch, capsys, people):
    monkeypatch.setattr(terminal, "is_decorated", lambda: people)

    print_line(f"{bold('a' + chr(27) + '[2J')} \x1b]0;title\x07 \x1b[31m \x9b1m \u202e")
    print_stderr("\x1b[2J gone")

    printed = capsys.readouterr()
    assert printed.out.replace("\x1b[1m", "").replace("\x1b[0m", "").count("\x1b") == 0
    assert "\x9b" not in printed.out
    assert printed.err == "quarry: [2J gone\n"


def test_a_note_cannot_borrow_our_decoration_inside_of_it(at_a_terminal):
    assert bold("\x1b[0mfree") == "\x1b[1m[0mfree\x1b[0m"


def test_marks_are_bold_and_the_snippet_is_one_line(at_a_terminal):
    text = "🍵 two\n\n  words \tmore"
    start = len("🍵 two\n\n  ".encode("utf-16-le")) // 2

    shown = marked(text, [Mark(start=start, end=start + 5, kind="word")])

    assert shown == "🍵 two \x1b[1mwords\x1b[0m more"


def test_a_snippet_without_marks_is_plain():
    assert marked("  a \n b\x1b ", []) == "a b"


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


def test_a_word_marked_within_a_marked_sentence_is_not_said_twice(at_a_terminal):
    marks = [Mark(start=4, end=18, kind="sentence"), Mark(start=8, end=12, kind="word")]

    assert marked("Ah. The boat is in. Yes.", marks) == "Ah. \x1b[1mThe boat is in\x1b[0m. Yes."


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
