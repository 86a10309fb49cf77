"""A query is described by codes: every condition once, in the order of its English description, the words last."""

from datetime import datetime
from typing import get_args

import pytest

from quarry.messages import Message, UnderstoodCode, message
from quarry.options import Retriever
from quarry.query.description import describe_query
from quarry.query.parse import parse_query
from quarry.query.told import understand

NOW = datetime(2026, 11, 21, 15, 30)  # noqa: DTZ001  local time, as days are described in it
TOLD = {
    "": [message("query-all")],
    "back off": [message("query-words", words="back off", by="both")],
    'folder:Work -#idea "rate limit" backoff': [
        message("query-folder", negated=0, folder="Work"),
        message("query-phrase", negated=0, phrase="rate limit"),
        message("query-tag", negated=1, tag="idea"),
        message("query-words", words="backoff", by="both"),
    ],
    "created:2026 -modified:7d": [
        message("query-dated", negated=0, field="created", period="in", first="2026", last=""),
        message("query-dated", negated=1, field="modified", period="since", first="2026-11-14", last=""),
    ],
    "created:2026-01..2026-03": [
        message("query-dated", negated=0, field="created", period="between", first="2026-01-01", last="2026-03-31")
    ],
    "#a OR path:x": [message("query-filter", negated=0, filter="(#a OR path:x)")],
    "-(#a path:x)": [message("query-filter", negated=1, filter="(#a path:x)")],
    'section:("c" -"d")': [message("query-together", negated=0, unit="section", phrases=("c",), without=("d",))],
    "line:x": [
        message("query-together", negated=0, unit="line", phrases=("x",), without=()),
        message("query-words", words="x", by="both"),
    ],
    "task-todo:": [message("query-task", negated=0, state="todo", phrases=(), without=())],
    'match-case:"API"': [message("query-phrase-in-case", negated=0, phrase="API")],
    "file:a path:b": [message("query-path", negated=0, part="b"), message("query-file", negated=0, part="a")],
    "kind:pdf": [message("query-kind", negated=0, kind="pdf")],
    "[rating:>=4]": [message("query-property", negated=0, name="rating", comparison=">=", value="4")],
    "a -path:/b/": [
        message("query-pattern", negated=1, pattern="b", place="path"),
        message("query-words", words="a", by="both"),
    ],
}


@pytest.mark.parametrize(("typed", "told"), TOLD.items())
def test_conditions_by_code(typed: str, told: list[Message]) -> None:
    query = parse_query(typed, now=NOW)

    understood = understand(query)

    assert list(understood.told) == told
    assert understood.english == describe_query(query)


def test_every_code_is_sent() -> None:
    sent = {told.code for messages in TOLD.values() for told in messages}

    assert sent | {"query-note"} == set(get_args(UnderstoodCode))  # no operator names one note: scopes do


@pytest.mark.parametrize(("retrievers", "by"), [(("keyword",), "words"), (("dense",), "meaning")])
def test_words_are_told_with_what_looks_for_them(retrievers: tuple[Retriever, ...], by: str) -> None:
    [told] = understand(parse_query("back off", now=NOW), retrievers).told

    assert told.args["by"] == by
