"""
Classes of characters: letters of a word, of a script written without spaces, of Korean, and signs that are a word.

The only place that lists scripts. Each constant is the inside of a character class for `re`.
"""

# Without their punctuation, and without digits, which are written like ours, in runs that stand for themselves.
HAN = (  # with its iteration marks
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c"
    "\u2e80-\u2fdf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001b000-\U0001b16f"
# Bopomofo; Thai, Lao, Burmese, Khmer, Tai Le, Tai Lue, Tai Tham, Javanese.
UNSPACED = (
    HAN + KANA + "\u3105-\u312f\u31a0-\u31bf"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u1950-\u19c9\u1a20-\u1a7c\ua980-\ua9c0"
)

# Korean has spaces, but a word carries its particles with it: 책 (book), 책을 (the book, as an object).
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uffa0-\uffdc"

CYRILLIC = "\u0400-\u0482\u048a-\u052f"  # without its combining signs, which are marks

# Characters that stand for a word by themselves: currencies, arrows, mathematics, emoji. Box drawing does not.
SYMBOLS = (
    "\u00a2-\u00a6\u00a9\u00ae\u00b0\u00b1\u00d7\u00f7\u20a0-\u20c0\u2100\u2101\u2103-\u2106\u2108\u2109\u2114\u2116"
    "\u2117\u211e-\u2123\u2125\u2127\u2129\u212e\u213a\u213b\u2140-\u2144\u214a-\u214d\u214f\u2190-\u2307\u230c-\u2328"
    "\u232b-\u2426\u2440-\u244a\u25a0-\u2767\u2794-\u27c4\u27c7-\u27e5\u27f0-\u2982\u2999-\u29d7\u29dc-\u29fb"
    "\u29fe-\u2bff\u3004\u3012\u3013\u3020\u3036\u303e\u303f\U0001f000-\U0001f0ff\U0001f110-\U0001f1e5"
    "\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
FLAG_LETTERS = "\U0001f1e6-\U0001f1ff"  # two of them are a flag
SKIN_TONES = "\U0001f3fb-\U0001f3ff"

# Invisible signs that stand inside words: joiners (in Persian, and in the scripts of India), soft hyphens, directions.
JOINERS = "\u00ad\u200b-\u200f\u2060\ufeff"
ZERO_WIDTH_JOINER = "\u200d"
VARIATIONS = "\ufe00-\ufe0f\u20e3"  # how a sign is to be drawn; the frame of a keycap

# Vowel signs and accents, which `\\w` leaves out, so that a word would end before them. Letters between two of them are
# in, as they belong to words anyway; the marks of scripts without spaces are not, nor are those of dead scripts.
MARKS_BELOW_THAI = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0898-\u08e1\u08e3-\u0963"
    "\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d\u0d57-\u0d63"
    "\u0d81-\u0df3"
)
MARKS = (
    MARKS_BELOW_THAI
    + "\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6\u135d-\u135f\u1712-\u1734\u1752-\u1773"
    "\u180b-\u180d\u180f-\u193b\u1a17-\u1a1b\u1a7f\u1ab0-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2"
    "\u1cd4-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f-\u2dff\u302a-\u302f\u3099-\u309a\ua66f-\ua672\ua674-\ua67d\ua69e-\ua6f1"
    "\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d\ua947-\ua953\uaa29-\uaa4d\uaab0-\uaac1\uaaeb-\uaaef"
    "\uaaf5-\uaaf6\uabe3-\uabea\uabec-\uabed\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f"
) + JOINERS
UNSPACED_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064"
    "\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u17b4-\u17d3\u17dd\u1a55-\u1a5e\u1a60-\u1a7c\ua980-\ua983"
    "\ua9b3-\ua9c0\ua9e5\uaa7b-\uaa7d\uff9e\uff9f"  # half-width kana carry theirs as letters
    "\u0300-\u036f\u302a-\u302f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"
) + JOINERS
