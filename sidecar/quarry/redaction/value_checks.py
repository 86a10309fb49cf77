"""
Tells values that look like a secret in use from placeholders.

A value is judged alone, without the note around it. Assignments are the hard part:
`password: hunter2` is a secret; `password: required`, `token = getToken()`,
`key: ${KEY}` and `"ApiKeyName": "my-api-key-1"` are not. The lists below come
from reading what matched in some 19,000 public notes.
"""

import re
from collections import Counter
from math import log2

from quarry.lazy_pattern import lazy_pattern

ENTROPY_SAMPLE = 4_096  # characters; enough to know, and a pasted image stays cheap
SHORTEST_PASSWORD = 6  # characters, for what `password:` introduces
SHORTEST_RANDOM_WORD = 12  # letters, for a password that has nothing else
SHORTEST_TOKEN = 8  # characters, for what `token:` or `secret:` introduces
SHORTEST_NUMBER = 15  # digits, for a token that has nothing else; a time in milliseconds has 13
SHORTEST_BARE_KEY = 16  # characters, for what a mere `key:` introduces
MIN_TOKEN_ENTROPY = 2.5  # bits a character; "1234-1234-1234" has 2.3
MIN_BARE_KEY_ENTROPY = 3.2  # bits a character; long names made of words and numbers reach 3.1

_FILLER = lazy_pattern(rb"x{6}|X{6}|\*{6}|#{6}|\.{6}|_{6}|0{10}|-{6}")
_VARIABLE = lazy_pattern(
    rb"[<\[({\\=|]|\$[A-Za-z_{(]|~?/[A-Za-z]{3,12}[/.]|~/|%[A-Za-z({]|@[A-Za-z]|\.{1,2}/|[a-z][a-z0-9+.-]*:/"
    rb"|process\.env|os\.|getenv|(?:env|this|self|config|settings|secrets?|vars?|params?|args?|options?)[.(\[]"
)
_PLACEHOLDER = lazy_pattern(
    rb"(?:an?|my|the|your|some|fake|dummy|test|sample|new|old|super|secret|user|db|app|client|access|api|auth|private|not|very|postgres|random|personal|docker"
    rb"|pass|password|passwd|passphrase|passcode|pwd|pw|secrets|tokens?|apikey|keys?|credentials?|value|id|name|server|service"
    rb"|str|string|bytes|text|int|integer|number|bool|boolean|object|char|type|field|input|form|hash|header|method|login|prompt"
    rb"|required|optional|none|null|nil|undefined|true|false|yes|no|empty|unset|default|example|placeholder|redacted|hidden|masked"
    rb"|change|changeme|replace|me|this|it|insert|todo|tbd|fixme|x|foo|bar|foobar|baz|abc|username|admin|root|guest|here|goes|[0-9])+"
)
_PLACEHOLDER_HINT = lazy_pattern(
    rb"example|placeholder|redacted|change_?me|your[_-]|insert[_-]|[_-]here|\.\.\.|xxxx|<[a-z]|\$\{|\{\{|%s|\bfake[_-]|\bdummy"
)
_CALL = lazy_pattern(rb"[A-Za-z_][\w.]*(?:\(|\[|::|->)|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_FILE_NAME = lazy_pattern(
    rb"(?:[\w@%+-]+[./\\])*[\w-]+\.(?:json|ya?ml|toml|env|txt|mdx?|pem|key|crt|[jt]sx?|py|rb|cpp|[ch]|cs|ps1|html?|aspx?|exe|dll)"
)
_WORD = lazy_pattern(rb"[A-Z]?[a-z]+[0-9]{0,4}|[A-Z]+[0-9]{0,4}|[0-9]{1,4}[a-z]{0,2}|[A-Za-z0-9]{1,3}")
_BEFORE_WORD = lazy_pattern(rb"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LETTERS = lazy_pattern(rb"[A-Za-z]+")
_LONG_WORD = lazy_pattern(rb"[A-Z]?[a-z]{3,}|[A-Z]{4,}")  # in random base64 one run in 30 is that long
_ABSOLUTE_PATH = lazy_pattern(rb"/[A-Za-z]{3,12}/[A-Za-z]{2,}")
_VERSION = lazy_pattern(rb"[vV]?[0-9]+(?:\.[0-9]+)+")
_TIME = lazy_pattern(rb"(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}")
_DIGEST = lazy_pattern(rb"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}")
_UUID = lazy_pattern(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LOWER, _UPPER, _DIGIT, _SIGN = (lazy_pattern(chars) for chars in (rb"[a-z]", rb"[A-Z]", rb"[0-9]", rb"[!@#$%^&*?+=~]"))


def entropy(value: bytes) -> float:
    """Shannon entropy of *value* in bits per character, estimated from its own frequencies (Shannon 1948)."""
    sample = value[:ENTROPY_SAMPLE]
    size = len(sample)
    return -sum(count / size * log2(count / size) for count in Counter(sample).values()) if size else 0.0


def is_filler(value: bytes) -> bool:
    """Whether *value* is filler of one character, such as `xxxxxxxx` or `********`."""
    return _FILLER.search(value) is not None


def is_placeholder(value: bytes) -> bool:
    """Whether *value* is a placeholder for a secret: `<token>`, `${TOKEN}`, `xxxxxxxx`, `changeme`."""
    lower = value.lower()
    letters = re.sub(rb"[^a-z0-9]", b"", lower)
    return bool(
        is_filler(value)
        or len(set(value)) < 3
        or _VARIABLE.match(value)
        or _TIME.match(value)
        or _PLACEHOLDER_HINT.search(lower)
        or (len(letters) <= 64 and _PLACEHOLDER.fullmatch(letters))
    )


def is_digest(value: bytes) -> bool:
    """Whether *value* has the form of a hexadecimal digest (MD5 to SHA-512) or of a UUID."""
    lower = value.lower()
    return _DIGEST.fullmatch(lower) is not None or _UUID.fullmatch(lower) is not None


def has_digit(value: bytes) -> bool:
    """Whether *value* has a digit."""
    return _DIGIT.search(value) is not None


def is_alphabet(value: bytes) -> bool:
    """Whether *value* lists characters in order, as the constants of encoders do."""
    lower = value.lower()
    return any(run in lower for run in (b"abcdefgh", b"ijklmnop", b"qrstuvwx", b"0123456789"))


def has_three_classes(value: bytes) -> bool:
    """Whether *value* has lower case, upper case and digits, as nearly all random base64 of 40 characters has."""
    return bool(_LOWER.search(value) and _UPPER.search(value) and _DIGIT.search(value))


def has_two_cases(value: bytes) -> bool:
    """Whether *value* has lower and upper case letters."""
    return bool(_LOWER.search(value) and _UPPER.search(value))


def is_path(value: bytes) -> bool:
    """Whether *value* is more likely a path or an identifier: absolute, or at least half words."""
    words = sum(len(word) for word in _LONG_WORD.findall(value))
    return _ABSOLUTE_PATH.match(value) is not None or words * 2 > len(value)


def is_identifier(value: bytes) -> bool:
    """Whether *value* is made of words and short numbers, as identifiers, versions and slugs are."""
    parts = re.split(rb"[^A-Za-z0-9]+", _BEFORE_WORD.sub(b"-", value))
    letters = sum(map(len, _LETTERS.findall(value)))
    words = sum(map(len, _LONG_WORD.findall(value)))
    if _VERSION.fullmatch(value):
        return True
    return words * 2 >= letters and all(_WORD.fullmatch(part) for part in parts if part)


def _is_reference(value: bytes) -> bool:
    """Whether *value* is a reference: a call, an attribute, a file name."""
    return _CALL.match(value) is not None or _FILE_NAME.fullmatch(value) is not None


def is_password(value: bytes) -> bool:
    """Whether *value*, found after `password:` or the like, is a password rather than a word about one."""
    if value.isdigit():
        return len(value) >= SHORTEST_PASSWORD and len(set(value)) > 1
    if len(value) < SHORTEST_PASSWORD or b" " in value or is_placeholder(value) or _is_reference(value):
        return False
    letters = _LOWER.search(value) or _UPPER.search(value)
    return bool((letters and (_DIGIT.search(value) or _SIGN.search(value))) or is_random_word(value))


def is_random_word(value: bytes) -> bool:
    """Whether *value* is letters only, but too irregular for a name."""
    return len(value) >= SHORTEST_RANDOM_WORD and has_two_cases(value[1:]) and not is_identifier(value)


def is_word(value: bytes) -> bool:
    """Whether *value* is a word that may be a password where a program reads it, as in `PASSWORD=opensesame`."""
    return len(value) >= SHORTEST_PASSWORD and value.isalpha() and not is_placeholder(value)


def is_token(value: bytes) -> bool:
    """Whether *value*, found after `token:`, `secret:` or `api key:`, is machine-made rather than a name."""
    if value.isdigit():
        return len(value) >= SHORTEST_NUMBER and len(set(value)) > 3
    return (
        len(value) >= SHORTEST_TOKEN
        and _DIGIT.search(value) is not None
        and (_LOWER.search(value) or _UPPER.search(value)) is not None
        and b" " not in value
        and not is_identifier(value)
        and not is_placeholder(value)
        and not is_alphabet(value)
        and not _is_reference(value)
        and entropy(value) >= MIN_TOKEN_ENTROPY
    )


def is_bare_key(value: bytes) -> bool:
    """Whether *value*, found after a plain `key`, is certainly a credential: long, random, not a digest."""
    return (
        len(value) >= SHORTEST_BARE_KEY
        and is_token(value)
        and not re.search(rb"[,\\]", value)
        and not any(is_digest(part) for part in (value, *value.split(b"-")))
        and entropy(value) >= MIN_BARE_KEY_ENTROPY
    )
