"""
MCP: the vault as tools, resources and prompts for an agent, on standard input and output or over HTTP on this machine.

    versions, messages, arguments   the revisions of the protocol; JSON-RPC; what a tool takes
    server, peer, workers, calls    methods; one client's conversation; threads; a request at work
    tools, searching, reading       the tools: how they are described, what they do
    markdown, budget                what an agent reads, within the budget it names
    resources, prompts, completion  notes to attach, recipes to start from, values to choose from
    vaults, watching                the sidecars that are asked, and what they report
    stdio, http_*                   the two transports

The protocol loop is our own, as the official SDK takes more than a second to import; the tests have it as their oracle.
"""
