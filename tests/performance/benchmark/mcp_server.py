"""What does the MCP server cost? Figures of a real `quarry mcp` process over a vault, each a function of its own."""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

from benchmark.measurement import DIGITS
from benchmark.server_cost import serving
from quarry.search.answer import estimate_tokens

SLOW_CALLS = 3  # at work beside the fast one: one fewer than a sidecar has threads for searches
SLOW_QUERY = "/(a|b|c|d)+e+(f|g|h)+.*(i|j|k)+/ the note that says what was decided and why"
_MEASURE = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], input=sys.stdin.buffer.read(), stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


class McpServerProcess:
    """A `quarry mcp` process, greeted."""

    def __init__(self, vault: Path) -> None:
        self._process = subprocess.Popen(command(vault), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._next_id = 1
        self._early: dict[int, Any] = {}  # answers that came while another was waited for
        self._send(greeting())
        self._receive()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def begin(self, method: str, **params: Any) -> int:
        """Send a request; gives its id."""
        self._next_id += 1
        self._send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})
        return self._next_id

    def wait(self, request_id: int) -> Any:
        """The result of the request."""
        while request_id not in self._early:
            message = self._receive()
            if "id" in message:
                self._early[message["id"]] = message["result"]
        return self._early.pop(request_id)

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _receive(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


def command(vault: Path) -> list[str]:
    """The command that serves *vault*."""
    return [sys.executable, "-P", "-m", "quarry", "mcp", "--vault", str(vault)]


def greeting() -> dict[str, Any]:
    """The first message of a client."""
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


def measure_mcp(vault: Path, text: str, turns: int) -> dict[str, float]:
    """The figures of the server, with a sidecar of *vault* that runs; the search is for *text*."""
    with serving(vault):  # or the server would start a sidecar that outlives the measurement
        cpu_ms, peak_mb = initialize_cost(vault, turns)
        alone_ms, beside_ms = fast_beside_slow_ms(vault, turns)
        search_ms = call_ms(vault, "search", turns=6 * turns, query=text)
        tokens = tools_list_tokens(vault)
    return {
        "initialize_cpu_ms": round(cpu_ms, DIGITS),
        "peak_mb": round(peak_mb, DIGITS),
        "tools_list_tokens": tokens,
        "search_ms": round(search_ms, DIGITS),
        "list_ms": round(alone_ms, DIGITS),
        "list_beside_slow_ms": round(beside_ms, DIGITS),
    }


def initialize_cost(vault: Path, turns: int) -> tuple[float, float]:
    """CPU milliseconds from the start of the process to its answer to `initialize` and its end, and its peak in MB."""
    costs = []
    for _ in range(turns):
        measure = [sys.executable, "-c", _MEASURE, *command(vault)]
        given = json.dumps(greeting()).encode() + b"\n"
        done = subprocess.run(measure, input=given, capture_output=True, check=True)
        costs.append(json.loads(done.stdout))
    return min(cpu_s for cpu_s, _ in costs) * 1000, max(peak_kb for _, peak_kb in costs) / 1024


def tools_list_tokens(vault: Path) -> int:
    """Tokens of the answer to `tools/list`, four characters each."""
    with McpServerProcess(vault) as server:
        listed = server.wait(server.begin("tools/list"))
    return estimate_tokens(json.dumps(listed, ensure_ascii=False, separators=(",", ":")))


def call_ms(vault: Path, name: str, *, turns: int, **arguments: Any) -> float:
    """The median time of a call alone, in milliseconds."""
    with McpServerProcess(vault) as server:
        return statistics.median(_timed_ms(server, name, arguments) for _ in range(turns))


def fast_beside_slow_ms(vault: Path, turns: int) -> tuple[float, float]:
    """The median time of `list_notes` alone, and beside slow searches at work, in milliseconds."""
    with McpServerProcess(vault) as server:
        alone = [_timed_ms(server, "list_notes", {}) for _ in range(turns * 3)]
        beside = []
        for _ in range(turns):
            slow = {"name": "search", "arguments": {"query": SLOW_QUERY, "limit": 50}}
            begun = [server.begin("tools/call", **slow) for _ in range(SLOW_CALLS)]
            beside.append(_timed_ms(server, "list_notes", {}))
            for request_id in begun:
                server.wait(request_id)
    return statistics.median(alone), statistics.median(beside)


def _timed_ms(server: McpServerProcess, name: str, arguments: dict[str, Any]) -> float:
    begun_s = time.perf_counter()
    server.wait(server.begin("tools/call", name=name, arguments=arguments))
    return (time.perf_counter() - begun_s) * 1000
