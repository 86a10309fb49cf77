"""`quarry status` and `quarry doctor`: what there is, and what is wrong."""

import argparse

from quarry.errors import QuarryError
from quarry.interfaces.cli.common import Commands, add_command, add_vault, connect, print_json, resolve_vault
from quarry.interfaces.cli.terminal import bold, print_line, print_stderr

MARKS = {"good": "ok  ", "bad": "FAIL", "note": "note"}


def add_commands(commands: Commands) -> None:
    """Add `status` and `doctor`."""
    status = add_command(commands, "status", run_status, "say what the index holds and what it is doing")
    add_vault(status)
    diagnosis = add_command(commands, "doctor", run_doctor, "check everything that Quarry needs, and say what to mend")
    add_vault(diagnosis)


def run_status(options: argparse.Namespace) -> int:
    """Print the status."""
    with connect(options) as client:
        status = client.status()
        vault = client.hello.vault
    if options.as_json:
        print_json(status)
        return 0
    print_line(f"{bold(vault.name)}  {vault.path}")
    print_line(f"{status.state}: {status.notes} notes, {status.chunks} chunks, {status.size_bytes / 1e6:.1f} MB")
    if status.progress:
        print_line(f"{status.progress.done_notes} of {status.progress.total_notes} notes done")
    print_line(f"model {status.model.name}: {status.model.state}")
    if status.excluded:
        print_line(f"{status.excluded} notes are left out by rules")
    for leg in status.missing:
        print_stderr(leg.reason)
    for problem in status.problems:
        print_stderr(f"{problem.path}: {problem.reason}" if problem.path else problem.reason)
    if status.problem_count > len(status.problems):
        print_stderr(f"and {status.problem_count - len(status.problems)} more")
    if status.message:
        print_stderr(status.message)
    return 0


def run_doctor(options: argparse.Namespace) -> int:
    """Run every check; 1 when any failed."""
    try:
        vault = resolve_vault(options)
    except QuarryError as error:
        if options.vault:
            raise
        print_stderr(f"{error}; checking everything but a vault")
        vault = None
    from quarry.interfaces import doctor  # here, as `status` asks a sidecar and imports no engine

    findings = doctor.examine(vault)
    if options.as_json:
        print_json(doctor.Report(findings=findings))
    else:
        for finding in findings:
            print_line(f"{MARKS[finding.verdict]}  {finding.subject}: {finding.detail}")
    return 1 if any(finding.verdict == "bad" for finding in findings) else 0
