"""
Table of the AI clients, with their configuration files and their own commands.

Every row was compared with the documentation that it names, in November 2026. Paths are templates of `config_paths.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Scope = Literal["user", "project"]
SCOPES: tuple[Scope, ...] = ("user", "project")
HOOK_TIMEOUT_S = 2  # a hook answers in a fraction of it, or says nothing; a client waits no longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """Hooks of a client: the files, and the events at which Quarry runs, with the matcher of tools for each."""

    files: Mapping[Scope, str]
    events: Mapping[str, str | None]
    output_event: str | None = None  # of *events*, the one that only the settings for outputs of commands need
    grouped: bool = True  # an event has groups of handlers, with a matcher each; else handlers
    exec_form: bool = False  # a program and its arguments; else a line for the shell
    timeout: int = HOOK_TIMEOUT_S  # in the client's unit
    scaffold: Mapping[str, object] = field(default_factory=dict)  # content of a new file besides the hooks
    afterwards: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCommand:
    """
    A client's own command that adds and removes servers.

    In the arguments, `{scope}`, `{name}`, `{command}` and `{json}` (the entry) are replaced; `{env}` and `{args}` by
    any number of arguments, `{named_json}` by the entry with its name. Without *remove*, we edit the file.
    """

    program: str
    scopes: tuple[Scope, ...] = SCOPES
    add: tuple[str, ...]
    remove: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client of MCP: the files that it reads, and what a person has to do when they have changed."""

    name: str
    title: str
    servers: Mapping[Scope, tuple[str, ...]]
    servers_path: tuple[str, ...] = ("mcpServers",)
    file_format: Literal["json", "toml"] = "json"
    command: ClientCommand | None = None
    has_transport: bool = False  # an entry says that it is of `type` stdio
    found_by: tuple[str, ...]
    hooks: Hooks | None = None
    instructions: Mapping[Scope, str] = field(default_factory=dict)
    afterwards: str
    documentation: str


_CURSOR_RULE = "{project}/.cursor/rules/quarry.mdc"

CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            name="claude-code",
            title="Claude Code",
            servers={"user": ("{claude_state}/.claude.json",), "project": ("{project}/.mcp.json",)},
            has_transport=True,
            command=ClientCommand(
                program="claude",  # add-json, as `add --env K=V NAME` takes the name for a variable (issue 62332)
                add=("mcp", "add-json", "--scope", "{scope}", "{name}", "{json}"),
                remove=("mcp", "remove", "--scope", "{scope}", "{name}"),
            ),
            found_by=("{claude}", "{claude_state}/.claude.json"),
            hooks=Hooks(
                # a hook names a program of this machine, so that a project's goes into the file that is not shared
                files={"user": "{claude}/settings.json", "project": "{project}/.claude/settings.local.json"},
                events={
                    "SessionStart": None,
                    "UserPromptSubmit": None,
                    "PreToolUse": "Edit|Write|Bash",
                    "PostToolUse": "Bash",
                    "PreCompact": None,
                    "SessionEnd": None,
                },
                output_event="PostToolUse",
                exec_form=True,
            ),
            instructions={"user": "{claude}/CLAUDE.md", "project": "{project}/CLAUDE.md"},
            afterwards="start a new session; `/mcp` lists the server",
            documentation="code.claude.com/docs: mcp, hooks, settings (2.1); tried with 2.1.197",
        ),
        Client(
            name="codex",
            title="Codex",
            # no command: `codex mcp add` and `remove` of 0.169.0 write all servers anew, and comments and unknown keys
            # of the others are lost (github.com/openai/codex, issue 45432)
            servers={"user": ("{codex}/config.toml",), "project": ("{project}/.codex/config.toml",)},
            servers_path=("mcp_servers",),
            file_format="toml",
            found_by=("{codex}",),
            hooks=Hooks(
                files={"user": "{codex}/hooks.json", "project": "{project}/.codex/hooks.json"},
                events={
                    "SessionStart": None,
                    "UserPromptSubmit": None,
                    "PreToolUse": "Bash|apply_patch|Edit|Write",
                    "PreCompact": None,
                    "SessionEnd": None,
                },
                afterwards="Codex runs a new hook only after you have reviewed it with `/hooks`",
            ),
            instructions={"user": "{codex}/AGENTS.md", "project": "{project}/AGENTS.md"},
            afterwards="start a new session; `codex mcp list` shows the server; a project must be trusted",
            documentation="developers.openai.com/codex: mcp, hooks, config-reference; tried with 0.169.0",
        ),
        Client(
            name="cursor",
            title="Cursor",
            servers={"user": ("{home}/.cursor/mcp.json",), "project": ("{project}/.cursor/mcp.json",)},
            has_transport=True,
            found_by=("{home}/.cursor",),
            hooks=Hooks(
                files={"user": "{home}/.cursor/hooks.json", "project": "{project}/.cursor/hooks.json"},
                events=dict.fromkeys(
                    ("sessionStart", "beforeSubmitPrompt", "postToolUse", "preCompact", "sessionEnd"), None
                ),
                grouped=False,
                scaffold={"version": 1},
            ),
            instructions={"project": _CURSOR_RULE},
            afterwards="enable the server under Settings, MCP",
            documentation="cursor.com/docs: mcp, hooks (version 1), rules",
        ),
        Client(
            name="vscode",
            title="Visual Studio Code",
            servers={"user": ("{app_data}/Code/User/mcp.json",), "project": ("{project}/.vscode/mcp.json",)},
            servers_path=("servers",),
            has_transport=True,
            command=ClientCommand(program="code", scopes=("user",), add=("--add-mcp", "{named_json}")),
            found_by=("{app_data}/Code",),
            instructions={"project": "{project}/AGENTS.md"},
            afterwards="run the command `MCP: List Servers` and start it",
            documentation="code.visualstudio.com/docs/agents/reference/mcp-configuration",
        ),
        Client(
            name="antigravity",
            title="Antigravity",
            servers={
                "user": ("{home}/.gemini/config/mcp_config.json",),
                "project": ("{project}/.agents/mcp_config.json",),
            },
            found_by=("{home}/.gemini/config", "{home}/.gemini/antigravity"),
            instructions={"user": "{home}/.gemini/GEMINI.md", "project": "{project}/AGENTS.md"},
            afterwards="restart it; `/mcp` lists the server",
            documentation="antigravity.google/docs: mcp, cli/gcli-migration",
        ),
        Client(
            name="gemini",
            title="Gemini CLI",
            servers={"user": ("{gemini}/settings.json",), "project": ("{project}/.gemini/settings.json",)},
            command=ClientCommand(
                program="gemini",
                add=("mcp", "add", "--scope", "{scope}", "{env}", "{name}", "{command}", "--", "{args}"),
                remove=("mcp", "remove", "--scope", "{scope}", "{name}"),
            ),
            found_by=("{gemini}/settings.json",),
            hooks=Hooks(
                files={"user": "{gemini}/settings.json", "project": "{project}/.gemini/settings.json"},
                events={
                    "SessionStart": None,
                    "BeforeAgent": None,
                    "AfterTool": "run_shell_command|write_file|replace",
                    "PreCompress": None,
                    "SessionEnd": None,
                },
                timeout=1000 * HOOK_TIMEOUT_S,
            ),
            instructions={"user": "{gemini}/GEMINI.md", "project": "{project}/GEMINI.md"},
            afterwards="restart it; `gemini mcp list` shows the server",
            documentation="geminicli.com/docs: tools/mcp-server, hooks/reference; tried with 0.61.0",
        ),
        Client(
            name="zed",
            title="Zed",
            servers={"user": ("{dot_config}/zed/settings.json",), "project": ("{project}/.zed/settings.json",)},
            servers_path=("context_servers",),
            found_by=("{dot_config}/zed",),
            instructions={"project": "{project}/AGENTS.md"},
            afterwards="the server is listed in the settings of the agent panel",
            documentation="zed.dev/docs: ai/mcp, configuring-zed",
        ),
        Client(
            name="windsurf",
            title="Windsurf (Devin Desktop)",
            servers={
                "user": ("{dot_config}/devin/mcp_config.json", "{home}/.codeium/windsurf/mcp_config.json"),
                "project": ("{project}/.devin/mcp_config.json",),
            },
            found_by=("{dot_config}/devin", "{home}/.codeium/windsurf"),
            instructions={"project": "{project}/AGENTS.md"},
            afterwards="refresh the list of MCP servers in the agent's panel",
            documentation="docs.devin.ai and docs.windsurf.com: mcp; Windsurf is Devin Desktop since June 2026",
        ),
        Client(
            name="continue",
            title="Continue",
            servers={
                "user": ("{continue}/mcpServers/{name}.json",),
                "project": ("{project}/.continue/mcpServers/{name}.json",),
            },
            found_by=("{continue}",),
            instructions={"user": "{continue}/rules/quarry.md", "project": "{project}/.continue/rules/quarry.md"},
            afterwards="reload the window; the server is used in agent mode",
            documentation="docs.continue.dev/customize/deep-dives/mcp",
        ),
        Client(
            name="claude-desktop",
            title="Claude Desktop",
            servers={
                "user": (
                    "{app_data}/Claude/claude_desktop_config.json",
                    # the package of Windows has its own folder, and reads nothing outside it
                    "{local_app_data}/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json",
                )
            },
            found_by=("{app_data}/Claude", "{local_app_data}/Packages/Claude_*"),
            afterwards="quit it wholly and start it anew",
            documentation="modelcontextprotocol.io/docs/develop/connect-local-servers",
        ),
    )
}
"""Client by name, in the order in which they are listed."""
