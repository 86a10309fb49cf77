import apsw
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import IndexDamaged
from quarry.index.note_codec import (
    NoteContent,
    decompressed_content,
    open_packed,
    pack,
    register,
    stored_terms,
    with_slots,
)
from quarry.index.postings.fields import CHUNK_FIELDS, NAME_FIELDS, NoteTerms, encode_terms, note_terms
from quarry.types import Chunk, Link, Shift


def unpack(packed):
    return open_packed(packed).content()


TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
POINT = st.integers(0, 10**7)
CHUNKS = st.builds(
    Chunk,
    number=st.just(0),
    heading_path=st.lists(TEXT, max_size=3).map(tuple),
    text=TEXT,
    start=POINT,
    end=POINT,
    start_utf16=POINT,
    line=st.integers(0, 10**6),
    context=TEXT,
    shifts=st.lists(st.builds(Shift, st.integers(0, 999), st.integers(-99, 99)), max_size=3).map(tuple),
    anchor=st.none() | TEXT,
)
LINKS = st.builds(Link, st.sampled_from(["wiki", "markdown"]), TEXT, st.none() | TEXT, st.none() | TEXT)


def numbered(chunks):
    return tuple(
        Chunk(n, c.heading_path, c.text, c.start, c.end, c.start_utf16, c.line, c.context, c.shifts, c.anchor)
        for n, c in enumerate(chunks)
    )


BODIES = st.builds(
    lambda slots, chunks, links, tags: NoteContent(
        tuple(slots[: len(chunks)]), numbered(chunks), tuple(links), tuple(tags)
    ),
    st.permutations(range(6)),
    st.lists(CHUNKS, max_size=6),
    st.lists(LINKS, max_size=3),
    st.lists(TEXT, max_size=3),
)


FIELD = st.lists(st.sampled_from(["a", "ü", "机", "c++", "\u2028"]), max_size=4).map(" ".join)


def terms_of(body, names, field):
    """Terms for as many chunks as *body* has; which they are does not matter to the codec."""
    return NoteTerms(names, ((field, *names[: CHUNK_FIELDS - 1]),) * len(body.chunks))


@given(BODIES, st.tuples(*[FIELD] * NAME_FIELDS), FIELD, st.permutations(range(6)))
def test_a_body_and_its_terms_come_back_as_they_were(body, names, field, slots):
    terms = terms_of(body, names, field)
    packed = pack(body, terms)

    assert unpack(packed) == body
    opened, stored = open_packed(packed), stored_terms(decompressed_content(packed))
    assert opened.terms() == terms
    assert stored.line == encode_terms(terms).encode()
    assert tuple(stored.slot(number) for number in range(len(body.chunks))) == body.slots
    assert [stored.number(slot) for slot in body.slots] == list(range(len(body.chunks)))
    moved = with_slots(packed, slots[: len(body.chunks)])
    assert unpack(moved) == NoteContent(tuple(slots[: len(body.chunks)]), body.chunks, body.links, body.tags)
    assert open_packed(moved).terms() == terms


@pytest.fixture
def note(make_note):
    return make_note("a.md", "apples and pears", "plums", heading="Fruit", tags=("t",))


@pytest.fixture
def body(note):
    return NoteContent.of(note)


@pytest.fixture
def packed(note, body):
    return pack(body, note_terms(note))


def test_slots_are_only_read_where_they_are_not_the_first_ones(packed):
    assert stored_terms(decompressed_content(packed)).slots is None
    assert stored_terms(decompressed_content(with_slots(packed, (4, 1)))).slots == [4, 1]


def test_a_body_that_changed_by_itself_is_damage_at_every_bit(body, packed):
    terms = stored_terms(decompressed_content(packed))
    for at in range(len(packed) * 8):
        flipped = bytearray(packed)
        flipped[at // 8] ^= 1 << at % 8
        try:
            found, of_terms = unpack(bytes(flipped)), stored_terms(decompressed_content(bytes(flipped)))
        except IndexDamaged:
            continue
        assert (found, of_terms) == (body, terms)  # a bit of the frame's header that says nothing of the content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"[[0],[],[],[],[],[],[],[]]",
        b"[[],[[1]],[],[[]],[],[],[],[5]]",
        b"\xff",
        b"nonsense",
        b'[[0],[],[1],[0],[0],[0],[0],[[]],[["H"]],[5]]\n[]\nx',
        b'[[0],[],[1],[0],[0],[0],[0],[[]],["H"],["c"]]\n[]\nx',
        b'[[0],[],[1],[0],[0],[0],[0],[[[1]]],[["H"]],["c"]]\n[]\nx',
    ],
)
def test_what_is_whole_but_no_body_is_damage(content):
    written = zstandard.ZstdCompressor().compress(b"\x1f" * 10 + b"\n" + content)

    with pytest.raises(IndexDamaged):
        unpack(written)


@pytest.mark.parametrize("line", [b"", b"a\x1fb", b"\x1f" * 5, b"\x1f" * 9, b"\x1f" * 20, b"\xff" + b"\x1f" * 15])
def test_terms_of_another_number_of_chunks_are_damage(packed, line):
    _, rest = zstandard.ZstdDecompressor().decompressobj().decompress(packed).split(b"\n", 1)
    opened = open_packed(zstandard.ZstdCompressor().compress(line + b"\n" + rest))

    with pytest.raises(IndexDamaged):
        opened.terms()


@pytest.mark.parametrize("content", [b"", b"a", b"a\n", b"a\n[[0", b"a\n[[0]]\nx"])
def test_what_is_whole_but_has_no_terms_is_damage(content):
    with pytest.raises(IndexDamaged):
        stored_terms(decompressed_content(zstandard.ZstdCompressor().compress(content)))


def test_what_claims_to_be_huge_is_damage_and_not_all_memory():
    frame = bytearray(zstandard.ZstdCompressor().compress(b"x" * (1 << 17)))
    frame[5:9] = (1 << 31).to_bytes(4, "little")

    with pytest.raises(IndexDamaged):
        unpack(bytes(frame))


def test_sql_asks_a_body_for_what_one_chunk_says(packed):
    connection = apsw.Connection(":memory:")
    register(connection)

    asked = "SELECT body_text(?1, ?2), body_section(?1, ?2), body_context(?1, ?2), body_headings(?1, ?2)"
    assert connection.execute(asked, (packed, (7 << 11) + 1)).fetchall() == [("plums", "Fruit", "a", '["Fruit"]')]
    for missing in (packed, None, b"no body"):
        with pytest.raises(IndexDamaged):
            connection.execute(asked, (missing, 5)).fetchall()
