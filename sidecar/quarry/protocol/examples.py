"""Example queries for a person to try."""

from typing import Annotated

from quarry.protocol.base import Doc, Params, Value


class ExamplesParams(Params, frozen=True, kw_only=True):
    """Make example queries from the vault's content. Each has been tried, and has an answer."""

    templates: Annotated[
        list[Annotated[str, Doc(min_length=7, max_length=200)]],
        Doc(
            description="Questions with `{topic}` in place of the name of a note or a section.",
            min_length=1,
            max_length=5,
        ),
    ]
    limit: Annotated[int, Doc(description="Maximum number of queries.", ge=1, le=10)] = 3


class ExampleQuery(Value, frozen=True, kw_only=True):
    """A query whose first hit is a likely answer."""

    query: str
    path: Annotated[str, Doc(description="The note from which the query was made, which is that hit.")]


class ExamplesResult(Value, frozen=True, kw_only=True):
    """
    Queries to try, each about a different note. Fewer than requested if the vault has too few topics; none while the
    vault is empty or search by meaning is unavailable.
    """

    examples: list[ExampleQuery]
