"""What leaves through a door is cleaned once more: credentials for every reader, control characters for terminals."""

import json
import re
from collections.abc import Iterable, Mapping

# C0 but tab and line feed, DEL, C1 (a terminal obeys them), bidirectional marks, overrides and isolates, zero-width
# characters that are not joiners (emoji and Indic scripts need those), line separators, invisible operators,
# interlinear annotation, and tags and variation selectors of plane 14 (text that people do not see and models read).
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e01ef]"
)


def scrubbed(text: str) -> str:
    """*text* with credentials blanked: notes were scrubbed when indexed, this is the second line of defence."""
    from quarry.text.secrets.scrub import scrub_text  # what never passes anything on does without its rules

    return scrub_text(text)


def all_scrubbed(texts: Iterable[str]) -> Mapping[str, str]:
    """Each of *texts* -> `scrubbed`; a tenth of the time of one after the other. What was forgotten is no key of it."""
    from quarry.text.secrets.scrub import scrub_texts

    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, scrub_texts(distinct), strict=True))


def printable(text: str) -> str:
    """
    *text* without what could steer a terminal or hide words from the person who reads along with a model.

    What is taken out may have stood inside a credential and hidden it, so what is left is scrubbed again.
    """
    clean = _UNPRINTABLE.sub("", text)
    return clean if clean == text else scrubbed(clean)


def one_line(text: str) -> str:
    """*text* fit to stand in a line of Markdown: it begins no paragraph and closes no emphasis."""
    return re.sub(r"([*`\\])", r"\\\1", " ".join(printable(text).split()))


def printable_json(document: str) -> str:
    """The same JSON with those characters written as escapes: they can stand in strings only, and keep their value."""
    return _UNPRINTABLE.sub(lambda found: json.dumps(found[0])[1:-1], document)
