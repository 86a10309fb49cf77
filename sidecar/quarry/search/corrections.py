"""
Correction of typing errors in a query.

A word that no note contains and that is not a known word is taken for a typing error: the nearest word of the vault is
searched for instead, and the answer says so. Beside words that notes contain it must be nearer, as these answer without
it. A query in a language of no note is left alone: its words would be replaced by any that look alike.

What may be a word that is merely unknown (`router`, `repairable`, `Brot`) is only corrected where the correction is in
a note with other words of the query: `belows leak`. So is a word of hardly any note, which is searched for
as well: other notes may be mistyped in the same way.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from rapidfuzz.distance import OSA

from quarry.analysis.analysis import locate_terms, ranking_terms
from quarry.analysis.languages import ENGLISH, UNSTEMMED, hinted_languages
from quarry.analysis.normalize import fold, language_of_term, stem, untagged
from quarry.embedding import is_known_word, is_spelled_like_words
from quarry.index import Reader
from quarry.search.answer import Correction
from quarry.search.execution import SearchExecution
from quarry.types import Query

Known = Callable[[str], bool]

MIN_CORRECTED_LENGTH = 4  # letters; of a shorter word half the vocabulary is one slip away
MIN_PART = 4  # letters of each word in a compound; of two shorter ones many words seem to be put together
MAX_COMPOUND = 80  # letters; each place in it is tried, and no dictionary has so long a word
COMPOUNDING = frozenset({"de", "nl", "sv", "da", "no", "fi"})  # languages whose compounds are written as one word
LONG = 8  # letters of a word in which two slips are believed
LONG_AMONG_OTHERS = 10  # and beside words that were found, which may be all that the notes have of the query
SHORT_AMONG_OTHERS = 6  # letters; a shorter word with another letter in it is mostly another word: goat, goal
STEMS_COMPARED = 5  # of the nearest
PASSAGES_READ = 50  # for the forms of each
MAX_CORRECTIONS = 8  # a query with more unknown words is in another language
RARE = 2  # passages with a word; that many may be mistyped in the same way
TIMES_COMMONER = 5  # than the rare word that is taken for it

_INFLECTIONS = ("", "s", "es", "ed", "d", "ing")
_SUFFIXES = (
    *(
        "s",
        "es",
        "ed",
        "d",
        "er",
        "r",
        "ers",
        "or",
        "ors",
        "est",
        "ing",
        "ings",
        "ly",
        "ness",
        "less",
        "ful",
        "en",
        "y",
    ),
    *("able", "ably", "ion", "ions", "ation", "ism", "ist", "ists", "ize", "ized", "ment", "ments", "al", "ous"),
)
_PREFIXES = ("un", "re", "non", "pre", "dis", "mis", "over", "under", "out", "sub")


def correct_words(
    query: Query, absent: Sequence[str], rare: Sequence[str], execution: SearchExecution
) -> tuple[list[str], tuple[Correction, ...]]:
    """
    The words to search for, and the corrections among them.

    Args:
        absent: Words of the query that no note contains; a correction replaces them.
        rare: Words in hardly any note; a correction is searched for beside them.
    """
    reader = execution.reader
    encoder = execution.encoder

    def known(word: str) -> bool:
        return is_known_word(word) or (encoder is not None and encoder.is_word(word))

    hinted = hinted_languages(query.text)
    if _is_foreign(hinted, reader):
        return [*query.words], ()
    others = [term for word in query.words if word not in absent for term in ranking_terms(word, reader.languages)]
    meant: dict[str, str] = {}
    nearest: dict[str, str | None] = {}
    for word in absent[:MAX_CORRECTIONS]:
        execution.deadline.check()  # each costs a look through the vocabulary
        if parts := _compound_parts(word, execution):
            meant[word] = parts
        elif len(word) >= MIN_CORRECTED_LENGTH and word.isalpha() and not known(word):
            nearest[word] = _nearest_word(word, others, known, hinted, execution)
    for word in [word for word, near in nearest.items() if near is None and any(nearest.values())]:
        beside_these = [
            *others,
            *[term for near in nearest.values() if near for term in ranking_terms(near, reader.languages)],
        ]
        nearest[word] = _nearest_word(word, beside_these, known, hinted, execution)
    # Where no note has any of the words, and one of them is near nothing, the query is likely in another language.
    if others or None not in nearest.values():
        meant |= {word: near for word, near in nearest.items() if near}
    beside = {word: near for word in rare if (near := _commoner_word(word, query, known, execution))}
    corrections = tuple(
        [
            Correction(word, (meant | beside)[word], is_beside=word in beside)
            for word in query.words
            if word in meant or word in beside
        ]
    )
    return [*[meant.get(word, word) for word in query.words], *beside.values()], corrections


def _compound_parts(word: str, execution: SearchExecution) -> str | None:
    """
    The two words that the absent *word* is compounded of, `dach rinnen`; None where it is not.

    Notes in one language that writes compounds as one word contain both. Letters between them (`arbeits`, `sonnen`) are
    endings of the first, which its stem lacks.
    """
    if len(word) > MAX_COMPOUND or not word.isalpha():
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


def _is_foreign(hinted: frozenset[str], reader: Reader) -> bool:
    """Whether a text in one of the *hinted* languages is in one that no note is in."""
    languages = {ENGLISH, *reader.languages}
    return bool(hinted) and UNSTEMMED not in languages and languages.isdisjoint(hinted)


def _is_derived(word: str, known: Known) -> bool:
    """Whether *word* is made of known ones: `repairable`, `unequal`, `shipping`, `fingernail`."""
    for suffix in _SUFFIXES:
        base = word.removesuffix(suffix)
        if (
            base != word
            and not word.endswith("ss")
            and len(base) >= MIN_PART
            and (known(base) or known(base + "e") or _is_doubled(base, known))
        ):
            return True
    rests = [word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)]
    splits = [(word[:at], word[at:]) for at in range(MIN_PART, len(word) - MIN_PART + 1)]
    return any(len(rest) >= MIN_PART and known(rest) for rest in rests) or any(known(a) and known(b) for a, b in splits)


def _is_doubled(base: str, known: Known) -> bool:
    return base[-1] == base[-2] and len(base) > MIN_PART and known(base[:-1])


def _nearest_word(
    word: str, others: Sequence[str], known: Known, hinted: frozenset[str], execution: SearchExecution
) -> str | None:
    """
    The word of the vault that the absent *word* was meant to be; None where none is plausible.

    Args:
        others: Terms of the other words of the query that notes contain; a correction in a note with them goes before
            one that is not.
        hinted: Languages that the query may be in.

    Of equally near ones the longer: a letter is left out more often than one is added (Pollock and Zamora, Collection
    and Characterization of Spelling Errors in Scientific and Scholarly Text, 1983).
    """
    reader = execution.reader
    found = reader.keywords.similar_terms(fold(word), STEMS_COMPARED)
    nearest = {term: count for term, count in found if not hinted or language_of_term(term) in hinted}
    if not nearest:
        return None
    allowed = 2 if len(word) >= (LONG_AMONG_OTHERS if others else LONG) else 1
    is_short = bool(others) and len(word) < SHORT_AMONG_OTHERS
    first = next(iter(nearest))
    # In languages of many endings the stem is safer than the forms that the notes happen to have.
    if (language := language_of_term(first)) != ENGLISH or not word.isascii():
        bare, typed = untagged(first), untagged(stem(word, language))
        slips = min(OSA.distance(word, bare), OSA.distance(typed, bare))
        is_other = is_short and (len(typed) == len(bare) or typed[0] != bare[0])
        return None if slips > allowed or is_other else next(iter(_forms(first, reader, 1)), bare)
    is_derived = _is_derived(word, known)
    is_like_words = is_spelled_like_words(word)
    chosen: list[tuple[int, bool, bool, int, int, int, str]] = []
    for term, count in nearest.items():
        if language_of_term(term) != ENGLISH:
            continue
        form = _as_spelled(term, word, reader)
        slips, replaced = _slips(word, form)
        together = bool(others) and reader.keywords.count_together(term, others, deadline=execution.deadline) > 0
        is_doubtful = is_derived or (is_like_words and (replaced or slips > 1)) or (slips > 1 and form[0] != word[0])
        if is_short:
            is_doubtful |= replaced or form[0] != word[0]
        if slips <= allowed and (not is_doubtful or (together and form[0] == word[0])):
            chosen.append((slips, not together, replaced, int(OSA.distance(word, form)), -len(form), -count, form))
    return min(chosen)[-1] if chosen else None


def _commoner_word(word: str, query: Query, known: Known, execution: SearchExecution) -> str | None:
    """The word that the rare *word* was meant to be: in a note with the others, which *word* is not."""
    reader, deadline = execution.reader, execution.deadline
    terms = {each: ranking_terms(each, reader.languages) for each in query.words}
    others = [term for each in query.words if each != word for term in terms[each]]
    keywords = reader.keywords
    if (
        len(word) < SHORT_AMONG_OTHERS
        or not (word.isalpha() and word.isascii())
        or known(word)
        or _is_derived(word, known)
        or any(keywords.count_together(term, others, deadline=deadline) for term in terms[word])
    ):
        return None
    for term, count in keywords.similar_terms(fold(word), STEMS_COMPARED, deadline=deadline):
        if language_of_term(term) != ENGLISH or term in terms[word] or count < RARE * TIMES_COMMONER:
            continue
        form = _as_spelled(term, word, reader)
        is_near = _slips(word, form)[0] == 1 and form[0] == word[0]
        if is_near and keywords.count_together(term, others, deadline=deadline):
            return form
    return None


def _slips(word: str, form: str) -> tuple[int, bool]:
    """How many slips *word* is from *form* in one of its inflections, and whether letters were merely replaced."""
    bases = {form, *[form.removesuffix(ending) for ending in _INFLECTIONS if ending]}
    written = [base + ending for base in bases for ending in _INFLECTIONS if len(base) >= MIN_PART - 1]
    nearest = min(written, key=lambda each: (OSA.distance(word, each), each != form, each), default=form)
    is_replaced = len(nearest) == len(word) and sorted(nearest) != sorted(word)
    return int(OSA.distance(word, nearest)), is_replaced


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
        text = f"{chunk.text} {chunk.chunk.section} {chunk.title}"
        for found in locate_terms(text, language_of_term(term)):
            if found.text == term:
                forms[text[found.start : found.end].lower()] += 1
    return forms


def with_corrections(text: str, corrections: Sequence[Correction]) -> str:
    """*text* with the *corrections* applied: what the model embeds."""
    meant = {correction.typed.lower(): correction.used for correction in corrections}
    return " ".join(meant.get(word.lower(), word) for word in text.split())
