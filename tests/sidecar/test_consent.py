"""What the user of this device confirmed: kept outside of every vault, private, and read with suspicion."""

import stat
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest

from quarry import consent
from quarry.config import data_dir
from quarry.embedding.endpoint_name import withdraw
from quarry.errors import NotConfirmed


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path))


def test_nothing_is_confirmed_until_the_user_says_yes_and_then_only_that():
    assert not consent.is_confirmed("download", "owner/name")

    consent.confirm([("download", "owner/name"), ("key", "https://example.com:443")])

    assert consent.is_confirmed("download", "owner/name")
    assert consent.is_confirmed("key", "https://example.com:443")
    assert not consent.is_confirmed("endpoint", "owner/name")
    assert not consent.is_confirmed("download", "owner/other")


def test_a_yes_is_required_for_every_part_of_a_request():
    consent.confirm([("endpoint", "ollama:x")])
    consent.require([("endpoint", "ollama:x")], "ollama:x")

    with pytest.raises(NotConfirmed, match=r"'ollama:x', which you have not confirmed .* `quarry models use`"):
        consent.require([("endpoint", "ollama:x"), ("remote", "http://10.0.0.1:1")], "ollama:x")


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX modes")
def test_the_file_is_for_its_user_alone():
    consent.confirm([("download", "a/b")])

    assert stat.S_IMODE((data_dir() / consent.FILE_NAME).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"download": "a/b"}', '{"download": [1, null]}', "[" * 100_000, '{"download": ["\udcff"]}'],
)
def test_a_file_that_is_not_what_it_should_be_confirms_nothing_and_can_be_written_anew(content):
    (data_dir() / consent.FILE_NAME).write_bytes(content.encode("utf-8", "surrogateescape"))
    assert not consent.is_confirmed("download", "a/b")

    consent.confirm([("download", "a/b")])

    assert consent.is_confirmed("download", "a/b")


def test_answers_given_to_several_processes_at_once_are_all_kept():
    answers = [[("download", f"owner/{number}")] for number in range(40)]

    with ProcessPoolExecutor(4) as pool:
        list(pool.map(consent.confirm, answers))

    assert consent.confirmed() == {request for answer in answers for request in answer}


def test_a_yes_to_where_a_model_runs_is_withdrawn_with_the_last_model_there():
    first, second = "https://example.com/v1#first", "https://example.com/v1#second"
    of_both = [("remote", "https://example.com:443"), ("key", "https://example.com:443")]
    other = ("download", "owner/name")
    consent.confirm([("endpoint", first), ("endpoint", second), *of_both, other])

    assert withdraw(first) == [("endpoint", first)]
    assert consent.confirmed() == {("endpoint", second), *of_both, other}
    assert withdraw(second) == [("endpoint", second), *sorted(of_both)]
    assert consent.confirmed() == {other}
    assert withdraw(second) == []
