"""The example of a reverse proxy in docs/SERVER.md, run: nginx with a certificate of its own before a shared server."""

import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from quarry.mcp.named_tokens import add_token, revoke_token

PAGE = Path(__file__).parents[3] / "docs" / "SERVER.md"
NAME = "notes.example.org"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_notes", "arguments": {}}}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed"),
    pytest.mark.skipif(not shutil.which("openssl"), reason="openssl, which makes the certificate, is not installed"),
]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture
def proxied(tmp_path, home, vault, serve, tools):
    """A function that asks through the proxy by its name, and the token."""
    token, _ = add_token("alice", vault, ["Kitchen"], may_capture=False)
    port = free_port()
    url = f"https://{NAME}:{port}"
    served = serve(vault, home=home, options=["--listen", "127.0.0.1", "--public-url", url], token=token)
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    made += [
        "-subj",
        f"/CN={NAME}",
        "-addext",
        f"subjectAltName=DNS:{NAME}",
        "-keyout",
        str(key),
        "-out",
        str(certificate),
    ]
    subprocess.run(made, check=True, capture_output=True)
    (example,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    changed = example
    for written, here in {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "127.0.0.1:8537": f"127.0.0.1:{served.port}",
        f"/etc/ssl/{NAME}.pem": str(certificate),
        f"/etc/ssl/{NAME}.key": str(key),
    }.items():
        assert changed.count(written) == 1, written
        changed = changed.replace(written, here)
    folders = "".join(
        f"{one}_temp_path {tmp_path}/{one};\n" for one in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = tmp_path / "nginx.conf"
    configuration.write_text(
        f"daemon off; worker_processes 1; pid {tmp_path}/pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off;\n{folders}{changed}}}"
    )
    nginx = subprocess.Popen(["nginx", "-e", "stderr", "-c", str(configuration)], stderr=subprocess.PIPE)

    def connect():
        return socket.create_connection(("127.0.0.1", port), timeout=60)

    def is_listening():
        assert nginx.poll() is None, nginx.stderr.read()
        try:
            connect().close()
        except ConnectionRefusedError:
            return False
        return True

    tools.eventually(is_listening, "the start of nginx")
    trusted = ssl.create_default_context(cafile=certificate)

    def ask(body=CALL, host=f"{NAME}:{port}", path="/mcp", **headers):
        connection = http.client.HTTPConnection(NAME, port)
        connection.sock = trusted.wrap_socket(connect(), server_hostname=NAME)
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
        connection.request("POST", path, json.dumps(body).encode(), {"Host": host, **sent})
        answer = connection.getresponse()
        read = answer.status, answer.read().decode()
        connection.close()
        return read

    yield ask, token, connect
    nginx.terminate()
    nginx.communicate(timeout=60)


def test_a_client_asks_over_tls_and_sees_the_folders_of_its_token(proxied, tools):
    ask, token, connect = proxied

    def listed():
        status, answer = ask(Authorization=f"Bearer {token}")
        assert status == 200, answer
        return "Kitchen/Bread.md" in answer and answer

    answer = tools.eventually(listed, "the index")
    assert "Garden" not in answer
    assert "Tea" not in answer
    assert ask()[0] == 401
    assert ask(Authorization=f"Bearer {token}", host="evil.example")[0] == 421
    assert ask(Authorization=f"Bearer {token}", path="/mcp/../status")[0] == 404
    plain = connect()
    plain.sendall(f"POST /mcp HTTP/1.1\r\nHost: {NAME}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    assert plain.recv(1000).startswith(b"HTTP/1.1 400")  # nothing but TLS
    plain.close()
    revoke_token("alice")
    assert ask(Authorization=f"Bearer {token}")[0] == 401
