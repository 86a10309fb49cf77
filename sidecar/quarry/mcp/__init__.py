"""
MCP: the vault as tools, resources and prompts for an agent, on standard input and output or over HTTP.

    server                       the methods and the table of tools, for both transports
    searching, reading           the tools
    resources, prompts           notes to attach; recipes to start from, and values to choose from
    markdown                     what an agent reads, within the budget it names
    vaults                       the sidecars that are asked, and the calls that wait for them
    stdio, http_server           the two transports: a loop of our own, and the official SDK
    principals, named_tokens     who may ask over HTTP, and what is served to them
"""
