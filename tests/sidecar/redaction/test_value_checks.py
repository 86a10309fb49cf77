import base64
import random

import pytest

from quarry.redaction import value_checks as values

RANDOM = base64.b64encode(random.Random(3).randbytes(33))


def test_entropy_is_in_bits_a_character():
    assert values.entropy(b"") == 0.0
    assert values.entropy(b"aaaa") == 0.0
    assert values.entropy(b"abab") == 1.0
    assert values.entropy(bytes(range(256))) == 8.0


@pytest.mark.parametrize(
    "value", [b"<token>", b"${TOKEN}", b"$TOKEN", b"{{token}}", b"%(token)s", b"xxxxxxxx", b"********", b"changeme"]
)
def test_placeholders_stand_in_for_a_secret(value: bytes):
    assert values.is_placeholder(value)


@pytest.mark.parametrize(
    "value", [b"my-secret-token", b"YOUR_API_KEY", b"test-password-1", b"secret123", b"example.token"]
)
def test_words_about_secrets_stand_in_for_one(value: bytes):
    assert values.is_placeholder(value)


@pytest.mark.parametrize("value", [b"hunter2", b"Tr0ub4dor&3", b"s3cr3t!", RANDOM])
def test_what_somebody_would_type_stands_in_for_nothing(value: bytes):
    assert not values.is_placeholder(value)


@pytest.mark.parametrize(
    "value", [b"my-app-2", b"MyClassName2003", b"v1.22.3", b"10th+edition", b"us-east-1a", b"2024"]
)
def test_names_are_words_and_short_numbers(value: bytes):
    assert values.is_identifier(value)


@pytest.mark.parametrize("value", [b"tok9Zq81LmPw77", b"a8f5f167f44f4964e6c998dee827110c", RANDOM])
def test_random_strings_are_no_names(value: bytes):
    assert not values.is_identifier(value)


@pytest.mark.parametrize(
    "value", [b"d41d8cd98f00b204e9800998ecf8427e", b"3e80b5a8-b6e7-43c6-a816-e54befc513a3", b"AB" * 32]
)
def test_digests_and_uuids_are_known_by_their_form(value: bytes):
    assert values.is_digest(value)


@pytest.mark.parametrize("value", [b"hunter2", b"p@ssw0rd!x", b"correcthorse9", b"84629173", b"aXkQpLmZrTwv"])
def test_password_has_more_than_letters_of_a_word(value: bytes):
    assert values.is_password(value)


@pytest.mark.parametrize(
    "value", [b"required", b"abc12", b"000000", b"getPassword(1)", b"secrets.json", b"two words1", b""]
)
def test_word_call_or_file_is_no_password(value: bytes):
    assert not values.is_password(value)


@pytest.mark.parametrize(
    "value", [b"tok9Zq81LmPw77", b"0b1c9d7e-52aa-4c1f-9e03-7d41f6a2c8b5", b"918273645546372819", RANDOM]
)
def test_token_is_machine_made(value: bytes):
    assert values.is_token(value)


@pytest.mark.parametrize(
    "value", [b"abc123", b"user-token-2", b"2024-09-21T19:43", b"obj.token1", b"0123456789abcdefgh"]
)
def test_name_time_or_alphabet_is_no_token(value: bytes):
    assert not values.is_token(value)


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        (RANDOM, True),
        (b"d41d8cd98f00b204e9800998ecf8427e", False),
        (b"x9" * 4, False),
        (b"Linux-node-" + b"0123abcd" * 5, False),
    ],
)
def test_bare_key_is_long_and_random_and_no_digest(value: bytes, accepted: bool):
    assert values.is_bare_key(value) is accepted


@pytest.mark.parametrize(
    ("value", "accepted"), [(b"/usr/local/lib/python3", True), (b"CMFCVisualManagerOffice2007", True), (RANDOM, False)]
)
def test_path_is_mostly_words(value: bytes, accepted: bool):
    assert values.is_path(value) is accepted
