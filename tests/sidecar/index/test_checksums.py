from quarry.index.checksums import digest, vector_checksum


def test_no_two_lists_share_a_hash():
    lists = [
        ("a", "b"),
        ("ab",),
        ("a,b",),
        ("a", b"b"),
        ("1",),
        (1,),
        (None,),
        ("None",),
        (1.0,),
        ("é",),
        ("e\u0301",),
        (),
    ]

    assert len({digest(*parts) for parts in lists}) == len(lists)


def test_a_hash_is_the_same_in_every_run_and_version():
    assert digest("é", 1, b"\x00").hex() == "1cd3025ce77d8205c6164bac9a9efed7"


def test_a_vector_is_tied_to_its_text():
    assert vector_checksum(b"one", b"vector") != vector_checksum(b"other", b"vector")
