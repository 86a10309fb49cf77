"""docs/PROTOCOL.md: everything needed to write a client, from the structs and from two tested programs."""

import inspect
import re
from collections import Counter
from pathlib import Path
from typing import Any

from quarry import errors, protocol
from quarry.protocol.envelope import Error
from quarry.server.failures import presentation_of

Schema = dict[str, Any]

HEAD = """\
<!-- Generated from sidecar/quarry/protocol/ by `npm run wire`; edit the structs, not this page. -->

# The Quarry protocol, version {version}

Every program that searches, reads or watches a vault talks to one sidecar over one socket: the plugin, the command
line, the MCP server and your own. This page contains everything that a client needs.
"""

CONNECTING = """\
## Connecting

A running sidecar keeps a *discovery file*, `VAULT-ID.json` in the user's runtime folder, readable by that user only.
`quarry attach --vault DIR` starts a sidecar if none is running and prints the path of the file; with `--json`, one
object: `discovery` (the path), `started` (whether this call started it) and `content`, the content of the file:

| field | type | meaning |
|---|---|---|
| `pid` | integer | the process that serves the vault |
| `port` | integer | its port, on 127.0.0.1 only |
| `token` | string | the reader's token, for this vault only; new at every start |
| `protocol` | integer | the version of this protocol that it speaks |
| `version` | string | the version of the sidecar |
| `vault` | object | `id`, `name` and `path` of the served folder |
| `owner` | string | the path of the file with the owner's token |
| `part` | string | the folders of the part of the vault that is served, one a line; empty: all of it |

1. Read the file. Open `ws://127.0.0.1:PORT/`, bypassing any configured proxy (`proxy=None` in Python's
   `websockets`: otherwise it uses `http_proxy` even for this address and sends the token to the proxy).
2. Send `initialize` with the token within three seconds. Until it is answered, all other requests are rejected.
3. Send requests in any order, up to 16 at a time; match answers by `id`. Messages without an `id` are
   notifications and may arrive at any time.

Before the WebSocket opens, the sidecar rejects a `Host` other than `127.0.0.1`, `localhost` or `[::1]` with its port,
and an `Origin` other than none or `app://obsidian.md`. Never put the token into a URL, an argument, the environment
or a log. The sidecar accepts 64 connections, at most 32 of them unauthenticated; the 65th client gets HTTP
status 503 and a body that begins with `busy:`. A wrong token gets the error `unauthorized`, delayed by a second after
several failures; then the connection is closed with code 4401.

## Tokens

There are two tokens, new at every start. The **reader's** token is in the discovery file and is for every tool: it
allows searching, reading, listing, reporting changes and feedback. The **owner's** token is in a separate file, named
by `owner` in the discovery file, `{"pid": 4711, "token": "…"}`, also readable by that user only. It also allows the
methods marked with *Needs the owner's token*, which change what others find or stop the sidecar that they use; with the
reader's token, they return the error `forbidden`. `capture` is one of them, because a note that an agent was tricked
into writing would be quoted to every later agent; `by_agents = true` under `[capture]` in the vault's `.quarry.toml`
opens it to the reader's token. `access` in the result of `initialize` says which token was sent.

A hook, an MCP server, or anything else that acts for an agent must not read the owner's file. Both files belong to one
user, so this does not stop a program that can read files; it stops a manipulated agent from using these methods
over this socket. A sidecar that names no `owner` has one token, which allows everything.

## Starting a sidecar

`quarry serve --vault DIR` serves until it is stopped (SIGTERM, Ctrl-C, `shutdown`). These options can be combined:

| option | the sidecar exits |
|---|---|
| `--idle SECONDS` | after this time without a client, a lease or anything to index; tools pass 600 |
| `--lifeline` | when its standard input ends: keep the other end of the pipe open |
| `--parent-pid PID` | when that process ends |

With `--lifeline`, it does not watch the vault: the program that started it reports changes with `vault/changed`.

It prints one line on standard output, usually within half a second and at most within 30 seconds, and nothing after it:

```json
{"ready": true, "discovery": "/run/user/1000/quarry/notes-3f.json", "port": 40123, "version": "0.1.0", "protocol": 1}
{"ready": false, "discovery": "/run/user/1000/quarry/notes-3f.json", "holder": {"pid": 4711}}
```

The second line says that another sidecar serves the vault: use that one. `pid` is 0 until that sidecar has written its
file; read the file again after 50 ms. A sidecar must outlive the tool that starts it: start it in a separate session
(`start_new_session`, `CREATE_NEW_PROCESS_GROUP`), with standard input from the null device.

| exit code | meaning |
|---|---|
| 0 | stopped on request, or idle |
| 1 | a failure; the last lines on standard error, which begin with `quarry: `, say what happened and what to do |
| 2 | an option or a setting is invalid |
| 3 | another sidecar serves this vault; see the line above |
| 4 | there is no such folder |
| 5 | the index was written by a newer version of Quarry |

A killed sidecar leaves its discovery file behind: nothing answers on its port, or another program does. The lock
`VAULT-ID.lock` beside it (`flock`; on Windows the first byte is locked) is held while the sidecar is running.
A port of 0 means that a program has opened the vault in its own process, without a socket.

## Waiting for the index

Every answer from the index has [`index`](#freshness): its state, its progress, and its epoch. To see its own recent
changes, a client sends `vault/changed` and passes `reportedMs` from the answer as `afterMs`, together with
`waitMs`. A client that asks only once passes `waitMs` alone, so that it does not query a sidecar that has just started
too early.

## Fairness

At most three requests of a client run at a time, and at most 16 are accepted; the next one gets the error
`busy`. Clients take turns. A search with `typing` from a client without running requests goes before others, and so
does `initialize`.
"""

ENVELOPE = """\
## Messages

```json
{"jsonrpc": "2.0", "id": 7, "method": "search", "params": {"query": "soft-boiled eggs"}}
{"jsonrpc": "2.0", "id": 7, "result": {"hits": []}}
{"jsonrpc": "2.0", "id": 7, "error": {"code": -32010, "message": "…", "data": {"kind": "bad-query", "next": "…"}}}
{"jsonrpc": "2.0", "method": "index/progress", "params": {"state": "indexing"}}
```

(Shortened.) An `id` is an integer or a string. Optional parameters may be omitted, and so may `params` if a method has
none. Replies always have all their fields.
"""

ERROR_MEANINGS = {
    "PARSE": "The frame is not JSON.",
    "INVALID_REQUEST": "JSON, but not a valid request at this point: a batch, a binary frame, a second `initialize`.",
    "METHOD_NOT_FOUND": "No such method; a sidecar of another version may have it.",
    "INVALID_PARAMS": "A parameter is missing, unknown or out of range; the message names it.",
    "INTERNAL": "A bug in the sidecar; its log has the trace.",
    "CANCELLED": "The request was cancelled or superseded.",
    "UNAUTHORIZED": "No token, or not this sidecar's: read the discovery file again.",
    "FORBIDDEN": "The method needs the owner's token.",
    "PROTOCOL_MISMATCH": "The two sides speak different versions: update the older one.",
    "BAD_QUERY": "The query cannot be parsed; `data.position` says where.",
    "NOT_FOUND": "There is no such note, or it may not be read.",
    "UNAVAILABLE": "The index or the vault cannot be used at the moment; `data.next` says what to do.",
    "DEADLINE": "The query took too long; use fewer or rarer words.",
    "BUSY": "Too many concurrent requests from this client; send it again after an answer.",
}


SAID_BY_THE_SOCKET = {"PARSE", "INVALID_REQUEST", "METHOD_NOT_FOUND", "INVALID_PARAMS", "FORBIDDEN", "BUSY"}

PURPOSES = {  # where the parameters do not tell it
    "index/status": "The status of the index. No parameters.",
    "index/pause": "Pause indexing after the current note; searches are answered, changes are queued. No parameters.",
    "index/reconcile": "Compare every file with the index, and index the differences: for drives that do not report "
    "changes. No parameters.",
    "index/resume": "Resume indexing. No parameters.",
    "settings/read": "The settings in force. No parameters.",
    "shutdown": "Finish the current note and exit. No parameters.",
    "tiers/answer": "Search this vault as a tier of another one.",
    "tiers/list": "The tiers of this device. No parameters.",
}


def document(known: dict[str, Schema], sessions: Path) -> str:
    """The whole page. *known* are the definitions, *sessions* the folder of the two example programs."""
    uses = Counter(result.__name__ for _, result in protocol.REQUESTS.values())
    once = {name for name, count in uses.items() if count == 1}
    own = once - {*map(_base, known.values())}  # results told with their method; the rest once, below
    told = own | {params.__name__ for params, _ in protocol.REQUESTS.values()} | _TOLD_ELSEWHERE
    methods = [_method(name, known, own) for name in protocol.REQUESTS]
    inner = [_struct(name, known) for name in sorted(known) if name not in told]
    return "\n".join(
        [
            HEAD.format(version=protocol.PROTOCOL_VERSION),
            *_chapters(inspect.getdoc(protocol) or ""),
            CONNECTING,
            ENVELOPE,
            "## Methods\n",
            *methods,
            "## Notifications\n",
            *_notifications(known),
            "## Values\n",
            *inner,
            _errors(known),
            _session("A session in Python", sessions / "session.py", "python"),
            _session("The same in JavaScript", sessions / "session.mjs", "js"),
        ]
    )


_TOLD_ELSEWHERE = {"Error", "ErrorData", "ErrorResponse", "CancelParams", "IndexUpdated"}


def _chapters(text: str) -> list[str]:
    """The indented parts of the module's docstring, each under the line that stands above it."""
    parts = re.findall(r"^(\S.*)\n((?: {4}.*(?:\n|$))+)", text, re.MULTILINE)
    return [f"## {title}\n\n{inspect.cleandoc(body)}\n" for title, body in parts]


def _method(name: str, known: dict[str, Schema], own: set[str]) -> str:
    params, result = (struct.__name__ for struct in protocol.REQUESTS[name])
    says = known[result]["description"]
    purpose = PURPOSES.get(name, known[params]["description"])
    if setting := protocol.SETTING_FOR_READERS.get(name):
        purpose += f" *Needs the owner's token, unless `{'.'.join(setting)}` in `.quarry.toml` is true.*"
    elif name in protocol.OWNER_METHODS:
        purpose += " *Needs the owner's token.*"
    is_told = _method_with(params) != name and known[params].get("properties")  # with an earlier one
    schema = {"extends": {"$ref": params}} if is_told else known[params]
    parts = [f"### `{name}`\n", f"{purpose}\n", *_fields("parameter", schema)]
    if result in own:
        return "\n".join([*parts, f"Result: `{result}`. {says}\n", *_fields("field", known[result])])
    return "\n".join([*parts, f"Result: [{result}](#{result.lower()}). {says}\n"])


def _base(schema: Schema) -> str:
    """The name of the struct that the one of *schema* extends; empty if it extends none."""
    return str(schema.get("extends", {}).get("$ref", "")).rpartition("/")[2]


def _notifications(known: dict[str, Schema]) -> list[str]:
    directions = [
        ("client to sidecar", protocol.CLIENT_NOTIFICATIONS.items()),
        ("sidecar to client", protocol.SERVER_NOTIFICATIONS.items()),
    ]
    return [
        _notification(f"`{name}`, {direction}", struct.__name__, known)
        for direction, table in directions
        for name, struct in table
    ]


def _notification(title: str, params: str, known: dict[str, Schema]) -> str:
    purpose = known[params]["description"]
    if params not in _TOLD_ELSEWHERE:
        return f"### {title}\n\nCarries [{params}](#{params.lower()}). {purpose}\n"
    return "\n".join([f"### {title}\n", f"{purpose}\n", *_fields("parameter", known[params])])


def _struct(name: str, known: dict[str, Schema]) -> str:
    schema = known[name]
    if "enum" in schema:
        return f"### {name}\n\n" + ", ".join(f"`{word}`" for word in schema["enum"]) + "\n"
    return "\n".join([f"### {name}\n", f"{schema['description']}\n", *_fields("field", schema)])


def _fields(title: str, schema: Schema) -> list[str]:
    """A table of the properties of *schema*, with a reference to those of the struct that it extends."""
    properties: dict[str, Schema] = schema.get("properties", {})
    base = _base(schema)
    also = [f"All {title}s of {_reference(base)}{', and:' if properties else '.'}\n"] if base else []
    if not properties:
        return also
    required = schema.get("required", [])
    rows = [
        f"| `{name}` | {_type(part)}{'' if name in required else ', optional'} | {_meaning(part)} |"
        for name, part in properties.items()
    ]
    return [*also, f"| {title} | type | meaning |", "|---|---|---|", *rows, ""]


def _reference(name: str) -> str:
    """A link to where the struct *name* is described: with the method whose parameters it is, or by itself."""
    method = _method_with(name)
    return f"[`{method}`](#{method.replace('/', '')})" if method else f"[{name}](#{name.lower()})"


def _method_with(params: str) -> str | None:
    """The first method with these parameters."""
    return next((method for method, (struct, _) in protocol.REQUESTS.items() if struct.__name__ == params), None)


def _type(schema: Schema) -> str:
    """A schema as a reader says it: `list of Mark`, `integer or null`."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(part) for part in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(f"`{word}`" for word in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    if schema.get("type") == "object":
        return f"object of {_type(schema['additionalProperties'])}"
    return str(schema.get("type", "anything"))


def _meaning(schema: Schema) -> str:
    inner = [part.get("description", "") for part in schema.get("anyOf", [])]
    return " ".join(filter(None, [schema.get("description", ""), *inner])).replace("|", "\\|").replace("\n", " ")


def _errors(known: dict[str, Schema]) -> str:
    codes = {name: value for name, value in vars(Error).items() if name.isupper() and isinstance(value, int)}
    rows = [f"| {code} | {_kinds(name, code)} | {ERROR_MEANINGS[name]} |" for name, code in codes.items()]
    return "\n".join(
        [
            "## Errors\n",
            "`message` is one sentence for a person: what happened, with which values. `data` is for programs:\n",
            *_fields("field", known["ErrorData"]),
            "| `code` | `data.kind` | when |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _kinds(name: str, code: int) -> str:
    """The words that `data.kind` has with *code*: the socket's own, named like the code, and those of the engine."""
    kinds = [name.lower().replace("_", "-")] if name in SAID_BY_THE_SOCKET else []
    for error in vars(errors).values():
        # Of ConnectionFailed no message tells: it is the client who meets it.
        if isinstance(error, type) and issubclass(error, errors.QuarryError) and error is not errors.ConnectionFailed:
            form = presentation_of(error.__new__(error))
            if form.code == code and form.kind not in kinds:
                kinds.append(form.kind)
    return ", ".join(f"`{kind}`" for kind in kinds)


def _session(title: str, path: Path, language: str) -> str:
    program = path.read_text(encoding="utf-8").strip()
    says = f"`tests/wire/{path.name}`, which the tests run exactly as shown:"
    return f"## {title}\n\n{says}\n\n```{language}\n{program}\n```\n"
