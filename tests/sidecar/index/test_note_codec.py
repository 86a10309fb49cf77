import apsw
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from quarry.errors import IndexDamaged
from quarry.index.note_codec import NoteContent, pack, register, unpack
from quarry.types import Chunk, Link, Shift

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
)
LINKS = st.builds(Link, st.sampled_from(["wiki", "markdown"]), TEXT, st.none() | TEXT, st.none() | TEXT)


def numbered(chunks):
    return tuple(
        Chunk(n, c.heading_path, c.text, c.start, c.end, c.start_utf16, c.line, c.context, c.shifts)
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


@given(BODIES)
def test_a_body_comes_back_as_it_was(body):
    assert unpack(pack(body)) == body


@pytest.fixture
def body(make_note):
    return NoteContent.of(make_note("a.md", "apples and pears", "plums", heading="Fruit", tags=("t",)))


def test_a_body_that_changed_by_itself_is_damage_at_every_bit(body):
    packed = pack(body)

    for at in range(len(packed) * 8):
        flipped = bytearray(packed)
        flipped[at // 8] ^= 1 << at % 8
        try:
            found = unpack(bytes(flipped))
        except IndexDamaged:
            continue
        assert found == body  # a bit of the frame's header that says nothing of the content


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
    with pytest.raises(IndexDamaged):
        unpack(zstandard.ZstdCompressor().compress(content))


def test_what_claims_to_be_huge_is_damage_and_not_all_memory():
    frame = bytearray(zstandard.ZstdCompressor().compress(b"x" * (1 << 17)))
    frame[5:9] = (1 << 31).to_bytes(4, "little")

    with pytest.raises(IndexDamaged):
        unpack(bytes(frame))


def test_sql_asks_a_body_for_what_one_chunk_says(body):
    connection = apsw.Connection(":memory:")
    register(connection)
    packed = pack(body)

    asked = "SELECT text_of(body_text(?1, ?2)), body_section(?1, ?2), body_context(?1, ?2), body_headings(?1, ?2)"
    assert connection.execute(asked, (packed, (7 << 11) + 1)).fetchall() == [("plums", "Fruit", "a", '["Fruit"]')]
    for missing in (packed, None, b"no body"):
        with pytest.raises(IndexDamaged):
            connection.execute(asked, (missing, 5)).fetchall()
