"""A vault on a shared server: what each named token sees, and how it comes to see anything else."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient

from quarry.cli.main import main
from quarry.mcp.http_server import MAX_CONNECTIONS, TokenGate, sdk_app
from quarry.mcp.named_tokens import add_token, grants, revoke_token
from quarry.mcp.principals import TokenHolders

pytestmark = pytest.mark.slow
SHARED = {
    "Team/Kettle.md": "# Kettle\n\nBoil the water for the oolong. See [[Falcon]] and ![[Falcon#Budget]], [[Bread]].\n",
    "Team/Bread.md": "---\ntags: [baking]\ntype: howto\n---\n# Bread\n\nFold the sourdough four times. [[Kettle]]\n",
    "Team/Index.md": "# Index\n\n- [[Kettle]]\n- [[Falcon]]\n- [[Bread]]\n",
    "Team/Deep/Beans.md": "---\naliases: [runners]\n---\n# Beans\n\nSow the beans in May, water them. See [[Bread]].\n",
    "Team/Board.canvas": json.dumps(
        {
            "nodes": [
                {"id": "a", "type": "file", "file": "Secret/Falcon.md", "x": 0, "y": 0, "width": 9, "height": 9},
                {"id": "b", "type": "text", "text": "water the board", "x": 0, "y": 0, "width": 9, "height": 9},
            ],
            "edges": [],
        }
    ),
    ".quarry.toml": '[context.xylograph-plans]\nquery = "budget"\n'
    '[capture]\nby_agents = true\nfolder = "Secret/Inbox"\n',
}
HIDDEN = {
    "Secret/Falcon.md": "---\naliases: [Project Zebra]\ntags: [merger]\ntype: deal\nowner: Quillfeather\n---\n"
    "# Falcon\n\n## Budget\n\nThe xylograph budget of the falcon is forty millions. [[Kettle]]\n",
    "Secret/Map of everything.md": "# Map of everything\n\n- [[Kettle]]\n- [[Falcon]]\n- [[Bread]]\n- [[Beans]]\n",
    "Secret/Bread.md": "# Bread\n\nThe other bread, with xylographs, water and sourdough.\n",
    "Team Two/Kettle.md": "# Kettle\n\nAnother kettle, of another team: oolong, water.\n",
    "team/Lower.md": "# Lower\n\nOolong in lower case, and water.\n",
    "Root.md": "# Root\n\nWater at the root: oolong, sourdough, beans. [[Kettle]]\n",
}
ODD_PATHS = [
    "Secret/Falcon.md",
    "secret/falcon.md",
    "../Secret/Falcon.md",
    "Team/../Secret/Falcon.md",
    "Team/Gate/Falcon.md",
    "Team/Door.md",
    "/Secret/Falcon.md",
    "Team/./Kettle.md",
    "Secret\\Falcon.md",
    "Secret/Falcon.md:1",
    "Secret%2FFalcon.md",
    "Team/Kettle.md\0.md",
    "Root.md",
    "Root",
    "team/Lower.md",
    "Team Two/Kettle.md",
    "Falcon",
    "[[Falcon]]",
    "Falcon#Budget",
    "Project Zebra",
    "Map of everything",
    "Bread",
    "Kettle",
    "runners",
    "Team/Board.canvas",
    "/etc/passwd",
    ".quarry.toml",
]
QUERIES = [
    "xylograph",
    "xylograf budget",
    '"falcon is forty"',
    "who is quillfeather",
    "[owner:Quillfeather]",
    "[owner]",
    "folder:Secret",
    "path:Secret water",
    "path:sec*",
    "file:Falcon",
    "#merger",
    "tag:merger OR water",
    "type:deal",
    "/xylo.*|millions/",
    "section:(budget)",
    "-water",
    "water",
    "watre the beens",
    "Secret/Falcon.md",
    "Project Zebra",
    "map of everything",
    "what does the falcon cost?",
]
TOOLS = [
    *(("search", {"query": query, "detail": detail}) for query in QUERIES for detail in ("full", "scan")),
    ("search", {"query": "water", "folder": "Secret"}),
    ("search", {"query": "water", "folder": "../Secret"}),
    ("search", {"query": "", "tag": "merger"}),
    ("search", {"query": "water", "type": "deal"}),
    *(("read_note", {"path": path, "links": True}) for path in ODD_PATHS),
    *(("find_related", {"path": path}) for path in ODD_PATHS),
    *(("explain_result", {"query": "xylograph water", "path": path}) for path in ODD_PATHS),
    ("find_related", {"text": "the xylograph budget of the falcon"}),
    *(("list_notes", arguments) for arguments in ({}, {"folder": "Secret"}, {"tag": "merger"}, {"type": "deal"})),
    *(("get_context", {"topic": topic, "min_confidence": 0}) for topic in QUERIES[:4]),
    ("get_context", {"block": "xylograph-plans"}),
    ("get_context", {"block": "no-block"}),
    ("get_context", {"topic": "water", "exclude": ["Secret/Falcon.md"]}),
    ("capture", {"text": "new", "folder": "Secret"}),
]
URIS = [f"quarry://note/{path}" for path in ODD_PATHS] + ["quarry://block/xylograph-plans", "quarry://status"]
COMPLETIONS = [("ref/resource", "path", "Sec"), ("ref/resource", "path", ""), ("ref/resource", "name", "")]
REQUESTS = [
    *(("tools/call", {"name": name, "arguments": arguments}) for name, arguments in TOOLS),
    *(("resources/read", {"uri": uri}) for uri in URIS),
    *((method, {}) for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list")),
    ("resources/list", {"cursor": "1.0"}),
    ("prompts/get", {"name": "morning"}),
    ("prompts/get", {"name": "research", "arguments": {"topic": "xylograph budget"}}),
    ("prompts/get", {"name": "error", "arguments": {"message": "falcon: water", "vault": "Notes"}}),
    *(
        ("completion/complete", {"ref": {"type": kind, "uri": "quarry://note/{+path}"}, "argument": argument})
        for kind, name, value in COMPLETIONS
        for argument in [{"name": name, "value": value}]
    ),
    (
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "research"}, "argument": {"name": "topic", "value": "fal"}},
    ),
]


def write_notes(root, notes):
    for path, text in notes.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (1_750_000_000, 1_750_000_000 + len(path)))
    return root


def asked(served, method, params, token=None, request_id=7, **headers):
    """The result or error of a request, as the server sends it."""
    body = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    status, _, answer = served.request(body=body, Authorization=f"Bearer {token or served.token}", **headers)
    if status != 200 and not answer:
        return status
    data = next((line for line in answer.decode().splitlines() if line.startswith("data: ")), answer.decode())
    return json.loads(data.removeprefix("data: "))


def listed(served, token=None):
    answer = asked(served, "tools/call", {"name": "list_notes", "arguments": {"limit": 50}}, token)
    return answer["result"]["content"][0]["text"]


@pytest.fixture
def share(tmp_path, home, serve, tools):
    """Serve a vault to a token for some of its folders."""

    def begin(root, *folders, name="bob", may_capture=False, notes=None, options=("--listen", "127.0.0.1")):
        token, _ = add_token(name, root, list(folders), may_capture=may_capture)
        served = serve(root, home=home, options=options, token=token)
        tools.eventually(lambda: notes is None or listed(served).count("\n- ") + 1 == notes, "the index")
        return served

    return begin


def test_a_token_is_answered_as_if_the_vault_had_no_other_folders(tmp_path, share):
    whole = write_notes(tmp_path / "a" / "Notes", {**SHARED, **HIDDEN})
    part = write_notes(tmp_path / "b" / "Notes", SHARED)
    for root in (whole, part):
        (root / "Team/Door.md").symlink_to("../Secret/Falcon.md")
        (root / "Team/Gate").symlink_to("../Secret")
    of_whole = share(whole, "Team", notes=5)
    of_part = share(part, "Team", name="eve", notes=5)

    for method, params in REQUESTS:
        answer = asked(of_whole, method, params)
        assert answer == asked(of_part, method, params), (method, params)
        said = json.dumps(answer).lower()
        for secret in ("millions", "quillfeather\\n", "another team", "everything.md", str(tmp_path).lower()):
            assert secret not in said or secret in json.dumps(params).lower(), (method, params, said)


def test_a_note_outside_looks_like_one_that_does_not_exist_and_blocks_of_the_whole_vault_are_not_named(tmp_path, share):
    served = share(write_notes(tmp_path / "Notes", {**SHARED, **HIDDEN}), "Team", notes=5)

    def said(name, path):
        more = {"query": "water"} if name == "explain_result" else {}
        answer = asked(served, "tools/call", {"name": name, "arguments": {"path": path, **more}})
        return json.dumps(answer).replace(path, "PATH")

    for name in ("read_note", "find_related", "explain_result"):
        assert said(name, "Secret/Falcon.md") == said(name, "Team/Zeppelin.md") == said(name, "Nowhere/Zeppelin.md")
    assert "xylograph-plans" not in json.dumps(asked(served, "resources/list", {}))


def test_two_tokens_that_ask_at_once_with_equal_ids_and_one_session_get_their_own_notes(tmp_path, share, tools):
    root = write_notes(tmp_path / "Notes", {**SHARED, **HIDDEN})
    served = share(root, "Team", notes=5)
    other, _ = add_token("eve", root, ["Secret", "Team Two"], may_capture=False)
    tools.eventually(lambda: "Falcon" in listed(served, other), "the other index")
    wrong = []

    def ask(token, mine):
        for _ in range(15):
            text = listed_in_session(token)
            if any(path.startswith("Team/") != mine for path in paths_in(text)):
                wrong.append(text)

    def listed_in_session(token):
        call = {"name": "list_notes", "arguments": {"limit": 50}}
        return asked(served, "tools/call", call, token, Mcp_Session_Id="one")["result"]["content"][0]["text"]

    def paths_in(text):
        return [line.split("**")[1] for line in text.splitlines() if line.startswith("- ")]

    threads = [threading.Thread(target=ask, args=one) for one in [(served.token, True), (other, False)] * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    _, headers, _ = served.request(body={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    assert "mcp-session-id" not in headers


def test_a_principal_who_holds_all_connections_keeps_no_other_out(tmp_path, share):
    root = write_notes(tmp_path / "Notes", SHARED)
    served = share(root, "Team", notes=5)
    other, _ = add_token("eve", root, ["/"], may_capture=False)
    address = urlsplit(served.url)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    headers = {"Authorization": f"Bearer {served.token}", "Content-Type": "application/json"}
    held = [http.client.HTTPConnection(address.hostname, address.port) for _ in range(MAX_CONNECTIONS)]
    try:
        for connection in held:
            connection.request("POST", "/mcp", body, {**headers, "Accept": "application/json, text/event-stream"})
            assert connection.getresponse().read()

        assert "read_note" in json.dumps([asked(served, "tools/list", {}, other) for _ in range(3)])
    finally:
        for connection in held:
            connection.close()


def test_a_revoked_token_opens_nothing_from_the_next_request_on(tmp_path, share):
    root = write_notes(tmp_path / "Notes", SHARED)
    served = share(root, "Team", notes=5)
    kept, _ = add_token("eve", root, ["/"], may_capture=False)

    revoke_token("bob")

    assert asked(served, "tools/list", {}) == 401
    assert "Team/Kettle.md" in listed(served, kept)


def test_a_token_that_is_revoked_while_its_request_is_answered_gets_no_answer(tmp_path):
    root = write_notes(tmp_path / "Notes", SHARED)
    token, _ = add_token("bob", root, ["Team"], may_capture=False)

    class RevokedMeanwhile(TokenHolders):
        looks = 0

        def served_to(self, token, *, is_use=True):
            self.looks += 1
            if self.looks == 3:  # the request came in, and its work is done
                revoke_token("bob")
            return super().served_to(token, is_use=is_use)

    principals = RevokedMeanwhile([root])
    app = TokenGate(sdk_app(principals, ["127.0.0.1:1"], "notes"), principals)
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    with TestClient(app, base_url="http://127.0.0.1:1", headers=headers) as client:
        answer = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).text

    assert principals.looks == 3
    assert "this token was revoked" in answer
    assert "read_note" not in answer


def test_a_token_of_another_vault_opens_nothing_and_the_last_use_is_told(tmp_path, share, rpc):
    root, other = write_notes(tmp_path / "Notes", SHARED), write_notes(tmp_path / "Other", SHARED)
    served = share(root, "Team", notes=5)
    foreign, _ = add_token("eve", other, ["/"], may_capture=False)

    assert asked(served, "tools/list", {}, foreign) == 401
    call = {"name": "list_notes", "_meta": rpc.ENVELOPE}
    modern = {"MCP_Protocol_Version": rpc.STATELESS, "Mcp_Method": "tools/call", "Mcp_Name": "list_notes"}
    assert "Team/Kettle.md" in json.dumps(asked(served, "tools/call", call, **modern))
    assert asked(served, "tools/call", call, foreign, **modern) == 401
    assert [(one.name, one.last_used_ms is None) for one in grants() if one.name == "bob"] == [("bob", False)]


def test_a_token_writes_only_with_the_right_and_only_into_its_folders(tmp_path, share):
    root = write_notes(tmp_path / "Notes", {**SHARED, **HIDDEN})
    served = share(root, "Team", may_capture=True, notes=5)
    reader, _ = add_token("eve", root, ["Team"], may_capture=False)

    def capture(token=None, **arguments):
        return asked(
            served, "tools/call", {"name": "capture", "arguments": {"text": "A new thought", **arguments}}, token
        )

    assert "there is no tool 'capture'" in capture(reader)["error"]["message"]
    refused = [capture(folder=folder) for folder in ("Secret", "Nowhere", "Team/Gate/../../Secret", "/", "team")]
    assert all(one["result"]["isError"] for one in refused)
    assert "It lies outside the folders that are served here." in refused[0]["result"]["content"][0]["text"]
    assert json.dumps(refused[1]).replace("Nowhere", "Secret") == json.dumps(refused[0])
    before = sorted(root.rglob("*thought*"))
    assert "Team/A new thought.md" in capture()["result"]["content"][0]["text"]
    assert (before, [path.parent.name for path in root.rglob("*thought*")]) == ([], ["Team"])


def test_what_is_wrong_with_the_machine_is_told_to_its_administrator_alone(tmp_path, share, home):
    root = write_notes(tmp_path / "Notes", SHARED)
    served = share(root, "Team", notes=5)
    shutil.move(root, tmp_path / "Moved")
    subprocess.run(
        [sys.executable, "-m", "quarry", "stop", "--all"], check=True, env={**os.environ, "QUARRY_HOME": str(home)}
    )

    answers = [
        asked(served, "tools/call", {"name": "search", "arguments": {"query": "tea"}}),
        asked(served, "resources/list", {}),
    ]

    assert "ask whoever runs this server" in json.dumps(answers)
    assert str(tmp_path) not in json.dumps(answers)
    assert str(root).encode() in served.end(signal.SIGTERM)[1]


def test_a_server_for_other_machines_begins_only_with_a_token_and_a_proxy(tmp_path, home, capsys):
    root = write_notes(tmp_path / "Notes", SHARED)

    def refusal(*options):
        assert main(["mcp", "--vault", str(root), *options]) == 2
        return capsys.readouterr().err

    assert "quarry token add NAME --folder F --read" in refusal("--http", "--listen", "127.0.0.1:0")
    add_token("bob", root, ["Team"], may_capture=False)
    assert "--public-url https://notes.example.org" in refusal("--http", "--listen", "0.0.0.0:0")
    assert "takes an IP address" in refusal("--http", "--listen", "")
    assert "--listen needs --http" in refusal("--listen", "0.0.0.0:0")
    assert "--public-url needs --http and --listen" in refusal("--http", "--public-url", "https://x.example")
    assert "a token has its own right" in refusal("--http", "--listen", "127.0.0.1:0", "--allow-capture")


def test_behind_a_proxy_its_name_is_the_host_and_no_other_is(tmp_path, share):
    root = write_notes(tmp_path / "Notes", SHARED)
    served = share(root, "Team", options=("--listen", "0.0.0.0:0", "--public-url", "https://notes.example.org/mcp"))

    assert served.url == "https://notes.example.org/mcp"
    assert served.request(Host="notes.example.org")[0] == 200
    assert served.request(Host="evil.example")[0] == 421
    assert served.request(Host="notes.example.org", Origin="https://notes.example.org")[0] == 403
    assert served.request(Host="notes.example.org", Authorization=None)[0] == 401
