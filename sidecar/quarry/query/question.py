"""
Is a query a question that one sentence may answer? How something is done takes more.

Told by a question mark, or by how questions begin in the languages whose words are stemmed, and by words of Chinese,
Japanese and Korean questions wherever they stand. A guess: what it misses is answered by hits, as every query is.
"""

from quarry.lazy_pattern import lazy_pattern

_MARK = lazy_pattern(r"[?？؟]\s*\Z")
_BEGINNING = lazy_pattern(
    r"""(?x)\s*[¿"'“«(]*(?:
    what|who|whom|whose|when|where|why|which|how|is|are|was|were|do|does|did|can|could|should|would|will|has|have|had
    |wer|was|wem|wen|wann|wo|warum|wieso|weshalb|welche[rsmn]?|wie|woher|wohin|womit|wof[uü]r|ist|sind|kann|gibt|hat
    |qui|que|quoi|quand|o[uù]|pourquoi|comment|quel(?:le)?s?|combien|est-ce
    |qu[eé]|qui[eé]n(?:es)?|cu[aá]ndo|d[oó]nde|por\squ[eé]|c[oó]mo|cu[aá]l(?:es)?|cu[aá]nt[oa]s?
    |chi|cosa|perch[eé]|quando|dove|come|quale|quanto|o\sque|quem|onde|por\sque|como|qual|quanto
    |wie|wat|waar|wanneer|waarom|hoe|welke?
    |что|кто|когда|где|почему|зачем|как|какой|какая|какие|сколько
    )\b""",
)
_HOW_TO = lazy_pattern(
    r"\s*(?:how\s+(?:to|(?:do|can|should|would|could)\s+(?:i|we|you|one))|wie\s+\w+\s+(?:ich|wir|man))\b"
)
CJK_QUESTION_WORDS = lazy_pattern(
    r"什么|什麼|怎么|怎麼|怎样|为什么|為什麼|如何|哪|谁|誰|吗|嗎|多少|几|何|なに|なぜ|どう|どこ|いつ|だれ|ですか|ますか|무엇|누구|언제|어디|왜|어떻게"
)
MIN_WORDS = 3  # of a question that begins as one but has no question mark: "is null" and "how to" are none


def is_question(text: str) -> bool:
    """Whether *text* asks something that one sentence could answer."""
    if _HOW_TO.match(text.lower()):
        return False
    if _MARK.search(text) or CJK_QUESTION_WORDS.search(text):
        return True
    return len(text.split()) >= MIN_WORDS and _BEGINNING.match(text.lower()) is not None
