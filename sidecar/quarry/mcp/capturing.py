"""
The tool that writes: `capture`, a new note. It is listed only where `--allow-capture` was given.

The sidecar has a say of its own: it takes notes from agents only where the vault's settings allow that.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from quarry.mcp import markdown
from quarry.mcp.budget import Rendered
from quarry.mcp.calls import PendingCall
from quarry.mcp.markdown import clean_name
from quarry.mcp.vaults import Vault

if TYPE_CHECKING:
    from quarry import protocol as wire

SOURCE = "mcp"  # where a note comes from whose agent does not say


def capture(vault: Vault, asked: Mapping[str, Any], call: PendingCall) -> Rendered:
    """Write a note, and tell where it lies."""
    params = {
        **asked,
        "tags": asked["tags"] or [],
        "source": asked["source"] or SOURCE,
        "domain": asked["domain"] or "",
    }
    params.pop("vault", None)
    written: wire.CaptureResult = vault.ask("capture", params, call)
    redacted = f"{written.redacted} credentials were blanked" if written.redacted else None
    pending = None if written.searchable else "It is not indexed yet"
    known = None if written.created else "The very same note lay there already"
    message = markdown.sentences([redacted, pending, known])
    told = {"path": clean_name(written.path), "title": clean_name(written.title), "message": message}
    text = markdown.document(f"Captured: {markdown.title_line(told['path'], told['title'])}", message)
    return Rendered(markdown.without_empty(told, "path"), text)
