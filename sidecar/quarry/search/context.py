"""The snapshot, the model and the retrievers that can serve a search now."""

from collections.abc import Mapping
from typing import Self, get_args

from msgspec import Struct
from msgspec.structs import replace

from quarry.embedding import Encoder
from quarry.index import CHUNK_WEIGHTS, ChunkWeights, Reader
from quarry.messages import Sentence
from quarry.options import Mode, Retriever
from quarry.search.contextual_queries import ContextualQueries
from quarry.search.fusion import RRF_K
from quarry.settings import Settings

ALL_RETRIEVERS: tuple[Retriever, ...] = get_args(Retriever)


class RankFusion(Struct, frozen=True):
    """A vault's settings of reciprocal rank fusion; as published unless it changes them."""

    k: float = RRF_K
    columns: ChunkWeights = CHUNK_WEIGHTS  # of the keyword retriever

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The parameters in *settings*."""
        columns = replace(
            CHUNK_WEIGHTS,
            text=settings.rrf_text_weight,
            section=settings.rrf_section_weight,
            context=settings.rrf_context_weight,
        )
        return cls(settings.rrf_k, columns)


class SearchContext(Struct, frozen=True):
    """A snapshot of the index, the models that made its vectors, and what is missing."""

    reader: Reader
    encoder: Encoder | None
    missing: Mapping[Retriever, Sentence]  # retriever -> why it cannot serve
    rank_fusion: RankFusion = RankFusion()
    contextual: ContextualQueries | None = None  # where contextual vectors answer in this snapshot
    is_complete: bool = True  # False: many notes are not indexed yet, and may hold words that no note has now

    def available(self, mode: Mode) -> tuple[Retriever, ...]:
        """The retrievers to ask for *mode*; where the wanted one is missing, the other stands in for it."""
        present = tuple([retriever for retriever in ALL_RETRIEVERS if retriever not in self.missing])
        return tuple([retriever for retriever in present if is_asked(retriever, mode)]) or present


def is_asked(retriever: Retriever, mode: Mode) -> bool:
    """Whether *mode* asks *retriever*."""
    return mode == "hybrid" or (retriever == "lexical") == (mode == "keyword")
