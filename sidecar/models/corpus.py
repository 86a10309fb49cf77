"""Turns the training texts into what the model learns from: passages, and short texts that stand for queries."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SEED = 7
MAX_PER_PAGE = 150  # change logs, generated pages and articles of 800 passages would each weigh as much as a book
MIN_PASSAGE_CHARS = 80
SENTENCES_PER_PASSAGE = 2
SENTENCE_CHARS = range(25, 220)
SUBJECT_WORDS = range(1, 9)
PHRASE_WORDS = range(2, 7)
QUESTIONS = (
    "What is {}?", "What are {}?", "what does {} mean", "How does {} work?", "How do I use {}?", "how to {}",
    "Why is {} important?", "What was the role of {}?", "Who was {}?", "Where is {}?", "When did {} happen?",
    "Which {} should I choose?", "How can I find out about {}?", "Can you explain {}?", "notes about {}",
    "How many {} were there?", "what causes {}", "Is there a way to {}?", "examples of {}", "tips for {}",
)  # fmt: skip
_COMMON = """
a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its may
more most no not of on one only or other our out she should so some such than that the their them then there these they
this those to under up upon was we were what when where which while who will with would you your
"""
STOP_WORDS = frozenset(_COMMON.split())

_WORD = re.compile(r"[^\W_][\w'.+#-]*[^\W_]|[^\W_]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"'(]?[A-Z])")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of one page, at most some 900 characters, and the headings above it."""

    source: str
    title: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A short text, and the passage that it leads to: a number into the list of passages."""

    text: str
    passage: int


def read_passages(path: Path) -> list[Passage]:
    """
    Read one passage a line of JSON (`src`, `title`, `heading`, `text`), without the repeated and the tiny ones.

    Raises:
        KeyError, ValueError: A line is not such an object.
    """
    with path.open(encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        return list(distinct(Passage(row["src"], row["title"], row["heading"], row["text"]) for row in rows))


def distinct(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Leave out texts that were there before, tiny ones, and all but the first MAX_PER_PAGE of a page."""
    seen: set[str] = set()
    of_page: Counter[tuple[str, str]] = Counter()
    for passage in passages:
        page = (passage.source, passage.title)
        if len(passage.text) < MIN_PASSAGE_CHARS or passage.text in seen or of_page[page] >= MAX_PER_PAGE:
            continue
        seen.add(passage.text)
        of_page[page] += 1
        yield passage


def heading_queries(passages: Iterable[Passage]) -> list[Query]:
    """Of every passage its heading, under its title where they differ."""
    return [Query(_headline(passage), number) for number, passage in enumerate(passages)]


def sentence_queries(passages: Iterable[Passage]) -> list[Query]:
    """Of every passage a few of its sentences, drawn at random but the same in every run."""
    chance = random.Random(SEED)
    queries = []
    for number, passage in enumerate(passages):
        sentences = [part for part in _SENTENCE_END.split(passage.text) if len(part) in SENTENCE_CHARS]
        drawn = chance.sample(sentences, min(SENTENCES_PER_PASSAGE, len(sentences)))
        queries += [Query(sentence, number) for sentence in drawn]
    return queries


def question_queries(passages: Sequence[Passage]) -> list[Query]:
    """
    Of every different heading a question about it, and of the passages the questions that are in them.

    Headings and sentences are statements: without these the words that people ask with would count like any other.
    """
    chance = random.Random(SEED)
    first = {_subject(passage): number for number, passage in reversed(list(enumerate(passages)))}
    asked = [
        Query(chance.choice(QUESTIONS).format(subject), number)
        for subject, number in sorted(first.items())
        if len(subject.split()) in SUBJECT_WORDS
    ]
    found = [
        Query(part, number)
        for number, passage in enumerate(passages)
        for part in _SENTENCE_END.split(passage.text)
        if part.endswith("?") and len(part) in SENTENCE_CHARS
    ]
    return asked + found


def phrase_queries(passages: Sequence[Passage]) -> list[Query]:
    """Of every passage a run of a few words, without the commonest: what people type who do not write sentences."""
    chance = random.Random(SEED)
    queries = []
    for number, passage in enumerate(passages):
        words = [word for word in _WORD.findall(passage.text) if word.lower() not in STOP_WORDS]
        length = chance.choice(PHRASE_WORDS)
        if len(words) >= 2 * length:
            start = chance.randrange(len(words) - length + 1)
            queries.append(Query(" ".join(words[start : start + length]).lower(), number))
    return queries


def _subject(passage: Passage) -> str:
    return (passage.heading or passage.title).rstrip("?.: ")


def _headline(passage: Passage) -> str:
    return passage.title if passage.title == passage.heading else f"{passage.title}: {passage.heading}"
