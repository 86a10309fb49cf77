"""docs/SERVER.md: its unit, its container file and its commands, as far as they can be checked without running them."""

import configparser
import json
import re
import shlex
import shutil
import subprocess
import tomllib

import pytest
from pages import REPOSITORY, Page

from quarry.cli.main import full_parser
from quarry.mcp.address import Address

PAGE = Page.read("docs/SERVER.md")
PROJECT = tomllib.loads((REPOSITORY / "sidecar/pyproject.toml").read_text(encoding="utf-8"))["project"]


def block(language):
    (body,) = [body for kind, body in PAGE.blocks if kind == language]
    return body


def address_of(command):
    options = full_parser().parse_args(shlex.split(command) if isinstance(command, str) else command)
    assert options.http
    return Address.read(options.listen, options.port, options.public_url)


@pytest.fixture
def unit():
    parser = configparser.ConfigParser(strict=True, interpolation=None)
    parser.optionxform = str
    parser.read_string(block("ini"))
    return parser


def test_the_unit_starts_a_server_behind_the_proxy_of_the_page(unit):
    program, _, command = unit["Service"]["ExecStart"].partition(" ")
    address = address_of(command)

    assert (address.host, address.port) == ("127.0.0.1", 8537)
    assert address.url == "https://notes.example.org/mcp"
    assert address.url in PAGE.text
    assert f"proxy_pass http://{address.host}:{address.port};" in block("nginx")
    assert "location = /mcp" in block("nginx")
    home = unit["Service"]["Environment"].removeprefix("QUARRY_HOME=")
    assert home == f"/var/lib/{unit['Service']['StateDirectory']}"
    assert home in block("sh")
    assert program.removesuffix("/quarry") in block("sh")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_takes_the_unit(tmp_path):
    file = tmp_path / "quarry.service"
    file.write_text(block("ini").replace("/opt/quarry/bin/quarry", "/bin/true").replace("User=quarry", "User=root"))

    done = subprocess.run(["systemd-analyze", "verify", str(file)], capture_output=True, check=False, text=True)

    assert [line for line in done.stderr.splitlines() if "quarry.service" in line] == []


def test_the_container_starts_the_server_of_the_page_as_a_user_of_its_own():
    lines = [line.partition(" ") for line in block("dockerfile").splitlines()]
    found = {name: rest for name, _, rest in lines}
    python = tuple(map(int, re.search(r"python:(\d+)\.(\d+)", found["FROM"]).groups()))
    least = tuple(map(int, re.search(r">=(\d+)\.(\d+)", PROJECT["requires-python"]).groups()))
    command = json.loads(found["CMD"])

    assert lines[0][0] == "FROM"
    assert python >= least
    assert (REPOSITORY / found["COPY"].split()[0] / "pyproject.toml").exists()
    assert "mcp-http" in PROJECT["optional-dependencies"]
    assert f'"{found["COPY"].split()[1]}[mcp-http]"' in found["RUN"]
    assert command[0] in PROJECT["scripts"]
    assert address_of(command[1:]).host == "0.0.0.0"
    assert found["USER"] in found["RUN"]
    assert found["ENV"] == f"QUARRY_HOME={found['VOLUME']}"
