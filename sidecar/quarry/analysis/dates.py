"""
Which dates does a text name in words? A query for `december 2021` should find a note called `2021-12-07`.

English names of months, in full or the first three letters, with the day before or after.
"""

import re

from quarry.lazy_pattern import lazy_pattern

_NAMES = """
january february march april may june july august september october november december
"""
_MONTHS = _NAMES.split()
_NUMBER = {name: number for number, name in enumerate(_MONTHS, start=1)} | {
    name[:3]: number for number, name in enumerate(_MONTHS, start=1)
}
_MONTH = "|".join(sorted(_NUMBER, key=len, reverse=True))
_DAY = r"(?P<{}>[0-3]?[0-9])(?:st|nd|rd|th)?"
_SPOKEN_DATE = lazy_pattern(
    rf"\b(?:{_DAY.format('before')}\s+(?:of\s+)?)?(?P<month>{_MONTH})\.?,?(?:\s+{_DAY.format('after')}(?![0-9]),?)?"
    r"\s+(?P<year>[12][0-9]{3})\b",
    re.IGNORECASE,
)


def date_phrases(text: str) -> tuple[str, ...]:
    """The months and days with a year that *text* names in words, as `2021 12` or `2021 12 07`: year first."""
    found = []
    for said in _SPOKEN_DATE.finditer(text):
        day = said["before"] or said["after"]
        month = f"{said['year']} {_NUMBER[said['month'].lower()]:02d}"
        found.append(f"{month} {int(day):02d}" if day and 1 <= int(day) <= 31 else month)
    return tuple(dict.fromkeys(found))
