"""Records how the default ranks the judged queries of a collection, with the signals of every note that it ranks."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from quarry.embedding import load_encoder
from quarry.engine import Engine
from quarry.errors import BadQuery
from quarry.evaluation.collections import Collection, JudgedQuery
from quarry.evaluation.corpus import Corpus, prepare
from quarry.evaluation.runner import SYSTEMS, indexed
from quarry.index import Deadline, Reader
from quarry.search import SearchExecution
from quarry.search.pipeline import RankedResult, parse_request, run_with_relaxation
from quarry.search.ranking import SignalRanking
from quarry.vault.paths import nfc

DEPTH = 100
NOW = datetime(2026, 3, 1)  # noqa: DTZ001 - what `last week` is counted from
_EQUAL = {"keyword": 1.0, "dense": 1.0}


class RankedQuery(NamedTuple):
    """A query, and what the default found for it."""

    query: JudgedQuery
    ranking: SignalRanking
    paths: tuple[str, ...]  # of the first `DEPTH` notes, best first
    notes: tuple[str, ...]  # their ids in the collection


class Session(NamedTuple):
    """A collection that is indexed."""

    collection: Collection
    corpus: Corpus
    engine: Engine
    reader: Reader

    def ranked(self) -> Iterator[RankedQuery]:
        """Ask each query; those that rank nothing are left out."""
        encoder = load_encoder()
        for query in self.collection.queries:
            request = SYSTEMS["default"].request(query.text, DEPTH)
            deadline = Deadline.after(60)
            execution = SearchExecution(self.reader, encoder, ("keyword", "dense"), {}, _EQUAL, deadline, NOW)
            try:
                result = run_with_relaxation(parse_request(request, execution), request, execution)
            except BadQuery:
                continue
            if isinstance(result, RankedResult) and isinstance(result.ranking, SignalRanking):
                ranking = result.ranking
                note_ids = ranking.features.note_ids[ranking.order[:DEPTH]]
                paths = tuple(name.path for name in self.reader.note_names(note_ids.tolist()))
                yield RankedQuery(query, ranking, paths, tuple(map(self._id_of, paths)))

    def _id_of(self, path: str) -> str:
        ids = self.corpus.ids
        return nfc(path) if ids is None else ids[nfc(path)]


@contextmanager
def session(collection: Collection, folder: Path) -> Iterator[Session]:
    """Index *collection* below *folder*."""
    corpus = prepare(collection, folder)
    with indexed(corpus.vault, corpus.index_path) as engine, engine.reader() as reader:
        yield Session(collection, corpus, engine, reader)
