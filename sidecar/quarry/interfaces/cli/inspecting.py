"""`quarry status` and `quarry doctor`: what there is, and what is wrong."""

import argparse

from quarry.errors import QuarryError
from quarry.interfaces.cli.common import Commands, add_command, add_vault, connected, print_json, vault_of
from quarry.interfaces.cli.terminal import bold, complain, say

MARKS = {"good": "ok  ", "bad": "FAIL", "note": "note"}


def add_commands(commands: Commands) -> None:
    """Add `status` and `doctor`."""
    status = add_command(commands, "status", run_status, "say what the index holds and what it is doing")
    add_vault(status)
    diagnosis = add_command(commands, "doctor", run_doctor, "check everything that Quarry needs, and say what to mend")
    add_vault(diagnosis)


def run_status(options: argparse.Namespace) -> int:
    """Print the status."""
    with connected(options) as client:
        status = client.status()
        vault = client.hello.vault
    if options.as_json:
        print_json(status)
        return 0
    say(f"{bold(vault.name)}  {vault.path}")
    say(f"{status.state}: {status.notes} notes, {status.chunks} chunks, {status.size_bytes / 1e6:.1f} MB")
    if status.progress:
        say(f"{status.progress.done_notes} of {status.progress.total_notes} notes done")
    say(f"model {status.model.name}: {status.model.state}")
    if status.excluded:
        say(f"{status.excluded} notes are left out by rules")
    for leg in status.missing:
        complain(leg.reason)
    for problem in status.problems:
        complain(f"{problem.path}: {problem.reason}" if problem.path else problem.reason)
    if status.problem_count > len(status.problems):
        complain(f"and {status.problem_count - len(status.problems)} more")
    if status.message:
        complain(status.message)
    return 0


def run_doctor(options: argparse.Namespace) -> int:
    """Run every check; 1 when any failed."""
    try:
        vault = vault_of(options)
    except QuarryError as error:
        if options.vault:
            raise
        complain(f"{error}; checking everything but a vault")
        vault = None
    from quarry.interfaces import doctor  # here, as `status` asks a sidecar and imports no engine

    findings = doctor.examine(vault)
    if options.as_json:
        print_json(doctor.Report(findings=findings))
    else:
        for finding in findings:
            say(f"{MARKS[finding.verdict]}  {finding.subject}: {finding.detail}")
    return 1 if any(finding.verdict == "bad" for finding in findings) else 0
