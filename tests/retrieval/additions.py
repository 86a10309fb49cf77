"""
What would further signals add to the default ranking? `python tests/retrieval/additions.py DIR...`.

Each DIR is a collection. Its queries are asked once; then the notes of each answer are ordered again with a signal
added to their score, and nDCG@10 is compared. The signals are those of published systems:

    age         .5 to the power of its years, counted to the newest note of the vault
    age if asked the same, where the query has a word for time
    authority   notes that link to it, logarithmic, relative to the most linked-to one
    authority if browsing   the same, for queries of one or two words
    tags        share of the query's words that are its tags
    domain      whether the property `domain` is a word of the query
    severity    1 for critical, .7 for a warning, .4 for a suggestion
    meaning of identifiers, questions   for queries of that kind, meaning counts so many times as much
"""

import argparse
import math
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ranked import rank

from quarry.analysis.analysis import phrase_terms
from quarry.documents.note import ParserSettings, read_note
from quarry.embedding import load_encoder
from quarry.engine import Engine
from quarry.evaluation.collections import Collection, JudgedQuery, find_collections, read_collection
from quarry.evaluation.corpus import prepare
from quarry.evaluation.results import markdown_table, randomisation
from quarry.evaluation.runner import DEPTH, MAIN, SYSTEMS, indexed, measure
from quarry.index import Reader
from quarry.index.filters.properties import moment_ms
from quarry.search.ranking import SignalRanking
from quarry.search.signals import SCORE_DIGITS, Numbers
from quarry.search.six_signals import MS_PER_DAY, SEVERITIES, recency
from quarry.vault.paths import nfc

WEIGHTS = (0.01, 0.02, 0.03, 0.05, 0.1)
FACTORS = (0.5, 1.25, 1.5)  # of meaning
CHANGED = ("updated", "modified", "created", "date")

_TIME = re.compile(
    r"\b(latest|newest|recent(ly)?|new|current(ly)?|now|today|yesterday|last|this|20\d\d)\b", re.IGNORECASE
)
_IDENTIFIER = re.compile(r"[A-Za-z]\w*[_./:-]\w+|[a-z][A-Z]|\w\d|--\w|\(\)")
_QUESTION = re.compile(r"^(who|what|when|where|why|how|which|can|does|do|is|are|should)\b|\?$", re.IGNORECASE)
BROWSING = 2  # words at most


@dataclass(frozen=True, slots=True)
class Facts:
    """What the signals know of a note."""

    age_days: float  # before the newest note; infinite where it does not say
    links: float  # that lead to it, 0 to 1
    tags: frozenset[str]  # their terms
    domain: frozenset[str]
    severity: float


@dataclass(frozen=True, slots=True)
class Recorded:
    """A query, and what the default found for it, best first."""

    query: JudgedQuery
    terms: frozenset[str]
    scores: Numbers
    meaning: Numbers  # the share of meaning in these
    notes: tuple[str, ...]  # ids
    facts: tuple[Facts, ...]


Signal = Callable[[Recorded], Numbers]


def added(weight: float, signal: Callable[[Recorded, Facts], float]) -> Signal:
    """The scores with a weighted signal of each note added."""
    return lambda of: of.scores + weight * np.array([signal(of, facts) for facts in of.facts])


def scaled(factor: float, is_meant: Callable[[str], object]) -> Signal:
    """The scores with meaning counting *factor* times as much, for the queries that are meant."""
    return lambda of: of.scores + (factor - 1) * of.meaning if is_meant(of.query.text) else of.scores


def where(is_meant: Callable[[str], object], signal: Callable[[Recorded, Facts], float]) -> Callable[..., float]:
    """The signal for the queries that are meant, and 0 for others."""
    return lambda of, facts: signal(of, facts) if is_meant(of.query.text) else 0.0


def is_browsing(text: str) -> bool:
    """Whether a query is a word or two."""
    return len(text.split()) <= BROWSING


SIGNALS: Mapping[str, Callable[[Recorded, Facts], float]] = {
    "age": lambda _, facts: recency(facts.age_days) if math.isfinite(facts.age_days) else 0.0,
    "authority": lambda _, facts: facts.links,
    "tags": lambda of, facts: len(of.terms & facts.tags) / max(1, len(of.terms)),
    "domain": lambda of, facts: float(bool(facts.domain) and facts.domain <= of.terms),
    "severity": lambda _, facts: facts.severity,
}
VARIANTS: Mapping[str, Signal] = {
    **{
        f"{name} {weight}": added(weight, signal)
        for name, signal in {
            **SIGNALS,
            "age if asked": where(_TIME.search, SIGNALS["age"]),
            "authority if browsing": where(is_browsing, SIGNALS["authority"]),
        }.items()
        for weight in WEIGHTS
    },
    **{
        f"meaning of {name} x {factor}": scaled(factor, is_meant)
        for name, is_meant in (("identifiers", _IDENTIFIER.search), ("questions", _QUESTION.search))
        for factor in FACTORS
    },
}


def reordered(of: Recorded, scores: Numbers) -> tuple[str, ...]:
    """The notes by *scores*; those that score alike stay in their order."""
    return tuple(of.notes[at] for at in np.argsort(-scores.round(SCORE_DIGITS), kind="stable"))


# --- recording -----------------------------------------------------------------------------------


def record(collection: Collection, folder: Path) -> list[Recorded]:
    """Ask the queries of *collection* by the default; those that rank nothing are left out."""
    corpus, encoder = prepare(collection, folder), load_encoder()
    recorded = []
    with indexed(corpus.vault, corpus.index_path) as engine, engine.reader() as reader:
        facts = facts_of(engine, reader)
        for query in collection.queries:
            found = rank(SYSTEMS["default"].request(query.text, DEPTH), reader, encoder)
            if found is None or not isinstance(ranking := found[0].ranking, SignalRanking):
                continue
            best = ranking.order[:DEPTH]
            paths = [name.path for name in reader.note_names(ranking.features.note_ids[best].tolist())]
            terms = frozenset(term for word in query.text.split() for term in phrase_terms(word))
            meaning = ranking.features.signals.meaning[best] * ranking.weights["meaning"]
            notes = tuple(nfc(path) if corpus.ids is None else corpus.ids[nfc(path)] for path in paths)
            known = tuple(facts[path] for path in paths)
            recorded.append(Recorded(query, terms, ranking.scores[best], meaning, notes, known))
    return recorded


def facts_of(engine: Engine, reader: Reader) -> dict[str, Facts]:
    """Path -> what the signals know of the note."""
    notes = {path: read_note(path, (engine.root / path).read_bytes(), ParserSettings()) for path in reader.stamps()}
    links = Counter(to for path in notes for to in {link.path for link in reader.links_from(path)} if to and to != path)
    most = math.log1p(max(links.values(), default=1))
    changed = {}
    for path, note in notes.items():
        named = {name.lower(): value for name, value in note.properties.items()}
        changed[path] = next((found for name in CHANGED if (found := moment_ms(named.get(name))) is not None), None)
    newest = max((one for one in changed.values() if one is not None), default=0)
    return {
        path: Facts(
            age_days=math.inf if (one := changed[path]) is None else (newest - one) / MS_PER_DAY,
            links=math.log1p(links[path]) / most,
            tags=frozenset(term for tag in note.tags for term in phrase_terms(tag)),
            domain=frozenset(phrase_terms(str(note.properties.get("domain", "")))),
            severity=SEVERITIES.get(str(note.properties.get("severity", "")).lower(), 0.0),
        )
        for path, note in notes.items()
    }


# --- comparing -----------------------------------------------------------------------------------


def compare(recorded: Sequence[Recorded]) -> dict[str, tuple[float, float]]:
    """Variant -> nDCG@10, and the p of its difference from `default`, the order as it was."""
    queries = [of.query for of in recorded]

    def ndcg(signal: Signal) -> Numbers:
        values = measure(queries, {of.query.id: reordered(of, signal(of)) for of in recorded})
        return np.array([values[query.id][MAIN] for query in queries])

    before = ndcg(lambda of: of.scores)
    found = {"default": (float(before.mean()), 1.0)}
    for name, signal in VARIANTS.items():
        after = ndcg(signal)
        found[name] = float(after.mean()), randomisation(after - before)
    return found


def main() -> int:
    """Measure the collections that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="+", type=Path, metavar="DIR")
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory(prefix="quarry-additions-") as temporary:
        for folder in (one for place in options.places for one in find_collections(place)):
            found[folder.name] = compare(record(read_collection(folder), Path(temporary)))
    rows = [
        [
            variant,
            *(
                f"{of[variant][0]:.4f}"
                if variant == "default"
                else f"{of[variant][0] - of['default'][0]:+.4f} (p {of[variant][1]:.3f})"
                for of in found.values()
            ),
        ]
        for variant in ("default", *VARIANTS)
    ]
    print(markdown_table([MAIN, *found], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
