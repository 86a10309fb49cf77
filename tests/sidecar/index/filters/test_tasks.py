import pytest

from quarry.conditions import InTask
from quarry.index.filters.tasks import Task, holds_task, tasks_in


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
    assert holds_task("- [ ] Call dentist -> now\n- [ ] other\n\nnot in it", wanted) is found
