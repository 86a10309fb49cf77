"""
Which words of a query stand in a section of a note that is not searched, such as "Related"?

The index does not hold these sections. An explanation of why a note is found, or not, mentions what they say.
"""

from collections.abc import Sequence

from quarry.analysis.alternatives import Languages
from quarry.conditions import HasPhrase, leaves
from quarry.documents.chunking import skipped_sections
from quarry.documents.frontmatter import read_front_matter
from quarry.documents.markdown import read_outline
from quarry.index.filters.blocks import says
from quarry.messages import Message, message
from quarry.types import Query

MAX_NAMED = 3  # words or phrases


def in_skipped_sections(
    text: str, query: Query, lacking: Sequence[str], skip_sections: Sequence[str], languages: Languages = ()
) -> list[Message]:
    """
    Messages on the phrases and exclusions of *query*, and the words *lacking*, that such a section contains.

    Args:
        text: The whole note.
        lacking: Words of the query that the index does not find in the note.
        skip_sections: The titles of sections that are not searched.
    """
    outline = read_outline(text, read_front_matter(text).body_start)
    found: dict[str, str] = {}
    phrases = list(dict.fromkeys([*_phrases(query), *query.phrases]))
    of_phrases = {word for phrase in phrases for word in phrase.lower().split()}
    wanted = [*phrases, *[word for word in lacking if word not in of_phrases]]
    for title, start, end in skipped_sections(text, outline.headings, skip_sections):
        for phrase in wanted:
            if phrase not in found and says(text[start:end], [phrase], [], languages):
                found[phrase] = title
    return [
        message("explained.skipped-section", words=phrase, section=title)
        for phrase, title in [*found.items()][:MAX_NAMED]
    ]


def _phrases(query: Query) -> list[str]:
    """The phrases that *query* requires or excludes."""
    return [leaf.phrase for leaf, _ in leaves(query.condition) if isinstance(leaf, HasPhrase)]
