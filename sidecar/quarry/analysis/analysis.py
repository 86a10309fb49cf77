"""
The terms of a text, and of a query.

All parts share one analysis: the index stores what `analyse` gives, a query asks for what `query_terms` and
`phrase_terms` give, a snippet marks what `locate_terms` finds. A phrase cut from a text between two words is found in
it, because `words` do not depend on the context of a word.

Notes are analysed in their own language, so that in a vault in several languages a typed word may be in the index as
any of its stems. These are its *alternatives*, joined into one string, which the keyword index takes for a term whose
postings are those of each, merged. No document has stems of two languages, so none counts twice. In a vault in English
a term is its only alternative.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import TypeAlias

from msgspec import Struct

from quarry.analysis.compounds import camel_case_parts, is_camel_case, joined_forms, part_terms
from quarry.analysis.languages import ENGLISH, STOP_WORDS
from quarry.analysis.normalize import MAX_TERM_CHARS, english_stem, fold, plain_stem, stem
from quarry.analysis.tokenizer import TOKEN, ascii_words, coarse_tokens, split_token, unspaced_characters

Languages: TypeAlias = tuple[str, ...]
"""The languages of a vault besides English, as `normalize.TAGS` spells them, in their order there."""

SEPARATOR = "\ue001"  # between alternatives; in no term that a text has, as it is no letter


def alternatives(terms_in: Callable[[str], Sequence[str]], languages: Languages) -> tuple[str, ...]:
    """
    The terms of a text in English and in each of *languages*, word by word joined.

    Args:
        terms_in: The terms in one language, as many in each. Those that are not stemmed are the same in all.
    """
    english = terms_in(ENGLISH)
    if not languages:
        return tuple(english)
    every = zip(english, *[terms_in(language) for language in languages], strict=True)
    return tuple([SEPARATOR.join(dict.fromkeys(of_word)) for of_word in every])


def split_alternatives(term: str) -> list[str]:
    """The terms that *term* joins, which may be only itself; English first."""
    return term.split(SEPARATOR)


def phrase_alternatives(terms: Sequence[str]) -> list[tuple[str, ...]]:
    """A phrase of joined terms in each language, and only once where no word of it is stemmed."""
    split = [split_alternatives(term) for term in terms]
    count = max(map(len, split), default=0)
    return [tuple([each[at] if len(each) > 1 else each[0] for each in split]) for at in range(count)]


MAX_CACHED_CHARS = 6_000_000  # of distinct tokens: those of 70 MB of notes; 80 MB of memory until `clear_cache`
_FIELD_END = "\0"  # ends each field of a cached token; no term contains it


class AnalysedText(Struct, frozen=True):
    """The terms of a text, joined by single spaces."""

    words: str  # in the order of the text, for phrases and BM25
    compounds: str  # in no order: joined names, pairs of neighbours in scripts without spaces
    parts: str  # in no order: the parts of words like `getStaleFiles`


class LocatedTerm(Struct, frozen=True):
    """A term and its span `[start, end)`, in code points."""

    text: str
    start: int
    end: int


def analyse(text: str, language: str = ENGLISH) -> AnalysedText:
    """All terms of *text*, which is in *language*, in linear time; 60 MB of notes take about 3.5 s."""
    return _cache.of(language).analyse(text)


def unaccented_terms(text: str, language: str) -> str:
    """The terms that words of *text* have if they are typed without accents, where these differ; spaces between."""
    if language == ENGLISH or text.isascii():
        return ""
    tokens = (token for token in TOKEN.findall(text) if not token.isascii())
    found = (
        plain
        for token in tokens
        for piece in split_token(token)
        if piece.kind == "word" and (plain := plain_stem(piece.text, language)) != stem(piece.text, language)
    )
    return " ".join(found)


def clear_cache() -> None:
    """Free this thread's caches of analysed tokens."""
    _cache.clear()


def locate_terms(text: str, language: str = ENGLISH) -> Iterator[LocatedTerm]:
    """Yield every term of `analyse(text, language).words` with its span: a part of `snake_case`, one sign of 机器."""
    for token in TOKEN.finditer(text):
        yield from _located_terms(token[0], language, token.start())


def locate_part_terms(text: str, language: str = ENGLISH) -> Iterator[LocatedTerm]:
    """Yield every term of `analyse(text, language).parts` with its span: `stale` in `getStaleFiles`."""
    for token in TOKEN.finditer(text):
        for piece in split_token(token[0]):
            if piece.kind == "word":
                offset = token.start() + piece.start
                for start, end in camel_case_parts(piece.text):
                    yield LocatedTerm(stem(piece.text[start:end], language), offset + start, offset + end)


def phrase_terms(phrase: str, languages: Languages = ()) -> tuple[str, ...]:
    """
    The terms that a typed *phrase* requires next to each other; none if it is only punctuation.

    In a vault with *languages* other than English, each is the `alternatives` of a word.
    """
    if not languages:
        return _phrase_terms(phrase, ENGLISH)
    return alternatives(lambda language: _phrase_terms(phrase, language), languages)


def _phrase_terms(phrase: str, language: str) -> tuple[str, ...]:
    if phrase.isascii():  # not split into tokens first, as no sub-token crosses the end of a token
        if language == ENGLISH and "'" not in phrase:
            return tuple(map(english_stem, ascii_words(phrase)))
        return tuple([_contraction_term(word, language) for word in ascii_words(phrase)])
    return tuple([term.text for token in TOKEN.findall(phrase) for term in _located_terms(token, language)])


def text_terms(text: str, languages: Languages = ()) -> tuple[str, ...]:
    """The terms of a long *text* in its order, as `phrase_terms` gives them."""
    return alternatives(lambda language: analyse(text, language).words.split(), languages)


def query_terms(word: str, languages: Languages = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    The terms of one typed *word*: its `words` in order, and its compounds without repeats.

    The parts of `getStaleFiles` are included, as it is a name in a program. Those of `GitHub` are not, as capitals in a
    name do not change what is meant; nor is `python` for `python3`, as other versions are not meant.
    """
    if not languages and _is_plain(word):
        return (english_stem(word),), ()
    return _query_terms(word, languages)


@lru_cache(maxsize=4_096)  # a query asks for the terms of each of its words several times
def _query_terms(word: str, languages: Languages) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if _is_plain(word):  # without looking for compounds: a third of the time
        return alternatives(lambda language: (stem(word, language),), languages), ()
    words = phrase_terms(word, languages)
    has_parts = word[:1].islower() and is_camel_case(word)

    def compounds_in(language: str) -> list[str]:
        asked = analyse(word, language)
        return [*asked.compounds.split(), *(asked.parts.split() if has_parts else ())]

    compounds = dict.fromkeys(alternatives(compounds_in, languages))
    return words, tuple(compound for compound in compounds if compound not in words)


def ranking_terms(word: str, languages: Languages = ()) -> tuple[str, ...]:
    """
    The terms that rank notes for one typed *word*, without repeats.

    Its compounds, then its words; of a run without spaces only the pairs, as single characters discriminate little.
    """
    if not languages and _is_plain(word):
        return (english_stem(word),)
    return _ranking_terms(word, languages)


def _is_plain(word: str) -> bool:
    """Whether *word* is one term without compounds for certain, as most words are."""
    return word.isascii() and word.isalpha() and word.islower()


@lru_cache(maxsize=4_096)
def _ranking_terms(word: str, languages: Languages) -> tuple[str, ...]:
    words, compounds = query_terms(word, languages)
    if _is_plain(word):
        return words
    runs = (
        _run_terms(piece.text)
        for token in TOKEN.findall(word)
        for piece in split_token(token)
        if piece.kind == "unspaced"
    )
    paired = {term for run in runs if len(run) > 1 for term in run}
    return tuple(dict.fromkeys([*compounds, *(term for term in words if term not in paired)]))


def is_unspaced_pair(term: str) -> bool:
    """Whether *term* is two neighbouring characters of a run without spaces, which may belong to two words."""
    if len(term) < 2 or term.isascii() or SEPARATOR in term:  # alternatives are of words with stems
        return False
    return [piece.kind for piece in split_token(term)] == ["unspaced"]


# --- one token ---------------------------------------------------------------------------------


def _located_terms(token: str, language: str, offset: int = 0) -> Iterator[LocatedTerm]:
    for piece in split_token(token):
        start = offset + piece.start
        if piece.kind == "unspaced":
            for character, at in unspaced_characters(piece.text):
                if term := fold(character):
                    yield LocatedTerm(term, start + at, start + at + len(character))
            continue
        is_word = piece.kind == "word"
        term = _contraction_term(piece.text.replace("’", "'"), language) if is_word else fold(piece.text)
        if term:
            yield LocatedTerm(term, start, offset + piece.end)


def _contraction_term(word: str, language: str) -> str:
    head, _, tail = word.partition("'")
    return stem(head + tail if tail in ("t", "T") else head, language)


def _run_terms(run: str) -> list[str]:
    """The terms of a run without spaces: one per character."""
    return [term for character, _ in unspaced_characters(run) if (term := fold(character))]


def _compounds_of(token: str, language: str) -> str:
    found = joined_forms(token, language)
    if not token.isascii():
        for piece in split_token(token):
            if piece.kind == "unspaced":
                run = _run_terms(piece.text)
                found += map(str.__add__, run, run[1:])
            elif piece.kind == "korean":
                word = fold(piece.text)
                found += (word[at : at + 2] for at in range(len(word) - 1) if len(word) > 2)
    return " ".join(found)


def _pack(words: str, compounds: str, parts: str) -> str:
    return f"{words}{_FIELD_END}{compounds}{_FIELD_END}{parts}{_FIELD_END}" if compounds or parts else words


class TokenCache(dict[str, str]):
    """
    The analysis of each token seen: its words, or if it has more, words, compounds and parts, each followed by
    `_FIELD_END`. Most tokens recur, and so do the words within names.
    """

    def __init__(self, language: str = ENGLISH, max_chars: int = MAX_CACHED_CHARS) -> None:
        """
        Create an empty cache for texts in *language*.

        Args:
            max_chars: The cache is emptied when its tokens have more characters together.
        """
        super().__init__()
        self._language = language
        self._max_chars = max_chars
        self._chars = 0

    def analyse(self, text: str) -> AnalysedText:
        """All terms of *text*."""
        if self._chars > self._max_chars:
            self.clear()
        joined = " ".join(filter(None, map(self.__getitem__, coarse_tokens(text))))
        if _FIELD_END not in joined:
            return AnalysedText(joined, "", "")
        pieces = joined.split(_FIELD_END)
        compounds, parts = " ".join(filter(None, pieces[1::3])), " ".join(filter(None, pieces[2::3]))
        return AnalysedText("".join(pieces[::3]), compounds, parts)

    def __missing__(self, token: str) -> str:
        if token.isascii():
            found = self._of_ascii(token)
        elif (finer := TOKEN.findall(token)) == [token]:
            words = " ".join([term.text for term in _located_terms(token, self._language)])
            compounds, parts = _compounds_of(token, self._language), part_terms(token, self._language)
            found = _pack(words, compounds, " ".join(parts))
        else:
            found = " ".join(filter(None, map(self.__getitem__, finer)))
            if len(token) > MAX_TERM_CHARS:  # a sentence in a script without spaces, which will not recur
                return found
        self[token] = token if found == token else found  # saves a string
        self._chars += len(token)
        return found

    def _of_ascii(self, token: str) -> str:
        language = self._language
        bare = token.rstrip(".:'-_/")
        if bare.isalnum():  # as most are: plain words
            is_rare_term = bare.isalpha() and (bare.islower() or bare.istitle())
            word = english_stem(bare) if language == ENGLISH else stem(bare, language)
            return word if is_rare_term else _pack(word, "", " ".join(part_terms(bare, language)))
        if "'" in token:
            joined, parts = joined_forms(token, language), part_terms(token, language)
            return _pack(" ".join(_phrase_terms(token, language)), " ".join(joined), " ".join(parts))
        words = " ".join([self[word] for word in ascii_words(token)])
        if _FIELD_END not in words:
            return _pack(words, " ".join(joined_forms(token, language)), "") if words else ""
        pieces = words.split(_FIELD_END)  # the compounds of a single word are none
        return _pack("".join(pieces[::3]), " ".join(joined_forms(token, language)), " ".join(pieces[2::3]))

    def clear(self) -> None:
        """Empty the cache."""
        super().clear()
        self._chars = 0


class _ThreadCache(threading.local):
    """One cache per thread and language."""

    def __init__(self) -> None:
        self._tokens: dict[str, TokenCache] = {ENGLISH: TokenCache()}

    def of(self, language: str) -> TokenCache:
        """The cache for texts in *language*."""
        tokens = self._tokens.get(language)
        if tokens is None:
            tokens = self._tokens[language] = TokenCache(language)
        return tokens

    def clear(self) -> None:
        """Empty all of them."""
        for tokens in self._tokens.values():
            tokens.clear()


_cache = _ThreadCache()


@cache
def stop_terms(language: str) -> frozenset[str]:
    """The terms of the stop words in a text in *language*; they do not distinguish notes."""
    terms: set[str] = set()
    for word in STOP_WORDS:
        terms.update(_phrase_terms(word, language))
    return frozenset(terms)
