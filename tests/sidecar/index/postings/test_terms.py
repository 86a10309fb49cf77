from hypothesis import given
from hypothesis import strategies as st

from quarry.index.postings.terms import Terms

WORDS = st.sets(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).map(str.encode), max_size=40)


@given(WORDS, st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3).map(str.encode))
def test_terms_are_found_by_themselves_and_by_their_beginning(words, wanted):
    ordered = sorted(words)
    terms = Terms.of(ordered)

    assert list(terms) == ordered == [terms[at] for at in range(len(terms))]
    for at, word in enumerate(ordered):
        assert terms.range_of(word) == (at, at + 1)
    first, last = terms.range_of(wanted)
    assert last - first == (wanted in words)
    first, last = terms.range_beginning(wanted)
    assert ordered[first:last] == [word for word in ordered if word.startswith(wanted)]
