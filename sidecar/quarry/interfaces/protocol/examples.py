"""Queries that a person may try first."""

from typing import Annotated

from quarry.interfaces.protocol.base import Doc, Params, Value


class ExamplesParams(Params, frozen=True, kw_only=True):
    """Make queries out of what the vault says, for people to try. Each has been asked, and was answered."""

    templates: Annotated[
        list[Annotated[str, Doc(min_length=7, max_length=200)]],
        Doc(
            description="Questions with `{topic}` where the name of a note or a section is to stand.",
            min_length=1,
            max_length=5,
        ),
    ]
    limit: Annotated[int, Doc(description="Maximum number of queries.", ge=1, le=10)] = 3


class ExampleQuery(Value, frozen=True, kw_only=True):
    """A query whose first hit is a likely answer."""

    query: str
    path: Annotated[str, Doc(description="The note that it was made from, which is that hit.")]


class ExamplesResult(Value, frozen=True, kw_only=True):
    """
    Queries to try, each about another note. Fewer than asked for where the vault does not give them; none while it is
    empty, or searched by words alone.
    """

    examples: list[ExampleQuery]
