"""What the text of a note must hold, as SQL on the note `n`: a regular expression, phrases in one section, a task."""

import json

from quarry.conditions import InSection, InTask, MatchesPattern
from quarry.errors import BadQuery
from quarry.index.filters.phrases import ALWAYS, ANY_CHUNK, WrittenPhrases
from quarry.index.sql import SqlFragment, concat, join
from quarry.terms.patterns import BadPattern, compile_pattern

_FILE = "substr(n.path, length(rtrim(n.path, replace(n.path, '/', ''))) + 1)"
_PLACES = {"path": "n.path", "file": _FILE}
_LOOKS_LIKE_TASK = SqlFragment("instr(c.text, ' [') > 0 AND instr(c.text, '] ') > 0")  # five times faster than GLOB
_EVERY_SECTION = SqlFragment("SELECT note_id, section FROM chunks")


def matching(wanted: MatchesPattern) -> SqlFragment:
    """
    Whether the regular expression matches in the note's text, path or file name.

    Raises:
        BadQuery: It cannot be used on this machine.
    """
    try:
        compile_pattern(wanted.pattern)
    except BadPattern as error:
        raise BadQuery(f"the regular expression /{wanted.pattern}/ cannot be used: {error}", 0) from error
    if wanted.place == "text":
        return chunk_matching(wanted).wrap(ANY_CHUNK, ")")
    return SqlFragment(f"matches(?, {_PLACES[wanted.place]})", (wanted.pattern,))


def in_section(wanted: InSection, phrases: WrittenPhrases) -> SqlFragment:
    """Whether one section, by note and heading trail, holds each of the wanted phrases and none of the excluded."""
    found = [_sections(phrase, phrases) for phrase in wanted.phrases] or [_EVERY_SECTION]
    without = [_sections(phrase, phrases).wrap(" EXCEPT ") for phrase in wanted.without]
    sections = concat("", [concat(" INTERSECT ", found), *without])
    return sections.wrap("n.id IN (SELECT note_id FROM (", "))")


def with_task(wanted: InTask, phrases: WrittenPhrases) -> SqlFragment:
    """Whether a chunk of the note holds a task that meets *wanted*."""
    return chunk_with_task(wanted, phrases).wrap(ANY_CHUNK, ")")


def chunk_matching(wanted: MatchesPattern) -> SqlFragment:
    """Whether the regular expression matches in the text of the chunk `c`."""
    return SqlFragment("matches(?, c.text)", (wanted.pattern,))


def chunk_with_task(wanted: InTask, phrases: WrittenPhrases) -> SqlFragment:
    """Whether the chunk `c` holds a task that meets *wanted*."""
    cheap = [phrases.may_be_in_text(phrase) for phrase in wanted.phrases]
    asked = SqlFragment("has_task(c.text, ?)", (json.dumps([wanted.state, wanted.phrases, wanted.without]),))
    return join(" AND ", [*(each for each in cheap if each != ALWAYS), _LOOKS_LIKE_TASK, asked], ALWAYS)


def _sections(phrase: str, phrases: WrittenPhrases) -> SqlFragment:
    """Notes and heading trails of the chunks that hold *phrase*."""
    return phrases.in_section(phrase).wrap("SELECT c.note_id, c.section FROM chunks c WHERE ")
