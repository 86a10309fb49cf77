"""
`quarry doctor`: every part that Quarry needs, tried for real, one sentence each.

A check that fails says what to do. None of them changes anything, and none starts a sidecar; the servers that AI
clients would start are started, and ended.
"""

import argparse
import platform
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from quarry import __version__, config
from quarry.agents.install.clients import Host, current_host
from quarry.agents.install.desired_state import Unreadable, installed
from quarry.agents.install.server_entry import Verification, running_launcher, verify
from quarry.cli.arguments import resolve_vault
from quarry.cli.terminal import counted, print_json, print_line, print_stderr
from quarry.client.client import SidecarClient
from quarry.embedding import load_contextual_encoder, load_encoder, remote_origin
from quarry.errors import ConnectionFailed, NotConfirmed, QuarryError
from quarry.index.database import examine_parts
from quarry.limits import PROTOCOL_VERSION
from quarry.mcp.named_tokens import grants, is_of
from quarry.mcp.stdio import VERSIONS
from quarry.redaction.secret_rules import Re2Engine, default_scrub_engine
from quarry.server.logs import log_path
from quarry.settings import load_settings

MARKS = {"good": "ok  ", "bad": "FAIL", "note": "note"}

Verdict = Literal["good", "bad", "note"]

# As long as half of the passages of notes are.
_PASSAGE = "A passage of a note, of a usual length, to see how long the model takes for one. " * 10
_TIMED_PASSAGES = 5


def run(options: argparse.Namespace) -> int:
    """Run every check; 1 when any failed."""
    try:
        vault = resolve_vault(options)
    except QuarryError as error:
        if options.vault:
            raise
        print_stderr(f"{error}; checking the installation only")
        vault = None
    findings = examine(vault)
    if options.as_json:
        print_json({"findings": [finding._asdict() for finding in findings]})
    else:
        for finding in findings:
            print_line(f"{MARKS[finding.verdict]}  {finding.subject}: {finding.detail}")
    return 1 if any(finding.verdict == "bad" for finding in findings) else 0


class Finding(NamedTuple):
    """The result of one check."""

    subject: str
    verdict: Verdict
    detail: str


def examine(vault: Path | None) -> list[Finding]:
    """Check the installation and, where one is given, the vault."""
    mcp = Finding("MCP", "good", f"`quarry mcp` speaks revisions {VERSIONS[0]} to {VERSIONS[-1]}")
    findings = [_program(), *_database(), _scrubber(), mcp, *_clients(current_host()), *_folders()]
    if vault is None:
        return [*findings, _tried("model", _model, "bundled")]
    model = _tried("settings", lambda: load_settings(vault).model)
    name = model.detail if model.verdict == "good" else "bundled"
    settings = model if model.verdict == "bad" else Finding("settings", "good", f"model {name!r}")
    models = [_tried("model", _model, name), _tried("contextual model", _contextual_model, name)]
    if models[1].verdict != "note" and (origin := remote_origin(name)):
        told = f"the text of notes and queries leaves this machine: it is sent to {origin}"
        models.append(Finding("privacy", "note", told))
    return [*findings, settings, *models, _sidecar(vault), *_tokens(vault), _log(vault)]


def _tried(subject: str, check: Callable[..., object], *arguments: str) -> Finding:
    try:
        return Finding(subject, "good", str(check(*arguments)))
    except QuarryError as error:
        return Finding(subject, "note" if isinstance(error, NotConfirmed) else "bad", str(error))
    except Exception as error:  # what nobody foresaw is what the doctor is asked about
        return Finding(subject, "bad", f"{type(error).__name__}: {error}")


def _program() -> Finding:
    where = f"Python {platform.python_version()} at {sys.executable}, {platform.platform()}"
    return Finding("quarry", "good", f"{__version__}, protocol {PROTOCOL_VERSION}, {where}")


def _database() -> Iterator[Finding]:
    for name, problem in examine_parts().items():
        yield Finding(name, "bad" if problem else "good", problem or "works")


def _scrubber() -> Finding:
    if isinstance(default_scrub_engine(), Re2Engine):
        return Finding("secret scrubbing", "good", "google-re2")
    return Finding("secret scrubbing", "note", "google-re2 is not installed; Python's slower re module is used")


def _clients(host: Host) -> Iterator[Finding]:
    """Check the AI clients that Quarry is set up in; every server that they would start is started once."""
    entries = list(installed(host))
    if not entries:
        yield Finding("AI clients", "note", "Quarry is set up in none; `quarry install --list` names them")
    verified: dict[str, Verification] = {}
    for entry in entries:
        if isinstance(entry, Unreadable):
            yield Finding(entry.client, "note", f"{entry.path} cannot be read: {entry.problem}")
            continue
        what = f"{entry.name!r} for {entry.vault}, in {entry.path}"
        again = f"run `quarry install {entry.client} --scope {entry.scope}` with --vault, or with --remove"
        if not Path(entry.vault).is_dir():
            yield Finding(entry.client, "bad", f"{what}: the vault is not there; {again}")
            continue
        if entry.scope == "project" and Path(entry.command[0]).absolute() not in _own_programs():
            # the folder may be a stranger's
            yield Finding(entry.client, "note", f"{what}: it starts {entry.command[0]}, which was not tried")
            continue
        key = repr((entry.command, sorted(entry.environment.items())))
        if key not in verified:
            verified[key] = verify(entry.command, entry.environment)
        found = verified[key]
        if found.problem:
            yield Finding(entry.client, "bad", f"{what}: {found.problem}; {again}")
        else:
            yield Finding(entry.client, "good", f"{what}: starts, and has {len(found.tools)} tools")


def _own_programs() -> tuple[Path, ...]:
    """The programs that `quarry install` would configure."""
    try:
        return (Path(running_launcher().command),)
    except QuarryError:
        return ()


def _folders() -> Iterator[Finding]:
    for subject, folder in (("data", config.data_dir), ("runtime", config.runtime_dir), ("logs", config.log_dir)):
        yield _tried(f"{subject} folder", folder)


def _model(name: str) -> str:
    encoder = load_encoder(name)
    return f"{encoder.fingerprint.name}, {encoder.dim} dimensions, {encoder.fingerprint.vocabulary_size} tokens"


def _contextual_model(name: str) -> str:
    encoder = load_contextual_encoder(name)
    if encoder is None:
        return "none chosen"
    begun = time.perf_counter()
    encoder.encode_passages([_PASSAGE] * _TIMED_PASSAGES)
    seconds = (time.perf_counter() - begun) / _TIMED_PASSAGES
    tokens = f", {count} tokens" if (count := encoder.fingerprint.vocabulary_size) else ""
    return (
        f"{encoder.fingerprint.name}, {encoder.dim} dimensions{tokens}; "
        f"here it takes some {seconds * 1000:.0f} ms for a passage, {seconds * 10_000 / 60:.0f} minutes for 10,000"
    )


def _sidecar(vault: Path) -> Finding:
    try:
        with SidecarClient(vault, "doctor", may_start=False) as client:
            status = client.status()
            version = client.hello.version
    except ConnectionFailed as error:
        return Finding("sidecar", "note", str(error))
    except QuarryError as error:
        return Finding("sidecar", "bad", str(error))
    if status.state == "failed":
        return Finding("sidecar", "bad", str(status.message or "indexing failed; see the log"))
    return Finding(
        "sidecar",
        "good",
        f"{version}, {status.state}, {status.notes} notes, {counted(status.problem_count, 'problem')}",
    )


def _tokens(vault: Path) -> Iterator[Finding]:
    for grant in grants():
        if not is_of(grant, vault):
            continue
        opened = f"{grant.name} may {' and '.join(grant.rights)} {', '.join(grant.folders) or 'the whole vault'}"
        if gone := [folder for folder in grant.folders if not (vault / folder).is_dir()]:
            again = f"{', '.join(gone)} is not there; make another token, and `quarry token revoke {grant.name}`"
            yield Finding("token", "bad", f"{opened}; {again}")
        else:
            yield Finding("token", "good", opened)


def _log(vault: Path) -> Finding:
    try:
        path = log_path(vault)
    except QuarryError as error:  # its folder, of which more above
        return Finding("log", "bad", str(error))
    return Finding("log", "good" if path.exists() else "note", str(path) if path.exists() else f"{path} (none yet)")
