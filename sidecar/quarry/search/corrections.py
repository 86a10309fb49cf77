"""
Correction of typing errors in a query.

A word that no note contains and that is not a known word is taken for a typing error: the nearest word of the vault is
searched for instead, and the answer says so. Beside words that notes contain it must be nearer, as these answer without
it. A query in a language of no note is left alone: its words would be replaced by any that look alike.
"""

from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from quarry.analysis.analysis import locate_terms
from quarry.analysis.languages import ENGLISH, UNSTEMMED, hinted_languages
from quarry.analysis.normalize import fold, language_of_term, stem, untagged
from quarry.embedding import Encoder, is_known_word
from quarry.index import Reader
from quarry.search.answer import Correction
from quarry.search.execution import SearchExecution
from quarry.types import Query

MIN_CORRECTED_LENGTH = 4  # letters; of a shorter word half the vocabulary is one slip away
MIN_PART = 4  # letters of each word in a compound; of two shorter ones many words seem to be put together
COMPOUNDING = frozenset({"de", "nl", "sv", "da", "no", "fi"})  # languages whose compounds are written as one word
STEMS_COMPARED = 4  # of the nearest
PASSAGES_READ = 20  # for the forms of each
MAX_CORRECTIONS = 8  # a query with more unknown words is in another language


def correct_words(
    query: Query, absent: Sequence[str], execution: SearchExecution
) -> tuple[list[str], tuple[Correction, ...]]:
    """The words to search for, and the corrections among them; only *absent* ones are corrected."""
    reader = execution.reader
    meant: dict[str, str] = {}
    mistyped: list[str] = []
    for word in [] if _is_foreign(query.text, reader) else absent[:MAX_CORRECTIONS]:
        execution.deadline.check()  # each costs a look through the vocabulary
        if parts := _compound_parts(word, execution):
            meant[word] = parts
        elif _may_be_mistyped(word, execution.encoder):
            mistyped.append(word)
    among_others = len(absent) < len(query.words)
    nearest = {word: _nearest_word(word, reader, among_others=among_others) for word in mistyped}
    # Where no note has any of the words, and one of them is near nothing, the query is likely in another language.
    if among_others or None not in nearest.values():
        meant |= {word: near for word, near in nearest.items() if near}
    corrections = tuple([Correction(word, meant[word]) for word in query.words if word in meant])
    return [meant.get(word, word) for word in query.words], corrections


def _compound_parts(word: str, execution: SearchExecution) -> str | None:
    """
    The two words that the absent *word* is compounded of, `dach rinnen`; None where it is not.

    Notes in one language that writes compounds as one word contain both. Letters between them (`arbeits`, `sonnen`) are
    endings of the first, which its stem lacks.
    """
    if not word.isalpha():
        return None
    keywords = execution.reader.keywords
    splits = [(word[:at], word[at:]) for at in range(MIN_PART, len(word) - MIN_PART + 1)]
    stems_of = {
        (language, split): [stem(part, language) for part in split]
        for language in execution.reader.languages
        if language in COMPOUNDING
        for split in splits
    }
    terms = [term for stems in stems_of.values() for term in stems]
    counts = keywords.doc_frequencies(terms, deadline=execution.deadline)
    known = [split for (_, split), stems in stems_of.items() if all(counts[term] for term in stems)]
    return " ".join(max(known, key=lambda split: min(map(len, split)))) if known else None


def _is_foreign(text: str, reader: Reader) -> bool:
    """Whether *text* is in a language that no note is in; function words and accented letters show it."""
    languages = {ENGLISH, *reader.languages}
    hinted = hinted_languages(text)
    return bool(hinted) and UNSTEMMED not in languages and languages.isdisjoint(hinted)


def _may_be_mistyped(word: str, encoder: Encoder | None) -> bool:
    """
    Whether *word* is long enough to be corrected, and neither it nor its singular is a known word.

    The vault's model knows words where it is asked for meaning, and otherwise the list that needs no model.
    """
    if len(word) < MIN_CORRECTED_LENGTH or not word.isalpha():
        return False
    is_word = encoder.is_word if encoder else is_known_word
    has_plural = len(word) > MIN_CORRECTED_LENGTH + 1 and word.endswith("s") and not word.endswith("ss")
    return not (is_word(word) or (has_plural and is_word(word[:-1])))


def _nearest_word(word: str, reader: Reader, *, among_others: bool) -> str | None:
    """
    The word of the vault nearest to the absent *word*; None where none is near.

    Of equally near ones the longer: a letter is left out more often than one is added (Pollock and Zamora, Collection
    and Characterization of Spelling Errors in Scientific and Scholarly Text, 1983).
    """
    similar = reader.keywords.similar_terms(fold(word), STEMS_COMPARED, among_others=among_others)
    nearest = [term for term, _ in similar]
    if not nearest:
        return None
    # In languages of many endings the stem is safer than the forms that the notes happen to have.
    if language_of_term(nearest[0]) != ENGLISH or not word.isascii():
        return next(iter(_forms(nearest[0], reader, 1)), untagged(nearest[0]))
    forms = [_as_spelled(term, word, reader) for term in nearest if language_of_term(term) == ENGLISH]
    return min(forms, key=lambda form: (OSA.distance(form, word), -len(form)))  # stems are nearer than words are


def _as_spelled(term: str, word: str, reader: Reader) -> str:
    """
    The form of *term*, a stem, that is nearest to *word* among those that the vault has; of several, the commonest.

    The stem itself where no passage has it. `commun` is the stem of community, communal and communicate.
    """
    forms = _forms(term, reader, PASSAGES_READ)
    return min(forms, key=lambda form: (OSA.distance(form, word), -forms[form], form), default=untagged(term))


def _forms(term: str, reader: Reader, passages: int) -> Counter[str]:
    """How often the first *passages* with *term* have each form of it, in order of appearance."""
    forms: Counter[str] = Counter()
    for chunk in reader.chunks(reader.keywords.chunks_with_term(term, passages)).values():
        for found in locate_terms(chunk.text, language_of_term(term)):
            if found.text == term:
                forms[chunk.text[found.start : found.end].lower()] += 1
    return forms


def with_corrections(text: str, corrections: Sequence[Correction]) -> str:
    """*text* with the *corrections* applied: what the model embeds."""
    meant = {correction.typed.lower(): correction.used for correction in corrections}
    return " ".join(meant.get(word.lower(), word) for word in text.split())
