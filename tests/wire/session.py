"""Search a vault over its socket: `python session.py DISCOVERY_FILE WORD` prints the titles found."""

import asyncio
import itertools
import json
import sys
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect

ids = itertools.count(1)


async def call(socket: ClientConnection, method: str, params: dict[str, object]) -> dict[str, object]:
    """Send one request and wait for its answer; what the sidecar says meanwhile is skipped."""
    request_id = next(ids)
    await socket.send(json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}))
    async for frame in socket:
        message = json.loads(frame)
        if message.get("id") != request_id:
            continue  # a notification, such as index/progress
        if "error" in message:
            raise SystemExit(f"{message['error']['message']} {message['error']['data']['next']}")
        return message["result"]
    raise SystemExit("The sidecar closed the connection.")


async def main(discovery_file: str, word: str) -> None:
    """Connect, introduce ourselves, search, print."""
    sidecar = json.loads(Path(discovery_file).read_text(encoding="utf-8"))
    async with connect(f"ws://127.0.0.1:{sidecar['port']}/", proxy=None) as socket:
        hello = {"token": sidecar["token"], "protocol": 1, "client": {"name": "session.py"}}
        await call(socket, "initialize", hello)
        found = await call(socket, "search", {"query": word, "limit": 5})
        for hit in found["hits"]:
            print(hit["title"])


asyncio.run(main(*sys.argv[1:]))
