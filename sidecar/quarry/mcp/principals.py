"""
The principals of requests over HTTP, by their tokens, and the vaults that are served to them.

A principal sees its `Vaults` and nothing else. Those of a named token are a part of one vault, whose own index contains
no other notes: no tool has to check which notes it may show.
"""

import hmac
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from quarry.errors import BadRequest
from quarry.mcp.named_tokens import Grant, grant_of, grants, is_of
from quarry.mcp.vaults import MAX_WARMED, Vaults


class Principals(Protocol):
    """The principals of a server."""

    def served_to(self, token: bytes, *, is_use: bool = True) -> Vaults | None:
        """The vaults that *token* opens now; None if it opens none. *is_use*: for a new request."""

    def warm_up(self) -> None:
        """Make engines ready before the first request."""

    def close(self) -> None:
        """Close all connections that no call uses."""


class Owner:
    """The user of this machine, with the one token of *vaults*."""

    def __init__(self, token: str, vaults: Vaults) -> None:
        self._token = token.encode()
        self._vaults = vaults

    def served_to(self, token: bytes, *, is_use: bool = True) -> Vaults | None:  # noqa: ARG002
        """See `Principals`."""
        return self._vaults if hmac.compare_digest(token, self._token) else None

    def warm_up(self) -> None:
        """See `Principals`."""
        self._vaults.warm_up()

    def close(self) -> None:
        """See `Principals`."""
        self._vaults.close()


class TokenHolders:
    """The holders of named tokens of the vaults at *roots*; each request reads the grant of its token again."""

    def __init__(self, roots: Sequence[Path]) -> None:
        """
        Prepare to serve them.

        Raises:
            BadRequest: There are none yet.
        """
        self._roots = roots
        self._served: dict[tuple[str, tuple[str, ...], bool], Vaults] = {}
        if not self._known():
            raise BadRequest(
                "no token opens this vault, so that nobody could ask; make one: quarry token add NAME --folder F --read"
            )

    def served_to(self, token: bytes, *, is_use: bool = True) -> Vaults | None:
        """See `Principals`."""
        grant = grant_of(token, is_use=is_use)
        if grant is None or not any(is_of(grant, root) for root in self._roots):
            return None
        return self._vaults_of(grant)

    def warm_up(self) -> None:
        """See `Principals`."""
        of_parts = {(grant.vault, grant.folders): grant for grant in self._known()}
        for grant in list(of_parts.values())[:MAX_WARMED]:
            self._vaults_of(grant).warm_up()

    def close(self) -> None:
        """See `Principals`."""
        for vaults in self._served.values():
            vaults.close()

    def _vaults_of(self, grant: Grant) -> Vaults:
        key = (grant.vault, grant.folders, grant.may_capture)
        if key not in self._served:
            self._served[key] = Vaults.shared(Path(grant.vault), grant.folders, may_capture=grant.may_capture)
        return self._served[key]

    def _known(self) -> list[Grant]:
        return [grant for grant in grants() if any(is_of(grant, root) for root in self._roots)]
