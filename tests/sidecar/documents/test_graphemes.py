"""What a reader sees as one character is not cut."""

import pytest

from quarry.documents.graphemes import is_safe_cut


@pytest.mark.parametrize(
    "cluster",
    [
        "e\u0301",
        "👩\u200d👩\u200d👧",
        "👍🏽",
        "❤\ufe0f",
        "1\ufe0f\u20e3",
        "🇩🇪",
        "नि",
        "🏴\U000e0067\U000e0062\U000e007f",
        "क्ष",
        "\u1112\u1161\u11ab",
        "น้ำ",
        "\r\n",
    ],
)
def test_a_cluster_can_be_cut_at_its_ends_only(cluster: str) -> None:
    text = f"a{cluster}{cluster}b"
    size = len(cluster)

    assert [at for at in range(len(text) + 1) if is_safe_cut(text, at)] == [0, 1, 1 + size, 1 + 2 * size, len(text)]


def test_flags_are_told_apart_however_many_stand_in_a_row() -> None:
    text = "🇩🇪" * 200

    assert [at for at in range(len(text) + 1) if is_safe_cut(text, at)] == list(range(0, 401, 2))
