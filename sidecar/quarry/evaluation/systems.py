"""Which systems are evaluated? Each is a way to ask the engine, by the name that tables give it."""

from collections.abc import Mapping

from msgspec import Struct

from quarry.options import Fusion, Mode, SearchOptions

NO_TOKEN_LIMIT = 10**9  # no answer is cut
NO_SNIPPETS = 0  # characters; quoting would cost twenty times what ranking does


class System(Struct, frozen=True):
    """A mode and a fusion method of the engine."""

    mode: Mode
    fusion: Fusion

    def request(self, query: str, limit: int) -> SearchOptions:
        """The request for *query* as typed: *limit* hits, without snippets."""
        return SearchOptions(
            query=query,
            limit=limit,
            mode=self.mode,
            fusion=self.fusion,
            snippet_width=NO_SNIPPETS,
            max_tokens=NO_TOKEN_LIMIT,
            expand_small_results=False,
        )


SYSTEMS: Mapping[str, System] = {
    "keyword": System("keyword", "rrf"),  # the published keyword retriever: the baseline that never changes
    "semantic": System("semantic", "rrf"),
    "rrf": System("hybrid", "rrf"),  # the published fusion
    "six-signals": System("hybrid", "six-signals"),  # another published system
    "six-signals-keyword": System("keyword", "six-signals"),  # its weights without vectors
    "default": System("hybrid", "convex"),
    "default-keyword": System("keyword", "convex"),
    "default-semantic": System("semantic", "convex"),
}
CONFIDENT = ("default", "default-keyword", "default-semantic")  # each has weights of its own for confidence
USUAL = ("keyword", "semantic", "rrf", "default")
