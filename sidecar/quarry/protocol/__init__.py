"""
The wire: every message that passes between the sidecar and its clients, defined once.

Transport
    JSON-RPC 2.0 in WebSocket text frames on 127.0.0.1, one message per frame, UTF-8, at most 1 MiB to the sidecar.
    The first message is `initialize` and carries the token from the discovery file.

Units
    Times are milliseconds since 1970 (`…Ms`). Offsets are UTF-16 code units, `[start, end)`: into the snippet for
    `marks`, into the note as an editor shows it (no byte order mark, one unit per line end) for all others.
    Lines count from 0, ranks from 1. Paths are vault-relative with `/`, in NFC. Scores: higher is better.

Queries
    Words rank the notes, in any form and by meaning; everything else is a condition that each hit satisfies.

    - `"rate limit"` adjacent words; `/v\\d+/` a regular expression (RE2)
    - `-word`, `-"a phrase"`, `-tag:x`, `-(a b)` without; `a OR b` either; `( )` a group
    - `path:`, `file:`, `folder:`, `tag:` or `#tag` the note's location and tags
    - `section:(a b)`, `task:x`, `task-todo:x`, `task-done:x` together in one section, in one task
    - `[name]`, `[name:value]`, `[name:<5]`, `[name:a OR b]`, `[name:null]` properties; also `type:`, `domain:`,
      `status:`
    - `created:`, `modified:` with `>=2026-01-01`, `2026-03`, `2026-01..2026-03`, `7d`, `"last week"`

Compatibility
    Replies may gain fields: ignore fields that you do not know. Unknown *request* parameters are rejected by name.
    `PROTOCOL_VERSION` changes only when an old client would misread a new sidecar.

The TypeScript types and docs/PROTOCOL.md are generated from this package (`npm run wire`).
"""

# ruff: noqa: F403  every name of these modules belongs to the wire
from quarry.kinds import *
from quarry.limits import *
from quarry.options import *
from quarry.protocol.base import *
from quarry.protocol.context import *
from quarry.protocol.hits import *
from quarry.protocol.inspection import *
from quarry.protocol.methods import *
from quarry.protocol.notes import *
from quarry.protocol.search import *
from quarry.protocol.session import *
from quarry.protocol.tiered import *
