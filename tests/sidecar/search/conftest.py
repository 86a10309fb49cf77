"""A vault of strange words for the tests of what a search promises, and what its notes really say."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import HashEncoder, Sayings, Vault, settle, what_is_said

from quarry.engine import Engine

# Few, so that every note is stuffed with them; of many scripts, joined and not, composed and not.
TOKENS = (
    *("walnut", "oil", "Walnuts", "draft", "the", "of", "glue.", "hide,", "(glue)", "C++", "C#", ".NET", "v1.2.3"),
    *("Öl", "größe", "naïve", "nai\u0308ve", "Straße", "İstanbul", "ﬁne", "x²", "Ⅳ", "3.14", "2021-12-07", "50%"),
    *("snake_case", "getStaleFiles", "XMLHttpRequest", "--flag", "path/to/file.md", "foo.bar()", "http://x.y/z?q=1"),
    *("浜松", "機械学習", "機械", "学習する", "水", "คำไทย", "책을", "한국어", "नमस्ते"),
    *("שָׁלוֹם", "مُحَمَّد", "привет", "Αθήνα"),
    *("can't", "user’s", "e-mail", "U.S.A.", "rock'n'roll", "a\u00adb", "to-do", "**bold**", "`code`"),
    "[[Link|label]]",
    *("👩‍👩‍👧", "🇩🇪", "❤️", "→", "->", "#tag", "…", "—", "&", "- [ ]", "1.", "~~gone~~", "東京tower", "iPhone15"),
)
NOTES = 60


@pytest.fixture(scope="session")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Notes of the same few words in any order, long enough to have several chunks."""
    engine = build_strange(tmp_path_factory.mktemp("strange"))
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def said(strange: Engine) -> Sayings:
    return what_is_said(strange)


@pytest.fixture(scope="session")
def sample_said(sample: Engine) -> Sayings:
    return what_is_said(sample)


def build_strange(folder: Path) -> Engine:
    vault, chance = Vault(folder / "vault"), random.Random(7)
    for number in range(NOTES):
        few = chance.sample(TOKENS, k=20)
        lines = [" ".join(chance.choices(few, k=chance.randrange(3, 40))) for _ in range(chance.randrange(2, 25))]
        alias = " ".join(chance.choices(TOKENS[:6], k=3))
        head = f"---\naliases: ['{alias}']\n---\n# Note {number}\n" if number % 3 else ""
        vault.write(f"{number:02}.md", head + "\n\n".join(lines))
    engine = Engine.open(vault.root, folder / "index.db", load=lambda _: HashEncoder())
    settle(engine)
    return engine
