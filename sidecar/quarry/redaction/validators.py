"""
Finds where a secret begins and ends in a note.

The patterns in `rules` find candidates; the validators in this module decide.
A validator takes the note as bytes (one byte per character, see `scrub`) and the
span that the pattern captured, and returns the span of the secret, or None if
there is none. It reads a bounded range around the span and never past a
redaction (a zero byte): time is linear, and scrubbing is idempotent.
"""

import re
from base64 import b64decode
from collections.abc import Callable

from quarry.lazy_pattern import lazy_pattern
from quarry.redaction import value_checks as values

SecretSpan = tuple[int, int]
Validator = Callable[[bytes, int, int], SecretSpan | None]

LONGEST_VALUE = 512  # characters; a longer assigned value is a blob, which the entropy rule looks at
LONGEST_KEY_BLOCK = 65_536  # characters; a 16,384-bit RSA key has 12,700 in PEM, a PGP key with its photo more
SHORTEST_KEY_BODY = 24  # base64 characters; less is a description of a key, not one (Ed25519 has 64)
LOOK_BACK = 2_048  # characters; the longest address that every browser takes
LONGEST_COMMAND = 600  # characters between `curl` and its `-u`
SHORTEST_BEARER = 16  # characters, for a bearer token without digits
MIN_RANDOM_ENTROPY = 3.0  # bits a character of 20 to 30 random ones: 4 and more
MIN_BASE64_ENTROPY = 4.5  # bits a character; English prose has about 4.1, hex at most 4

_WEAK_PASSWORDS = (b"pass", b"root", b"admin", b"guest", b"postgres")  # passwords nevertheless, in an address
_LIST_OF_STRINGS = lazy_pattern(rb"\[[ \t]{0,3}(?=[\"'])")
_OPENING_QUOTE = lazy_pattern(rb"`{1,3}|\\{0,2}[\"']")  # \" is a quote of JSON within a string
_UNQUOTED_END = lazy_pattern(rb"[\s\"'`<>|;\0]")
_LINE_END = lazy_pattern(rb"[\r\n\0]")
_QUOTED_END = lazy_pattern(rb"[\r\n\"'\0]")
_TRAILING = b".,:)]}*_~\\"
_OTHER_TOKENS = lazy_pattern(
    rb"(?i:(?:public[ _-]?key|csrf|xsrf|cancell?ation|page|next|sync|continuation|max|min|num|public|foreign|primary"
    rb"|sort|partition|registry)[ _-]?)\Z"
)  # page token, foreign key: names, counts, cursors
_HEADER_VALUE = lazy_pattern(rb"[A-Za-z0-9._~+/-]{6,}={0,2}")
_HAS_SEPARATOR = lazy_pattern(rb"[:=>|\t]| --? |\b(?:is|was|ist)\b")
_ASSIGNING = lazy_pattern(rb"[:=>][ \t]*\Z")
_PHRASE = lazy_pattern(rb"[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+){2,11}")
_FLAG = lazy_pattern(rb"(?:^|[\s\"'`(])--?[\w-]{0,40}\Z")
_ARGUMENT = lazy_pattern(rb"\([\"'][\w .-]{0,40}\Z")  # setProperty("API_TOKEN", "...")
_PARAMETER = lazy_pattern(rb"[?&#][A-Za-z0-9_.-]{0,40}\Z")  # of an address: its value ends at the next `&`
_TOKEN_BREAKS = (b" ", b"\n", b"\t", b'"', b"'", b"`", b"<", b">", b"\0")
_ADDRESS_MARKS = (b"://", b"www.", b"](", b"//", b"src=", b"href=")
_HASH_PREFIX = lazy_pattern(rb"sha[0-9]{1,3}[-_]|AAAA[BCE]3NzaC1|AAAAE2VjZHNh")  # the last two: public SSH keys
_HASH_LABEL = lazy_pattern(
    rb"(?i:sha-?[0-9]{1,3}|md5|integrity|checksum|digest|h1|etag|hash)[\"'`]{0,2}[ \t]?[:=-]{1,2}[ \t\"'`]{0,2}\Z"
)
_ID_LABEL = lazy_pattern(
    rb"(?:[a-z_-][Ii]d|\bI[Dd])[\"'`]{0,2}[ \t]?[:=][ \t\r\n\"'`>|-]{0,24}\Z"
)  # documentId: names a thing
_PUBLIC_LABEL = lazy_pattern(rb";base64,\Z|(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp[0-9]{3}) \Z")
_PUBLIC_BLOCK = lazy_pattern(
    rb"-----BEGIN [A-Z0-9 ]{0,40}(?:CERTIFICATE|PUBLIC KEY|SIGNATURE|MESSAGE)[A-Z ]{0,20}-----"
    rb"[A-Za-z0-9+/=:.,()\\\s>]*-----END"
)
_KEY_BORDER = lazy_pattern(rb"-----(BEGIN|END)|\0")
_KEY_END = lazy_pattern(rb"-----END[ A-Z0-9_-]{0,60}-----")
_KEY_LINE = lazy_pattern(
    rb"(?:\\+[rn]|[\r\n \t]){1,8}[ \t>|*+#/\"',-]{0,40}"  # a break, as such or as JSON writes it; what quotes the line
    rb"(?:[A-Za-z0-9+/=]{16,}|=[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{1,15}={1,2}"  # a full line, a PGP checksum, the last line
    rb"|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): ?[^\r\n\0]{0,200})"
    rb"[\"',]{0,3}"  # what ends a line in code
)
_LAST_KEY_LINE = lazy_pattern(rb"(?:\\+[rn]|[\r\n]){1,2}[ \t>]{0,10}[A-Za-z0-9+/=]{1,15}(?=[\s\"'`,]|\Z)")
_BASE64_RUN = lazy_pattern(rb"[A-Za-z0-9+/=]{16,}")


def vendor_token(data: bytes, start: int, end: int) -> SecretSpan | None:
    """Accept a token with a vendor's prefix and length, unless it is filler of one character."""
    return None if values.is_filler(data[start:end]) else (start, end)


def accept_all(_data: bytes, start: int, end: int) -> SecretSpan | None:
    """Accept everything that the pattern captured."""
    return start, end


def random_token(data: bytes, start: int, end: int) -> SecretSpan | None:
    """Accept a token with a short prefix only if its entropy is that of random characters."""
    value = data[start:end]
    random = values.has_digit(value) and not values.is_filler(value) and values.entropy(value) >= MIN_RANDOM_ENTROPY
    return (start, end) if random else None


def numbered_token(data: bytes, start: int, end: int) -> SecretSpan | None:
    """Accept a Slack token: the workspace's number is in it, which placeholders lack."""
    value = data[start:end]
    return (start, end) if re.search(rb"[0-9]{6}", value) and not values.is_filler(value) else None


def aws_key_id(data: bytes, start: int, end: int) -> SecretSpan | None:
    """Accept an AWS key id, but not those of the AWS documentation, which end in EXAMPLE."""
    value = data[start:end]
    return None if value.endswith(b"EXAMPLE") else (start, end)


def _value_at(data: bytes, start: int) -> SecretSpan | None:
    """The value at *start*, or the first of a list: up to its closing quote, else to a space, quote, `|` or `<>`."""
    limit = min(len(data), start + LONGEST_VALUE)
    opening = _LIST_OF_STRINGS.match(data, start)
    if opening:
        start = opening.end()
    quotes = _OPENING_QUOTE.match(data, start)
    if quotes:
        start = quotes.end()
        closing = data.find(quotes.group(), start, limit)
        if closing >= 0 and not _LINE_END.search(data, start, closing):
            return start, closing
    ending = _UNQUOTED_END.search(data, start, limit)
    stop = ending.start() if ending else limit
    if ending is None and stop < len(data):
        return None  # longer than a value is
    while stop > start and data[stop - 1] in _TRAILING and not (data[stop - 1] == 0x29 and b"(" in data[start:stop]):
        stop -= 1
    return (start, stop) if stop > start else None


def _assigned_value(judge: Callable[[bytes], bool]) -> Validator:
    """A validator of `label = value`: the pattern captured label and separator, *judge* accepts the value."""

    def read(data: bytes, start: int, end: int) -> SecretSpan | None:
        before = data[max(0, start - 64) : start]
        if _OTHER_TOKENS.search(before):
            return None
        if not (_HAS_SEPARATOR.search(data, start, end) or _FLAG.search(before) or _ARGUMENT.search(before)):
            return None  # `--password hunter2` is an assignment, "the password hunter2" may be anything
        found = _value_at(data, end)
        if found is None:
            return None
        begin, stop = found
        if _PARAMETER.search(before):
            stop = begin + len(re.split(rb"[&#)]", data[begin:stop], maxsplit=1)[0])  # a parameter of an address
        return (begin, stop) if judge(data[begin:stop]) else None

    return read


def assigned_password(data: bytes, start: int, end: int) -> SecretSpan | None:
    """Accept a password after its label; a plain word or phrase only if quoted, or in `PASSWORD=word`."""
    found = _assigned_mixed_password(data, start, end)
    if found or _ASSIGNING.search(data, start, end) is None:
        return found
    value = _value_at(data, end)
    if value is None:
        return None
    label = data[start:end]
    quoted = value[0] > end and data[end : end + 1] != b"["  # lists of words are rules for a form
    word = values.is_word(data[slice(*value)]) and (quoted or (label.isupper() and b"=" in label))
    phrase = quoted and b"phrase" in label.lower() and _PHRASE.fullmatch(data, *value)
    return value if word or phrase else None


_assigned_mixed_password = _assigned_value(values.is_password)
assigned_token = _assigned_value(values.is_token)
assigned_key = _assigned_value(values.is_bare_key)


def header_credentials(data: bytes, start: int, end: int) -> SecretSpan | None:
    """Accept the token after `Bearer`, and after `Basic` what decodes to user and password."""
    found = _HEADER_VALUE.match(data, end, end + LONGEST_VALUE)
    if found is None:
        return None
    value = found.group()
    if data[start:end].lower().startswith(b"basic"):
        return found.span() if _is_user_and_password(value) else None
    mixed = len(value) >= SHORTEST_BEARER and values.has_two_cases(value) and not values.is_identifier(value)
    return found.span() if values.is_token(value) or (mixed and not values.is_placeholder(value)) else None


def _is_user_and_password(value: bytes) -> bool:
    digits = value.rstrip(b"=")
    try:
        user, colon, _password = b64decode(digits + b"=" * (-len(digits) % 4), validate=True).decode().partition(":")
    except ValueError:  # no base64, or no text in it
        return False
    return bool(colon) and user.isprintable()


def url_password(data: bytes, start: int, end: int) -> SecretSpan | None:
    """Accept the password of `scheme://user:password@host`, unless it is a variable or a placeholder."""
    value = data[start:end]
    weak = value.lower() in _WEAK_PASSWORDS or (value.isalnum() and values.has_digit(value))
    return None if values.is_placeholder(value) and not weak else (start, end)


def url_password_with_slash(data: bytes, start: int, end: int) -> SecretSpan | None:
    """Accept a password that contains a slash, unless it may be a port, as in `http://host:80/@name`."""
    value = data[start:end]
    before, slash, _behind = value.partition(b"/")
    meant = slash and before and not before.isdigit() and b"://" not in value
    return (start, end) if meant and values.is_password(value) else None


def curl_password(data: bytes, start: int, end: int) -> SecretSpan | None:
    """Accept the password after `-u user:` if a command that takes one precedes it."""
    before = data[max(0, start - LONGEST_COMMAND) : start].rpartition(b"\0")[2]
    command = max(before.rfind(name) for name in (b"curl", b"wget", b"http ", b"https "))
    if command < 0 or b"\n\n" in before[command:]:
        return None
    quote = re.search(rb"[\"'](?=[^\"']*\Z)", data[start + 1 : end])
    ending = (_UNQUOTED_END if quote is None else _QUOTED_END).search(data, end, end + LONGEST_VALUE)
    stop = ending.start() if ending else min(len(data), end + LONGEST_VALUE)
    value = data[end:stop]
    return None if not value or value.isdigit() or values.is_placeholder(value) else (end, stop)


def private_key(data: bytes, start: int, end: int) -> SecretSpan | None:
    """
    Accept a private key up to its END line or, if that is missing, to the last line of its body.

    A BEGIN line without a body (prose about keys) is not one.
    """
    limit = min(len(data), start + LONGEST_KEY_BLOCK)
    border = _KEY_BORDER.search(data, end, limit)
    if border and border.group(1) == b"END":
        closing = _KEY_END.match(data, border.start(), limit)
        stop = closing.end() if closing else border.end()
    else:
        stop = _end_of_key_lines(data, end, border.start() if border else limit)
    body = _BASE64_RUN.findall(data, end, stop)
    return (start, stop) if sum(map(len, body)) >= SHORTEST_KEY_BODY else None


def _end_of_key_lines(data: bytes, start: int, limit: int) -> int:
    stop = start
    while line := _KEY_LINE.match(data, stop, limit):
        stop = line.end()
    rest = _LAST_KEY_LINE.match(data, stop, limit) if stop > start else None
    return rest.end() if rest else stop


def base64_blob(data: bytes, start: int, end: int) -> SecretSpan | None:
    """
    Accept a long run of base64 that is too random for words, hexadecimal or a path.

    Left alone: addresses, integrity hashes, embedded images and public keys.
    """
    value = data[start : min(end, start + values.ENTROPY_SAMPLE)]
    if not values.has_three_classes(value) or _HASH_PREFIX.match(value) or values.is_alphabet(value):
        return None
    if values.is_path(value) or values.entropy(value) <= MIN_BASE64_ENTROPY:
        return None
    before = data[max(0, start - LOOK_BACK) : start]
    before = before[max(map(before.rfind, _TOKEN_BREAKS)) + 1 :]
    if any(mark in before for mark in _ADDRESS_MARKS):
        return None
    near = data[max(0, start - 48) : start]
    named = _HASH_LABEL.search(near) or _ID_LABEL.search(near) or _PUBLIC_LABEL.search(near)
    return None if named else (start, end)


def without_public_blocks(data: bytes) -> bytes:
    """Put zeros over certificates, public keys, signatures and encrypted messages in ASCII armour."""
    if b"-----BEGIN " not in data:
        return data
    return _PUBLIC_BLOCK.sub(lambda block: bytes(len(block.group())), data)
