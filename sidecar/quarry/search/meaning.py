"""
Which vectors is a query compared by?

By contextual ones where they answer, else by static ones. A confidence goes by static cosines either way, as it was
fitted to them: the same note is as probable an answer with a contextual model as without.
"""

from msgspec import Struct

from quarry.index import DenseQuery, Reader
from quarry.index.vectors.quantize import FloatVector
from quarry.search.contextual_queries import ContextualVector


class MeaningQueries(Struct, frozen=True):
    """One query by meaning, bound to one snapshot; None where there is nothing to compare."""

    ranking: DenseQuery | None  # proposes and ranks
    static: DenseQuery | None  # what a confidence goes by

    @classmethod
    def of(cls, reader: Reader, vector: FloatVector | None, contextual: ContextualVector | None) -> "MeaningQueries":
        """The query whose static vector is *vector*; with a *contextual* one, `contextual_model` must say whose."""
        static = reader.dense_query(vector) if vector is not None else None
        ranking = reader.contextual_query(contextual.vector, static) if contextual else None
        return cls(ranking or static, static)

    @property
    def is_contextual(self) -> bool:
        """Whether other vectors rank than those that a confidence goes by."""
        return self.ranking is not self.static


NO_QUERIES = MeaningQueries(None, None)
