"""
What are the terms of a text, and of a query?

All parts share one analysis: the index stores what `analyse` gives, a query asks for what `query_terms` and
`phrase_terms` give, a snippet marks what `locate_terms` finds. A phrase cut from a text between two words is found in
it, because `words` do not depend on the context of a word.
"""

import threading
from collections.abc import Iterable, Iterator

from msgspec import Struct

from quarry.terms.compounds import camel_case_parts, is_camel_case, joined_forms, part_terms
from quarry.terms.normalize import MAX_TERM_CHARS, fold, stem
from quarry.terms.stopwords import STOP_WORDS
from quarry.terms.tokenizer import TOKEN, SubToken, ascii_words, coarse_tokens, split_token, unspaced_characters

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


def analyse(text: str) -> AnalysedText:
    """All terms of *text*, in linear time; 60 MB of notes take about 3.5 s."""
    return _cache.tokens.analyse(text)


def clear_cache() -> None:
    """Free this thread's cache of analysed tokens."""
    _cache.tokens.clear()


def locate_terms(text: str) -> Iterator[LocatedTerm]:
    """Yield every term of `analyse(text).words` with its span: a part of `snake_case`, a character of 机器."""
    for token in TOKEN.finditer(text):
        offset = token.start()
        for term, start, end in _located_terms(token[0]):
            yield LocatedTerm(term, offset + start, offset + end)


def locate_part_terms(text: str) -> Iterator[LocatedTerm]:
    """Yield every term of `analyse(text).parts` with its span: `stale` in `getStaleFiles`."""
    for token in TOKEN.finditer(text):
        for piece in split_token(token[0]):
            if piece.kind == "word":
                offset = token.start() + piece.start
                for start, end in camel_case_parts(piece.text):
                    yield LocatedTerm(stem(piece.text[start:end]), offset + start, offset + end)


def phrase_terms(phrase: str) -> tuple[str, ...]:
    """The terms that a typed *phrase* requires next to each other; none if it is only punctuation."""
    if phrase.isascii():  # not split into tokens first, as no sub-token crosses the end of a token
        return tuple([_contraction_term(word) if "'" in word else stem(word) for word in ascii_words(phrase)])
    return tuple([term for token in TOKEN.findall(phrase) for term, _, _ in _located_terms(token)])


def query_terms(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    The terms of one typed *word*: its `words` in order, and its compounds without repeats.

    The parts of `getStaleFiles` are included, as it is a name in a program. Those of `GitHub` are not, as capitals in a
    name do not change what is meant; nor is `python` for `python3`, as other versions are not meant.
    """
    words, asked = phrase_terms(word), analyse(word)
    parts = asked.parts if word[:1].islower() and is_camel_case(word) else ""
    compounds = dict.fromkeys([*asked.compounds.split(), *parts.split()])
    return words, tuple(compound for compound in compounds if compound not in words)


def ranking_terms(word: str) -> tuple[str, ...]:
    """
    The terms that rank notes for one typed *word*, without repeats.

    Its compounds, then its words; of a run without spaces only the pairs, as single characters discriminate little.
    """
    if word.isascii() and word.isalpha() and word.islower():  # a word without compounds
        return (stem(word),)
    words, compounds = query_terms(word)
    runs = (
        _run_terms(piece.text)
        for token in TOKEN.findall(word)
        for piece in split_token(token)
        if piece.kind == "unspaced"
    )
    paired = {term for run in runs if len(run) > 1 for term in run}
    return tuple(dict.fromkeys([*compounds, *(term for term in words if term not in paired)]))


# --- one token ---------------------------------------------------------------------------------


def _located_terms(token: str) -> Iterator[tuple[str, int, int]]:
    for piece in split_token(token):
        if piece.kind != "unspaced":
            term = _term(piece)
            if term:
                yield term, piece.start, piece.end
            continue
        for character, at in unspaced_characters(piece.text):
            if term := fold(character):
                yield term, piece.start + at, piece.start + at + len(character)


def _term(piece: SubToken) -> str:
    """The term of a sub-token that is one word; "" if nothing is left of it."""
    if piece.kind != "word":
        return fold(piece.text)
    return _contraction_term(piece.text.replace("’", "'"))


def _contraction_term(word: str) -> str:
    head, _, tail = word.partition("'")
    return stem(head + tail if tail in ("t", "T") else head)


def _run_terms(run: str) -> list[str]:
    """The terms of a run without spaces: one per character."""
    return [term for character, _ in unspaced_characters(run) if (term := fold(character))]


def _compounds_of(token: str) -> str:
    found = joined_forms(token)
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

    def __init__(self, max_chars: int = MAX_CACHED_CHARS) -> None:
        """
        Create an empty cache.

        Args:
            max_chars: The cache is emptied when its tokens have more characters together.
        """
        super().__init__()
        self._max_chars = max_chars
        self._chars = 0

    def analyse(self, text: str) -> AnalysedText:
        """All terms of *text*."""
        if self._chars > self._max_chars:
            self.clear()
        joined = self.joined(coarse_tokens(text))
        if _FIELD_END not in joined:
            return AnalysedText(joined, "", "")
        pieces = joined.split(_FIELD_END)
        compounds, parts = " ".join(filter(None, pieces[1::3])), " ".join(filter(None, pieces[2::3]))
        return AnalysedText("".join(pieces[::3]), compounds, parts)

    def joined(self, tokens: Iterable[str]) -> str:
        """The analyses of *tokens*, joined by spaces, without the empty ones."""
        return " ".join(filter(None, map(self.__getitem__, tokens)))

    def __missing__(self, token: str) -> str:
        if token.isascii():
            found = self._of_ascii(token)
        elif (finer := TOKEN.findall(token)) == [token]:
            words = " ".join(term for term, _, _ in _located_terms(token))
            found = _pack(words, _compounds_of(token), " ".join(part_terms(token)))
        else:
            found = self.joined(finer)
            if len(token) > MAX_TERM_CHARS:  # a sentence in a script without spaces, which will not recur
                return found
        self[token] = token if found == token else found  # saves a string
        self._chars += len(token)
        return found

    def _of_ascii(self, token: str) -> str:
        bare = token.rstrip(".:'-_/")
        if bare.isalnum():  # as most are: plain words
            is_rare_term = bare.isalpha() and (bare.islower() or bare.istitle())
            return stem(bare) if is_rare_term else _pack(stem(bare), "", " ".join(part_terms(bare)))
        if "'" in token:
            terms = (_contraction_term(word) if "'" in word else stem(word) for word in ascii_words(token))
            return _pack(" ".join(terms), " ".join(joined_forms(token)), " ".join(part_terms(token)))
        words = " ".join([self[word] for word in ascii_words(token)])
        if _FIELD_END not in words:
            return _pack(words, " ".join(joined_forms(token)), "") if words else ""
        pieces = words.split(_FIELD_END)  # the compounds of a single word are none
        return _pack("".join(pieces[::3]), " ".join(joined_forms(token)), " ".join(pieces[2::3]))

    def clear(self) -> None:
        """Empty the cache."""
        super().clear()
        self._chars = 0


class _ThreadCache(threading.local):
    """One cache per thread."""

    def __init__(self) -> None:
        self.tokens = TokenCache()


_cache = _ThreadCache()


STOP_TERMS = frozenset(term for word in STOP_WORDS for term in analyse(word).words.split())
"""The terms of the stop words, which do not distinguish notes."""
