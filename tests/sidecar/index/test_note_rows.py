import pytest

from quarry.index.note_rows import check_storable, link_keys
from quarry.types import Link

# --- columns and bodies -------------------------------------------------------------------------


def test_each_name_that_links_lead_to_is_a_key_once_and_the_note_itself_is_none(make_note):
    links = [Link("wiki", target, None, None) for target in ("Plums", "f/plums.md", "", "Pears")]

    assert link_keys(make_note("a.md", "x", links=tuple(links))) == ["plums", "pears"]


@pytest.mark.parametrize("field", ["title", "aliases", "tags"])
def test_half_a_surrogate_pair_is_refused_anywhere(make_note, field):
    value = "x\udcff" if field == "title" else ("x\udcff",)

    with pytest.raises(ValueError, match="no Unicode"):
        check_storable(make_note("a.md", "t", **{field: value}))
