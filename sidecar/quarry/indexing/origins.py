"""What an index knows of how it was made: the model of its vectors, the rules by which its notes were read."""

import json
from collections.abc import Sequence

from msgspec.structs import asdict

from quarry.embedding import Fingerprint
from quarry.index import Index
from quarry.indexing.deadly import DEADLY
from quarry.text.versions import READER_VERSION, SCRUBBER_VERSION

FINGERPRINT = "fingerprint"  # of the model whose vectors it holds
READING = "reading"  # what decides the rows of a note besides its bytes


def reading_key(skip_sections: Sequence[str]) -> str:
    """The value of `READING` today; another one in the index means reading every note anew."""
    return json.dumps([READER_VERSION, SCRUBBER_VERSION, list(skip_sections)])


def fingerprint_text(fingerprint: Fingerprint) -> str:
    """The value of `FINGERPRINT`."""
    return json.dumps(asdict(fingerprint))


def stored_fingerprint(index: Index) -> Fingerprint | None:
    """Of the model whose vectors *index* holds; None where it never had one."""
    stored = index.meta_get(FINGERPRINT)
    return Fingerprint(**json.loads(stored)) if stored else None


def facts_for(index: Index, reading: str, fingerprint: Fingerprint | None) -> dict[str, str]:
    """What an index made anew in place of *index* is to know from its beginning."""
    facts = {READING: reading, DEADLY: index.meta_get(DEADLY) or "[]"}
    return facts | {FINGERPRINT: fingerprint_text(fingerprint)} if fingerprint else facts
