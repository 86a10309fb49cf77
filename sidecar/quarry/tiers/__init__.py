"""
Tiers: what is searched besides the vault that is asked, and how the answers become one.

    connected.py   the list of connected tiers, kept on this device, outside any vault
    tier.py        what a tier is: `Tier`, the seam for whatever can be searched beside a vault
    folder.py      a tier that is a folder of notes, asked over the socket of its own sidecar
    fan_out.py     asks tiers at the same time, and names those that are late
    merging.py     many answers in, one out

A tier of another kind is a class with the three methods of `Tier`, which `open_tier` in `server/tier_search.py` makes.
The wire types are those of `protocol/tiered.py`.
"""
