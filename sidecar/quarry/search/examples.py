"""
Example queries for a vault, made from its own words: headings that are questions, and templates with names.

A template is filled with the name of a note or of a section. Each query has been asked: the note that it was made from
came first, and is a likely answer.
"""

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from quarry.errors import BadRequest, DeadlineExceeded
from quarry.index import NoteSummary, Reader
from quarry.lazy_pattern import lazy_pattern
from quarry.query.questions import asks_for_steps, has_question_mark
from quarry.search.answer import Answer
from quarry.types import Note

TOPIC = "{topic}"  # the place of the name in a template
NEWEST = 400  # notes to choose among: what was written long ago is seldom what one wants to try
NOTES_READ = 40  # for their headings
MAX_SEARCHES = 25
MIN_CONFIDENCE = 0.5  # better than even odds
RECENCY = 0.5  # how much the rank by age counts, beside the chance (of 1) by which notes are chosen
MAX_TOPIC = 48  # characters; a longer name is no row of a sidebar
MAX_QUESTION = 80

_NAMELESS = frozenset({"index", "readme", "home", "untitled", "inbox", "todo", "moc"})
_TEMPLATE_FOLDER = lazy_pattern(r"(?i)[\W_]*(?:templates?|vorlagen?|模板|テンプレート)[\W_]*")
_SPECIAL = lazy_pattern(r'["/:()\[\]{}#*_`<>|\\=~]|(?:^|\s)-|\bOR\b')  # operators of queries, and signs of Markdown
_WITHOUT_SPACES = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff]")  # between the words of a sentence
# A title that says what to do. Verbs of the second line are nouns as well ("Patch notes"), unless an article follows.
_TASK = lazy_pattern(
    r"(?:Adjust|Avoid|Calibrate|Choose|Configure|Convert|Create|Install|Make|Migrate|Prepare|Remove|Replace|Restore|Rotate"
    r"|(?:Build|Change|Clean|Descale|Find|Fix|Open|Patch|Repair|Set|Stop|Test|Tune|Use|Write) (?:a|an|the)) \S.*"
)


class ExampleQuery(Struct, frozen=True):
    """A query, and the path of the note that it was made from, which is its first hit."""

    query: str
    path: str


def check_templates(templates: Sequence[str]) -> None:
    """
    Return if each template has one place for a name.

    Raises:
        BadRequest: One has none, or several.
    """
    for template in templates:
        if template.count(TOPIC) != 1:
            raise BadRequest(f"the template {template!r} must contain {TOPIC} exactly once")


def example_queries(
    newest: Sequence[NoteSummary],
    reader: Reader,
    templates: Sequence[str],
    limit: int,
    ask: Callable[[str], Answer],
) -> tuple[ExampleQuery, ...]:
    """
    Up to *limit* queries, each of a note of its own; fewer where the vault does not give them, or time is up.

    Args:
        newest: The notes to choose among, newest first.
        reader: The index that they are in.
        templates: Questions with `{topic}` in the place of a name.
        limit: How many are wanted.
        ask: Answers a query; `DeadlineExceeded` says that there is no time for another.

    Raises:
        Cancelled: *ask* said so.
    """
    found: list[ExampleQuery] = []
    for candidate in _candidates(_chosen(newest), reader, templates)[:MAX_SEARCHES]:
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


def _candidates(notes: Sequence[NoteSummary], reader: Reader, templates: Sequence[str]) -> list[ExampleQuery]:
    """Queries to try: questions first, then the names of notes, then those of sections; notes take turns."""
    stored = [(summary.path, found.note) for summary in notes if (found := reader.note(summary.path))]
    headings = {path: [text for text in _headings(note) if text != note.title] for path, note in stored}
    uses = Counter(text for texts in headings.values() for text in set(texts))  # many notes have "Next steps"
    asked, named, sections = [], [], []
    for path, note in stored:
        own = [text for text in headings[path] if uses[text] == 1]
        asked += [ExampleQuery(text, path) for text in [*own, note.title] if is_whole_question(text)][:1]
        if is_topic(note.title):
            named.append(ExampleQuery(_asked(templates, note.title), path))
        sections += [ExampleQuery(_asked(templates, text), path) for text in own if is_topic(text)][:1]
    return [*asked, *named, *sections]


def _headings(note: Note) -> Iterator[str]:
    """The headings of a note that have text below them, each once, in order."""
    yield from dict.fromkeys(chunk.heading_path[-1] for chunk in note.chunks if chunk.heading_path)


def _asked(templates: Sequence[str], topic: str) -> str:
    """A query about *topic*: how to do it, where it says what to do."""
    if templates == [TOPIC] and _TASK.fullmatch(topic):
        return f"how to {topic[0].lower()}{topic[1:]}"
    return templates[int(_chance(topic) * len(templates))].replace(TOPIC, topic)


def is_topic(text: str) -> bool:
    """Whether *text* names something in two to five words, so that one can ask about it."""
    if len(text) > MAX_TOPIC or _SPECIAL.search(text):
        return False
    if not all(_is_of_words(character) for character in text):
        return False
    words = text.split()
    return 2 <= len(words) <= 5 or (len(words) == 1 and len(text) >= 3 and _WITHOUT_SPACES.search(text) is not None)


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
