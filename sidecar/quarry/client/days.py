"""Days as people write them, and moments as the milliseconds since 1970 that the wire carries."""

from datetime import UTC, datetime

from quarry.errors import BadRequest

NO_DAY = "????-??-??"  # as long as a day, so that columns stay in line


def start_of_day_ms(text: str, name: str) -> int:
    """
    Milliseconds since 1970 at which the day *text*, `YYYY-MM-DD`, begins here.

    Raises:
        BadRequest: It is no such day; the message names the parameter *name*.
    """
    try:
        return round(datetime.strptime(text, "%Y-%m-%d").astimezone().timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise BadRequest(f"{name} is {text!r}; it takes a day such as 2026-01-31") from None


def day_of(moment_ms: int) -> str:
    """The day here at *moment_ms*; a file may claim to be from the year 60000, and is listed all the same."""
    try:
        return datetime.fromtimestamp(moment_ms / 1000, tz=UTC).astimezone().strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return NO_DAY
