"""
Whether a text is a question, and whether one sentence could answer it: recognised here, for all who treat them apart.

A question is recognised by its mark, by how questions begin in the languages whose words are stemmed, and by words of
Chinese, Japanese and Korean questions anywhere. It is a guess, and what it misses is searched for like any other words.
"""

from quarry.lazy_pattern import lazy_pattern

MIN_WORDS = 3  # of a question that begins as one but has no question mark: "is null" and "how to" are none

_MARK = lazy_pattern(r"[?？؟]\s*\Z")
# Verbs that stand in names ("Will Smith", "Can bus") begin a question only in front of whoever it is about.
_BEGINNING = lazy_pattern(
    r"""(?x)\s*[¿"'“«(]*(?:
    what|what's|who|who's|whom|whose|when|where|where's|why|which|how|is|are|was|were|does|did|could|should|would
    |(?:can|do|had|has|have|may|might|must|shall|will)
    (?=\s(?:i|you|he|she|it|we|they|one|the|a|an|my|your|our|this|these|there)\s)
    |wer|wem|wen|wann|wo|warum|wieso|weshalb|welche[rsmn]?|wie|woher|wohin|womit|wof[uü]r|ist|sind|kann|gibt
    |qui|que|quoi|quand|o[uù]|pourquoi|comment|quel(?:le)?s?|combien|est-ce
    |qu[eé]|qui[eé]n(?:es)?|cu[aá]ndo|d[oó]nde|por\squ[eé]|c[oó]mo|cu[aá]l(?:es)?|cu[aá]nt[oa]s?
    |(?:chi|come)(?=\s(?:è|ha|mai|posso|si)\s)|cosa|perch[eé]|quando|dove|quale|quanto|o\sque|quem|onde|por\sque|qual
    |wat|waar|wanneer|waarom|welke?
    |что|кто|когда|где|почему|зачем|как|какой|какая|какие|сколько
    )(?=\s)""",
)
_HOW_TO = lazy_pattern(
    r"\s*(?:how\s+(?:to|(?:do|can|should|would|could)\s+(?:i|we|you|one))|wie\s+(?:man|\w+\s+(?:ich|wir|man)))\b"
)
# What a thing is. Behind "the", "my" or a preposition, something about a thing is asked.
_ABOUT = r"of|for|in|on|at|to|from|with|by|and|or|about|between|vs|f[uü]r|von|im|mit|und|oder"
_DEFINITION = lazy_pattern(
    r"(?:(?:what|who)(?:'s|’s|\s+is|\s+are|\s+was|\s+were)|(?:was|wer)\s+(?:ist|sind|war|waren))\s+(?:(?:an?|eine?)\s+)?"
    rf"(?!(?:the|my|your|our|their|his|her|this|that|these|those|there|it|der|die|das|mein|meine|dein|es|{_ABOUT})\b)"
    rf"([^\W_][^\s?]*+(?:\s+(?!(?:{_ABOUT})\b)[^\s?]++){{0,3}})\s*\??"
)
CJK_QUESTION_WORDS = lazy_pattern(
    r"什么|什麼|怎么|怎麼|怎样|为什么|為什麼|如何|哪|谁|誰|吗|嗎|多少|几|何|なに|なぜ|どう|どこ|いつ|だれ|ですか|ますか|무엇|누구|언제|어디|왜|어떻게"
)


def is_question(text: str) -> bool:
    """Whether *text* asks something, in its words or by its mark."""
    if has_question_mark(text) or CJK_QUESTION_WORDS.search(text):
        return True
    return len(text.split()) >= MIN_WORDS and _BEGINNING.match(text.lower()) is not None


def is_answered_by_a_sentence(text: str) -> bool:
    """Whether *text* is a question that one sentence could answer."""
    return is_question(text) and not asks_for_steps(text)


def defined_subject(text: str) -> str | None:
    """The thing of which *text* asks what it is, in lower case without its article; None where it asks otherwise."""
    found = _DEFINITION.fullmatch(text.strip().lower())
    return found[1] if found else None


def has_question_mark(text: str) -> bool:
    """Whether *text* ends with a question mark."""
    return _MARK.search(text) is not None


def asks_for_steps(text: str) -> bool:
    """Whether *text* asks how something is done, which takes more than a sentence."""
    return _HOW_TO.match(text.lower()) is not None
