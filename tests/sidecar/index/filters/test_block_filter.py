import pytest

from quarry.conditions import InBlock, InTask
from quarry.index.filters.block_filter import Task, blocks_in, holds_cased, holds_unit, tasks_in


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("one\ntwo\n\n\nthree", ["one\ntwo", "three"]),
        ("# Head\ntext\n## Next", ["# Head", "text", "## Next"]),
        ("intro\n- a\n  goes on\n  - b\n1. c\n\nend", ["intro", "- a\n  goes on", "  - b", "1. c", "end"]),
        ("| a | b |\n|---|---|\n| c | d |", ["| a | b |\n|---|---|\n| c | d |"]),
        ("> a\n> b\n\n> c", ["> a\n> b", "> c"]),
        ("x\n```\n# no\n\n- no\n```\ny", ["x", "```\n# no\n\n- no\n```", "y"]),
        ("```\nopen\n\nend", ["```\nopen\n\nend"]),
        ("#tag -no 1.5", ["#tag -no 1.5"]),
        ("\n \n", []),
    ],
)
def test_a_block_is_what_obsidian_can_link_to(text, blocks):
    assert list(blocks_in(text)) == blocks


@pytest.mark.parametrize(
    ("unit", "phrases", "without", "found"),
    [
        ("line", ("mixing", "flour"), (), True),
        ("line", ("mix", "water"), (), False),
        ("block", ("mix", "water"), (), True),
        ("block", ("mix", "oven"), (), False),
        ("line", ("->",), ("mix",), True),
        ("line", (), ("mix", "water", "oven"), False),
    ],
)
def test_one_line_or_block_must_say_all_of_it(unit, phrases, without, found):
    assert (
        holds_unit("Mix the flour\nwith water -> dough\n\nHeat the oven\n\n", InBlock(unit, phrases, without)) is found
    )


@pytest.mark.parametrize(
    ("phrase", "found"),
    [
        ("US", True),
        ("us", False),
        ("BUS", False),
        ("IN THE", False),
        ("in the", True),
        ("B2", False),
        ("(US)", True),
        ("猫", True),
    ],
)
def test_case_is_matched_by_whole_words(phrase, found):
    assert holds_cased("BUSES, in  the (US) B22 黒猫", phrase) is found


@pytest.mark.parametrize(
    ("lines", "tasks"),
    [
        (["- [ ] a", "* [x] b", "+ [X] c"], [("a", False), ("b", True), ("c", True)]),
        (["1. [/] a", "20) [>] b"], [("a", False), ("b", False)]),
        (["  - [ ] nested", "> - [x] quoted"], [("nested", False), ("quoted", True)]),
        (["\t-   [ ]  wide"], [("wide", False)]),
        (["- [ ] ", "- [x]  ", "-", "- [ ]"], [("", False), ("", True)]),
        (["- [link](x)", "- [] a", "- [xx] b", "[ ] c", "-[ ] d", "- [ ]e", "- plain", "text - [ ] inside"], []),
        (["- [ ] a", "  goes on", "   and on", "", "new"], [("a\ngoes on\nand on", False)]),
        (["- [ ] a", "  - not a task", "  - [x] b", "lazy"], [("a", False), ("b", True)]),
        (["```", "- [ ] code", "```", "- [ ] a"], [("a", False)]),
        ([], []),
    ],
)
def test_tasks_are_list_items_with_a_box(lines, tasks):
    assert list(tasks_in("\n".join(lines))) == [Task(*task) for task in tasks]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (InTask("any"), True),
        (InTask("done"), False),
        (InTask("todo", ("CALLING",)), True),
        (InTask("todo", ("call dentist",)), True),
        (InTask("todo", ("dentist call",)), False),
        (InTask("todo", ("call", "-> now")), True),
        (InTask("todo", ("->",)), True),
        (InTask("todo", ("=>",)), False),
        (InTask("todo", ("call",), ("dentist",)), False),
        (InTask("todo", (), ("doctor",)), True),
        (InTask("any", ("call", "other")), False),
        (InTask("any", ("not",)), False),
    ],
)
def test_one_task_must_be_all_that_is_wanted(wanted, found):
    assert holds_unit("- [ ] Call dentist -> now\n- [ ] other\n\nnot in it", wanted) is found
