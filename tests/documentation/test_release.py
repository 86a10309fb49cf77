"""`npm run release` makes the files of a release, with the same bytes each time."""

import asyncio
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
import skillsaw.schemas.mcp_registry
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client
from sidecars import SAMPLE_VAULT

from quarry.cli.main import full_parser

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "sidecar" / "dev" / "release.mjs"
MCPB = ROOT / "node_modules" / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"
TEXTS = ("manifest.json", "versions.json", "package.json", "CHANGELOG.md")


def release(*args):
    return subprocess.run(["node", SCRIPT, *args], capture_output=True, text=True, encoding="utf-8", cwd=ROOT)


@pytest.fixture
def copied(tmp_path):
    """A folder with the files whose versions are compared."""
    for name in TEXTS:
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_equal_versions_can_be_released(copied):
    done = release("--check", "--root", copied)

    assert (done.returncode, done.stderr) == (0, "")
    assert "agree" in done.stdout


def test_all_disagreements_are_reported_at_once(copied):
    manifest = json.loads((copied / "manifest.json").read_text(encoding="utf-8"))
    (copied / "manifest.json").write_text(
        json.dumps({**manifest, "version": "9.9.9", "helpUrl": "x"}), encoding="utf-8"
    )

    done = release("--check", "--root", copied, "--tag", "v9")

    assert done.returncode == 1
    assert [part in done.stderr for part in ("helpUrl", "CHANGELOG.md begins with", "The tag is v9")] == [True] * 3


def test_an_unknown_option_shows_the_usage():
    done = release("--nonsense")

    assert done.returncode == 2
    assert "usage: npm run release" in done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The files of a release, built twice."""
    folder = tmp_path_factory.mktemp("release")
    done = release("--out", folder)
    assert done.returncode == 0, done.stderr
    assert "A second build gave the same bytes." in done.stdout
    version = json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))["version"]
    files = SimpleNamespace(
        folder=folder,
        version=version,
        wheel=folder / f"quarry_search-{version}-py3-none-any.whl",
        archive=folder / f"quarry_search-{version}.tar.gz",
        bundle=folder / f"quarry-{version}.mcpb",
        skills=folder / f"quarry-skills-{version}.zip",
    )
    with zipfile.ZipFile(files.wheel) as opened:
        files.metadata = message_from_bytes(opened.read(f"quarry_search-{version}.dist-info/METADATA"))
    return files


def read_entry(built):
    return json.loads((built.folder / "server.json").read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_checksums_name_every_file_of_the_release(built):
    named = [line.split("  ")[1] for line in (built.folder / "SHA256SUMS").read_text("utf-8").splitlines()]

    assert sorted(named) == sorted(
        ["main.js", "manifest.json", "styles.css", "server.json"]
        + [path.name for path in (built.wheel, built.archive, built.bundle, built.skills)]
    )
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=built.folder, check=True)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_wheel_and_the_archive_have_what_is_needed_and_no_more(built):
    assert (built.folder / "manifest.json").read_bytes() == (ROOT / "manifest.json").read_bytes()
    assert (built.metadata["Version"], built.metadata["Metadata-Version"]) == (built.version, "2.4")
    with zipfile.ZipFile(built.wheel) as files:
        assert any(name.endswith("bundled/model.safetensors") for name in files.namelist())
        assert {name.split("/")[0] for name in files.namelist()} == {
            "quarry",
            f"quarry_search-{built.version}.dist-info",
        }
    with tarfile.open(built.archive) as files:
        assert f"quarry_search-{built.version}/manifest.json" in files.getnames()
        assert not [name for name in files.getnames() if ".venv" in name or "node_modules" in name]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_registry_entry_meets_the_registrys_own_schema(built):
    entry = read_entry(built)
    released = entry["$schema"].split("/")[-2]
    schema = (
        Path(skillsaw.schemas.mcp_registry.__file__).parent / f"v{released.replace('-', '_')}" / "server.schema.json"
    )

    jsonschema.validate(entry, json.loads(schema.read_text(encoding="utf-8")))
    assert released == max(path.name[1:].replace("_", "-") for path in schema.parents[1].glob("v*"))
    assert len(entry["description"]) <= 100


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_registry_entry_starts_the_package_that_was_built(built):
    entry = read_entry(built)
    [package] = entry["packages"]
    with zipfile.ZipFile(built.wheel) as files:
        scripts = files.read(f"quarry_search-{built.version}.dist-info/entry_points.txt").decode()
    arguments = [
        part
        for argument in package["packageArguments"]
        for part in ([argument["value"]] if "value" in argument else [argument["name"], "/notes"])
    ]

    assert (entry["version"], package["version"]) == (built.version, built.version)
    assert package["identifier"] == built.metadata["Name"]
    assert f"mcp-name: {entry['name']} -->\n" in built.metadata.get_payload()  # by which the registry knows the owner
    assert f"{package['identifier']} = quarry.__main__:main" in scripts  # uvx starts the script of the package's name
    assert full_parser().parse_args(arguments).vault == [Path("/notes")]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_skills_are_those_of_the_standard_and_ask_nothing_of_one_client(built, tmp_path):
    shutil.unpack_archive(built.skills, tmp_path)
    shutil.copy(built.folder / "server.json", tmp_path)
    skills = {path.parent.name: path.read_text("utf-8") for path in tmp_path.glob(".agents/skills/*/SKILL.md")}
    checked = subprocess.run([sys.executable, "-m", "skillsaw", "lint", "--strict", tmp_path], capture_output=True)
    commands = [shlex.split(line.split("<<")[0]) for text in skills.values() for line in read_commands(text)]

    assert checked.returncode == 0, checked.stdout
    assert set(skills) == {"quarry-capture", "quarry-search"}
    assert not [text for text in skills.values() if "$" in text]
    assert sorted(command[1] for command in commands) == ["capture", "read", "search"]
    for command in commands:
        full_parser().parse_args(command[1:])


def read_commands(skill):
    """The command lines of quarry in a skill."""
    lines = skill.replace("\\\n", "").splitlines()
    return [line.strip() for line in lines if line.strip().startswith("quarry ")]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_bundle_starts_a_server_over_the_chosen_vault(built, person, tmp_path):
    """By the manifest's own command and uv; the dependencies are those of this environment, for want of a network."""
    bundle, environment = tmp_path / "bundle", tmp_path / "environment"
    subprocess.run(["node", MCPB, "unpack", built.bundle, bundle], check=True, capture_output=True)
    subprocess.run(["node", MCPB, "validate", bundle / "manifest.json"], check=True, capture_output=True)
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    venv.create(environment, symlinks=os.name != "nt")
    python = environment / Path(sys.executable).relative_to(sys.prefix)
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, bundle / built.wheel.name], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": environment}))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    start = manifest["server"]["mcp_config"]
    values = {"${__dirname}": str(bundle), "${user_config.vault}": str(SAMPLE_VAULT)}
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {"PATH": programs, "HOME": str(person), "QUARRY_HOME": str(person / "quarry")}
    offline = {"UV_PROJECT_ENVIRONMENT": str(environment), "UV_NO_SYNC": "1", "UV_OFFLINE": "1"}
    parameters = StdioServerParameters(
        command=start["command"], args=[values.get(part, part) for part in start["args"]], env=variables | offline
    )

    async def ask():
        async with Client(stdio_client(parameters)) as client:
            listed = await client.list_tools()
            found = await client.call_tool("search", {"query": "descale the espresso machine"})
            return client.server_info, listed.tools, found

    server, tools, found = asyncio.run(ask())

    assert server.version == manifest["version"] == built.version
    assert [tool.name for tool in tools] == [tool["name"] for tool in manifest["tools"]]
    assert not found.is_error, found
    assert set(manifest["user_config"]) == {"vault"}
