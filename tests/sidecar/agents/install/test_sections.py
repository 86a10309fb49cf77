"""A marked section comes into a Markdown file, and goes again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarry.agents.install.insertions import inserted
from quarry.agents.install.jsonc import Malformed
from quarry.agents.install.sections import section, section_in, section_insertions, without_section

BODY = "## Notes\n\nSearch them."


@given(st.text(alphabet="a#\n \r", max_size=20))
def test_a_section_is_found_and_removed(text):
    after = inserted(text, section_insertions(text, "notes", BODY))

    assert section_in(after, "notes") == section("notes", BODY)
    assert without_section(after, "notes").rstrip() == text.rstrip()


@pytest.mark.parametrize("text", ["", "# Rules\n", "# Rules\n\n", "# Rules\r\n\r\nBe brief.\r\n"])
def test_a_file_that_ends_its_last_line_is_the_same_again(text):
    assert without_section(inserted(text, section_insertions(text, "notes", BODY)), "notes") == text


def test_text_behind_the_section_stays():
    text = inserted("# Rules\n", section_insertions("# Rules\n", "notes", BODY)) + "\n# More\n"

    assert without_section(text, "notes") == "# Rules\n\n# More\n"


def test_sections_of_two_vaults_are_told_apart():
    text = inserted("", section_insertions("", "notes", BODY))
    text = inserted(text, section_insertions(text, "work", BODY))

    assert section_in(without_section(text, "notes"), "work") == section("work", BODY)
    assert section_in(without_section(text, "notes"), "notes") is None


def test_a_section_without_an_end_is_refused_with_its_line():
    with pytest.raises(Malformed) as refused:
        without_section("# Rules\n\n<!-- quarry:notes:start -->\nno end", "notes")

    assert refused.value.line == 3
