"""Stack traces: both ends, the deepest frame of one's own, every message."""

from quarry.agents.hooks.compression.command import parse_command
from quarry.agents.hooks.compression.traces import reduce

COMMAND = parse_command("./run")


def left(*lines):
    found = reduce(COMMAND, list(lines))
    return None if found is None else found.lines


def python(*files):
    return [line for file in files for line in (f'  File "{file}", line 3, in f', "    call()")]


def test_the_deepest_frame_of_ones_own_stays():
    frames = python("main.py", "a.py", "b.py", "own.py", "/lib/python3.11/json.py", "/lib/python3.11/decoder.py")

    assert left("Traceback (most recent call last):", *frames, "ValueError: no") == [
        "Traceback (most recent call last):",
        *frames[:2],
        "  ... 2 frames",
        *frames[6:],
        "ValueError: no",
    ]


def test_a_single_frame_is_not_replaced_by_a_line():
    frames = [f"    at f{number} (/srv/a.js:{number}:1)" for number in range(4)]

    assert left("Error: x", *frames) == ["Error: x", frames[0], "    ... 2 frames", frames[3]]
    assert left("Error: x", *frames[:3]) is None


def test_numbered_lines_are_frames_only_below_the_heading_of_a_backtrace():
    lines = [f"   {number}: item" for number in range(9)]

    assert left(*lines) is None
    assert left("stack backtrace:", *lines) == ["stack backtrace:", lines[0], "   ... 7 frames", lines[8]]


def test_causes_are_traces_of_their_own():
    frames = [f"\tat shop.A.f{number}(A.java:{number})" for number in range(6)]

    assert left("E: a", *frames, "Caused by: b", *frames, "\t... 4 more") == [
        "E: a",
        frames[0],
        "\t... 4 frames",
        frames[5],
        "Caused by: b",
        frames[0],
        "\t... 4 frames",
        frames[5],
        "\t... 4 more",
    ]


def test_how_long_a_goroutine_waited_is_no_matter():
    frames = [line for number in range(5) for line in (f"main.f{number}(0x1)", f"\t/a/main.go:{number + 1} +0x1")]

    assert left("goroutine 7 [chan receive, 12 minutes]:", *frames)[0] == "goroutine 7 [chan receive]:"
