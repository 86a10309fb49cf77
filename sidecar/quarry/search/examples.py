"""
Example questions for a vault, made from its own words.

They are headings that are questions, what is asked of a thing that a note defines, and how to do what a title says.
Each has been asked: the note that it was made from came first, and is a likely answer.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest

from msgspec import Struct

from quarry.analysis.analysis import phrase_terms
from quarry.errors import DeadlineExceeded
from quarry.index import NoteSummary, Reader
from quarry.lazy_pattern import lazy_pattern
from quarry.query.questions import asks_for_steps, has_question_mark
from quarry.search.answer import Answer
from quarry.search.extraction import Definition, quotable_sentences, read_definition
from quarry.types import Note

NEWEST = 400  # notes to choose among: what was written long ago is seldom what one wants to try
NOTES_READ = 120  # for their headings
MAX_SEARCHES = 25
MIN_CONFIDENCE = 0.5  # better than even odds
RECENCY = 0.5  # how much the rank by age counts, beside the chance (of 1) by which notes are chosen
MAX_THING = 48  # characters; a longer name is no row of a sidebar
SENTENCES_READ = 3  # of a section: a definition comes first
MAX_QUESTION = 80

_NAMELESS = frozenset({"index", "readme", "home", "untitled", "inbox", "todo", "moc"})
_TEMPLATE_FOLDER = lazy_pattern(r"(?i)[\W_]*(?:templates?|vorlagen?|模板|テンプレート)[\W_]*")
_SPECIAL = lazy_pattern(r'["/:()\[\]{}#*_`<>|\\=~]|(?:^|\s)-|\bOR\b')  # operators of queries, and signs of Markdown
_FORMS = {
    "en": {"is": "What is {}?", "are": "What are {}?"},
    "de": {"ist": "Was ist {}?", "sind": "Was sind {}?"},
}
_NO_THINGS = frozenset(("this", "these", "there", "it", "what", "who", "which", "dies", "es", "was", "wer"))
_WITHOUT_SPACES = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff]")  # between the words of a sentence
# Verbs with which a title says what to do. Those of the second line are nouns as well ("Patch notes") unless an article
# follows, those of the third ("Use cases") unless they end in -ing.
_TASKS = """
adjust avoid calibrate choose configure convert create enable install make migrate prepare remove replace restore rotate
build change clean descale find fix open patch repair set stop test tune use write
add compress deploy export import run upload use
"""
_VERBS, _IF_ARTICLE, _IF_ING = map(str.split, _TASKS.strip().splitlines())
_ARTICLES = ("a ", "an ", "the ")


class ExampleQuery(Struct, frozen=True):
    """A query, and the path of the note that it was made from, which is its first hit."""

    query: str
    path: str


def example_queries(
    newest: Sequence[NoteSummary],
    reader: Reader,
    language: str,
    limit: int,
    ask: Callable[[str], Answer],
) -> tuple[ExampleQuery, ...]:
    """
    Up to *limit* queries, each of a note of its own; fewer where the vault does not give them, or time is up.

    Args:
        newest: The notes to choose among, newest first.
        reader: The index that they are in.
        language: In which questions are made, `en` or `de`; in others there are headings alone.
        limit: How many are wanted.
        ask: Answers a query; `DeadlineExceeded` says that there is no time for another.

    Raises:
        Cancelled: *ask* said so.
    """
    language = language.lower().partition("-")[0]
    found: list[ExampleQuery] = []
    for candidate in _candidates(_chosen(newest), reader, language)[:MAX_SEARCHES]:
        if len(found) == limit:
            break
        if any(candidate.path == one.path or candidate.query == one.query for one in found):
            continue
        try:
            answer = ask(candidate.query)
        except DeadlineExceeded:
            break
        if "dense" in answer.missing:
            return ()  # without meaning, most questions find nothing: no example is better than one that disappoints
        if _is_answered(candidate, answer):
            found.append(candidate)
    return tuple(found)


def _is_answered(candidate: ExampleQuery, answer: Answer) -> bool:
    is_plain = not (answer.weakness or answer.relaxed or answer.corrections or answer.listed)
    return is_plain and answer.confidence >= MIN_CONFIDENCE and answer.hits[0].path == candidate.path


def _chosen(newest: Sequence[NoteSummary]) -> list[NoteSummary]:
    """The notes to read, in a random but repeatable order that prefers newer ones."""
    usable = [note for note in newest if not _is_template(note.path) and not _is_nameless(note.path)]
    score = {note.path: _chance(note.path) - RECENCY * at / len(usable) for at, note in enumerate(usable)}
    return sorted(usable, key=lambda note: (-score[note.path], note.path))[:NOTES_READ]


def _candidates(notes: Sequence[NoteSummary], reader: Reader, language: str) -> list[ExampleQuery]:
    """Queries to try: headings that are questions, what notes define, and how to do what they teach, in turn."""
    stored = [(summary.path, found.note) for summary in notes if (found := reader.note(summary.path))]
    headings = {path: [text for text in _headings(note) if text != note.title] for path, note in stored}
    uses = Counter(text for texts in headings.values() for text in set(texts))  # many notes have "Next steps"
    asked, defined, taught = [], [], []
    for path, note in stored:
        names = [*[text for text in headings[path] if uses[text] == 1], note.title]
        asked += [ExampleQuery(text, path) for text in names if is_whole_question(text)][:1]
        defined += [ExampleQuery(text, path) for text in islice(_definitions(note, names, language), 1)]
        tasks = filter(None, [question_of_task(text, language) for text in names])
        taught += [ExampleQuery(text, path) for text in islice(tasks, 1)]
    return [one for turn in zip_longest(asked, defined, taught) for one in turn if one is not None]


def _definitions(note: Note, names: Sequence[str], language: str) -> Iterator[str]:
    """Questions that the note answers in the first sentences of a section, on what its title or heading names."""
    named = {phrase_terms(name) for name in names}
    for chunk in note.chunks:
        for span in islice(quotable_sentences(chunk.text), SENTENCES_READ):
            found = read_definition(chunk.text[span.start : span.end])
            if found is None or phrase_terms(found.subject) not in named:
                continue
            if (form := _FORMS.get(language, {}).get(found.verb)) and is_thing(found.subject):
                yield form.format(f"{found.article} {_as_within_a_sentence(found, chunk.text)}".strip())


def _as_within_a_sentence(found: Definition, text: str) -> str:
    """The subject of a definition, in small letters unless *text* has it only as a name."""
    subject = found.subject
    small = subject[0].lower() + subject[1:]
    is_small = small.islower() and (" " in small or re.search(rf"\b{re.escape(small)}\b", text) is not None)
    return small if is_small and not found.article else subject


def _headings(note: Note) -> Iterator[str]:
    """The headings of a note that have text below them, each once, in order."""
    yield from dict.fromkeys(chunk.heading_path[-1] for chunk in note.chunks if chunk.heading_path)


def question_of_task(name: str, language: str) -> str | None:
    """How to do what *name* says to do; None where it names something else."""
    first, _, others = name.partition(" ")
    word, is_ing = first.lower(), first.lower().endswith("ing")
    forms = (word[:-3], f"{word[:-3]}e", word[:-4]) if is_ing else (word,)  # installing, using, running
    known = [*_VERBS, *(_IF_ING if is_ing else ()), *(_IF_ARTICLE if others.startswith(_ARTICLES) else ())]
    verb = next((form for form in forms if form in known), None)
    in_capitals = sum(map(str.istitle, others.split())) > max(1, sum(map(str.islower, others.split())))  # a headline
    if language != "en" or verb is None or not others or in_capitals or _SPECIAL.search(name):
        return None
    question = f"How do I {verb} {others}?"
    return question if len(question) <= MAX_QUESTION else None


def is_thing(text: str) -> bool:
    """Whether *text* names something in one to four words, so that one can ask what it is."""
    is_plain = len(text) <= MAX_THING and not _SPECIAL.search(text) and text.split()[0].casefold() not in _NO_THINGS
    return is_plain and len(text.split()) <= 4 and all(map(_is_of_words, text))


def is_whole_question(text: str) -> bool:
    """Whether *text* is a whole question, or shaped like one ("How to make glue"), which can be asked unchanged."""
    if not (has_question_mark(text) or asks_for_steps(text)):
        return False
    if len(text) > MAX_QUESTION or _SPECIAL.search(text):
        return False
    if not text.isprintable() or not any(character.isalpha() for character in text):
        return False
    return len(text.split()) >= 3 or (len(text) >= 5 and _WITHOUT_SPACES.search(text) is not None)


def _is_of_words(character: str) -> bool:
    """Whether *character* is a letter, a mark on one, or a sign between the letters or words of a name."""
    return character in " -'’" or unicodedata.category(character)[0] in "LM"


def _is_template(path: str) -> bool:
    return any(_TEMPLATE_FOLDER.fullmatch(folder) for folder in path.split("/")[:-1])


def _is_nameless(path: str) -> bool:
    """Whether the file name says what the note is for, not what it is about."""
    return path.rpartition("/")[2].removesuffix(".md").casefold() in _NAMELESS


def _chance(text: str) -> float:
    """A number from 0 to 1 (exclusive) that only *text* decides."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).digest()) / 2**48
