"""Which ways to search are judged? Each is a whole system: what is asked of the engine, by its name in tables."""

from collections.abc import Mapping

from msgspec import Struct

from quarry.types import Fusion, SearchMode, SearchRequest

MOST_TOKENS = 10**9  # a budget that ends no answer
NO_SNIPPETS = 0  # characters; quoting would cost twenty times what ranking does


class System(Struct, frozen=True):
    """One way to search."""

    mode: SearchMode
    fusion: Fusion

    def request(self, query: str, limit: int) -> SearchRequest:
        """*query* as typed, for *limit* hits and as little quoting as there can be."""
        return SearchRequest(
            query,
            limit=limit,
            mode=self.mode,
            fusion=self.fusion,
            snippet_width=NO_SNIPPETS,
            max_tokens=MOST_TOKENS,
            show_all_when_few=False,
            with_text=False,
        )


SYSTEMS: Mapping[str, System] = {
    "keyword": System("keyword", "rrf"),  # the published keyword retriever: the baseline that never changes
    "semantic": System("semantic", "rrf"),
    "rrf": System("hybrid", "rrf"),  # the published fusion
    "default": System("hybrid", "convex"),
    "default-keyword": System("keyword", "convex"),
    "default-semantic": System("semantic", "convex"),
}
USUAL = ("keyword", "semantic", "rrf", "default")
