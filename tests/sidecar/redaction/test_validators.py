"""A validator gives the span of a secret, or none, for the span that a pattern captured."""

import base64

import pytest

from quarry.redaction import validators
from quarry.redaction.validators import LONGEST_VALUE, Validator

PASSWORD = b"tr0ub4dor"
TOKEN = b"9fK2mQ7xW4pL"
RANDOM_BASE64 = base64.b64encode(bytes(range(7, 256, 5)))


def secret_of(validator: Validator, note: bytes, captured: bytes) -> bytes | None:
    """What *validator* accepts in *note*, of which *captured* is the only place that a pattern found."""
    start = note.index(captured)
    span = validator(note, start, start + len(captured))
    return None if span is None else note[slice(*span)]


@pytest.mark.parametrize("validator", [validators.vendor_token, validators.random_token, validators.numbered_token])
def test_filler_is_no_token(validator: Validator):
    assert secret_of(validator, b"key xoxb_123456_xxxxxxxxxxxx", b"xoxb_123456_xxxxxxxxxxxx") is None


def test_a_random_token_has_a_digit_and_the_entropy_of_random_characters():
    assert secret_of(validators.random_token, b"= a8Fk29sLq7Zx3Vb1Nm4", b"a8Fk29sLq7Zx3Vb1Nm4") is not None
    assert secret_of(validators.random_token, b"= aaaaaaaabbbbbbbb1111", b"aaaaaaaabbbbbbbb1111") is None
    assert secret_of(validators.random_token, b"= aqFkwesLqoZxcVbyNmj", b"aqFkwesLqoZxcVbyNmj") is None


def test_the_example_key_of_aws_is_none():
    assert secret_of(validators.aws_key_id, b"AKIAIOSFODNN7EXAMPLE", b"AKIAIOSFODNN7EXAMPLE") is None
    assert secret_of(validators.aws_key_id, b"AKIAIOSFODNN7EXBMPLE", b"AKIAIOSFODNN7EXBMPLE") is not None


@pytest.mark.parametrize(
    ("line", "label"),
    [
        (b"password: %s", b"password: "),
        (b'password: "%s" # note', b"password: "),
        (b"password: (%s).", b"password: ("),
        (b"x --password %s y", b"password "),
        (b"setProperty('the_password', '%s')", b"password', "),
        (b"https://x.org/?password=%s&a=b", b"password="),
    ],
)
def test_an_assigned_value_ends_where_the_assignment_does(line: bytes, label: bytes):
    assert secret_of(validators.assigned_password, b"\n" + line % PASSWORD + b"\n", label) == PASSWORD


@pytest.mark.parametrize("line", [b"password: required", b"the password hunter2x is", b"password: ${PASSWORD1}"])
def test_a_word_a_mention_and_a_variable_are_no_password(line: bytes):
    label = line[line.index(b"password") : line.index(b"password") + len(b"password: ")].rstrip(b"$hr")

    assert secret_of(validators.assigned_password, b"\n" + line + b"\n", label) is None


def test_a_plain_word_is_a_password_where_it_is_quoted_or_a_program_reads_it():
    assert secret_of(validators.assigned_password, b'password: "opensesame"\n', b"password: ") == b"opensesame"
    assert secret_of(validators.assigned_password, b"PASSWORD=opensesame\n", b"PASSWORD=") == b"opensesame"
    assert secret_of(validators.assigned_password, b"password: opensesame\n", b"password: ") is None


@pytest.mark.parametrize("before", [b"page ", b"csrf_", b"next-", b""])
def test_cursors_and_public_tokens_are_left_alone(before: bytes):
    found = secret_of(validators.assigned_token, b"\n" + before + b"token: " + TOKEN + b"\n", b"token: ")

    assert found == (None if before else TOKEN)


def test_a_value_longer_than_any_is_left_to_the_other_rules():
    line = b"token: " + TOKEN * (LONGEST_VALUE // len(TOKEN) + 1)

    assert secret_of(validators.assigned_token, line + b"\n", b"token: ") is None


def test_basic_credentials_are_a_user_and_a_password():
    credentials, prose = base64.b64encode(b"bob:secret"), base64.b64encode(b"no colon in it")

    assert secret_of(validators.header_credentials, b"Basic " + credentials, b"Basic ") == credentials
    assert secret_of(validators.header_credentials, b"Basic " + prose, b"Basic ") is None
    assert secret_of(validators.header_credentials, b"Bearer " + TOKEN, b"Bearer ") == TOKEN
    assert secret_of(validators.header_credentials, b"bearer of news", b"bearer ") is None


def test_a_password_in_an_address_may_be_weak_but_no_placeholder():
    assert secret_of(validators.url_password, b"postgres://bob:root@h", b"root") == b"root"
    assert secret_of(validators.url_password, b"postgres://bob:password@h", b"password") is None
    assert secret_of(validators.url_password_with_slash, b"http://bob:a1/b2c3d4@h", b"a1/b2c3d4") == b"a1/b2c3d4"
    assert secret_of(validators.url_password_with_slash, b"http://host:80/@name", b"80/") is None


def test_a_password_of_a_command_needs_the_command():
    assert secret_of(validators.curl_password, b"curl -u bob:s3cretly x", b" -u bob:") == b"s3cretly"
    assert secret_of(validators.curl_password, b"curl -u 'bob:s3 cret' x", b" -u 'bob:") == b"s3 cret"
    assert secret_of(validators.curl_password, b"date -u bob:s3cretly x", b" -u bob:") is None
    assert secret_of(validators.curl_password, b"curl x\n\ntar -u bob:s3cretly", b" -u bob:") is None


def test_a_private_key_reaches_to_its_end_line_or_the_last_line_of_its_body():
    begin, end = b"-----BEGIN " + b"PRIVATE KEY-----", b"-----END " + b"PRIVATE KEY-----"
    body = b"\n" + b"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo" * 2 + b"\n"

    assert secret_of(validators.private_key, b"a " + begin + body + end + b" b", begin) == begin + body + end
    assert secret_of(validators.private_key, begin + body + b"\n(I left.)", begin) == begin + body.rstrip()
    assert secret_of(validators.private_key, begin + b" begins a key", begin) is None


@pytest.mark.parametrize(
    "before",
    [b"https://x.org/", b"sha256: ", b"documentId: ", b"data:image/png;base64,", b"ssh-rsa ", b"](", b""],
)
def test_base64_is_left_alone_in_addresses_hashes_images_and_public_keys(before: bytes):
    found = secret_of(validators.base64_blob, b"\n" + before + RANDOM_BASE64 + b"\n", RANDOM_BASE64)

    assert found == (None if before else RANDOM_BASE64)


def test_public_blocks_are_blanked_and_nothing_else():
    certificate = b"-----BEGIN CERTIFICATE-----\nQUJD\n-----END"
    private = b"-----BEGIN PRIVATE " + b"KEY-----\nQUJD\n-----END"

    assert validators.without_public_blocks(b"a " + certificate + b" b") == b"a " + bytes(len(certificate)) + b" b"
    assert validators.without_public_blocks(private) == private
