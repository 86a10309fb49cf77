// The files by which registries and AI clients install Quarry, made from what the repository says once. Pure: texts and values in, values out.

const REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
const VAULT = { title: "Vault", description: "The folder that contains your notes" };
const COMPATIBILITY = "Needs the program quarry on the PATH. Outside the vault, the environment variable QUARRY_VAULT must name it.";

/**
 * What the repository says of the package: its description from pyproject.toml, and from the README that is published
 * with it the line by which the MCP registry knows the package's owner.
 *
 * @param {{ pyproject: string, readme: string, manifest: { version: string, name: string, author: string } }} texts
 */
export function aboutOf({ pyproject, readme, manifest }) {
  const found = (text, pattern) => text.match(pattern)?.[1] ?? "";
  return {
    version: manifest.version,
    title: manifest.name,
    author: manifest.author,
    name: found(pyproject, /^name = "(.+)"$/m),
    description: found(pyproject, /^description = "(.+)"$/m),
    python: found(pyproject, /^requires-python = "(.+)"$/m),
    registryName: found(readme, /^<!-- mcp-name: (\S+) -->$/m),
  };
}

/** server.json: how clients of the MCP registry start the package from PyPI. */
export function registryEntry({ version, title, name, description, registryName }) {
  return {
    $schema: REGISTRY_SCHEMA,
    name: registryName,
    title,
    description,
    version,
    packages: [
      {
        registryType: "pypi",
        identifier: name,
        version,
        runtimeHint: "uvx",
        transport: { type: "stdio" },
        packageArguments: [
          { type: "positional", value: "mcp" },
          { type: "named", name: "--vault", description: VAULT.description, format: "filepath", isRequired: true },
        ],
      },
    ],
  };
}

/**
 * The files of an MCP bundle besides the wheel: the client's own uv installs the wheel with its dependencies, and starts the server.
 *
 * @param {ReturnType<typeof aboutOf>} about
 * @param {string} wheel
 * @param {readonly { name: string, description: string }[]} tools
 */
export function bundleFiles({ version, title, author, name, description, python }, wheel, tools) {
  const manifest = {
    manifest_version: "0.4",
    name,
    display_name: title,
    version,
    description,
    author: { name: author },
    license: "MIT",
    server: {
      type: "uv",
      entry_point: "server.py",
      mcp_config: { command: "uv", args: ["run", "--directory", "${__dirname}", "server.py", "--vault", "${user_config.vault}"] },
    },
    tools,
    prompts_generated: true,
    compatibility: { platforms: ["darwin", "linux", "win32"], runtimes: { python } },
    user_config: { vault: { type: "directory", ...VAULT, required: true } },
  };
  const project = `[project]\nname = "${name}-bundle"\nversion = "${version}"\nrequires-python = "${python}"\ndependencies = ["${name}"]\n\n[tool.uv.sources]\n${name} = { path = "${wheel}" }\n`;
  const server = "import sys\n\nfrom quarry.__main__ import main\n\nsys.exit(main([\"mcp\", *sys.argv[1:]]))\n";
  return { "manifest.json": `${JSON.stringify(manifest, null, 2)}\n`, "pyproject.toml": project, "server.py": server };
}

/**
 * A skill of the plugin for Claude Code as the Agent Skills standard has it: for any agent, which fills in nothing, under
 * a name that is its own among those of all programs.
 *
 * @param {string} skill the text of its SKILL.md
 * @returns {{ name: string, text: string }}
 */
export function portableSkill(skill) {
  const [, header = "", ...parts] = skill.split(/^---\n/m);
  const field = (key) => header.match(new RegExp(`^${key}: (.+)$`, "m"))?.[1] ?? "";
  const name = `quarry-${field("name")}`;
  const lines = ["name", "description", "allowed-tools"].map((key) => `${key}: ${key === "name" ? name : field(key)}`);
  const plain = parts
    .join("---\n")
    .replaceAll(' --vault "${user_config.vault}"', "")
    .replaceAll(" `${user_config.vault}`", "")
    .replaceAll(" --source claude-code", "")
    .replaceAll("$ARGUMENTS", "what the user asks for");
  return { name, text: `---\n${[...lines, "license: MIT", `compatibility: ${COMPATIBILITY}`].join("\n")}\n---\n${plain}` };
}
