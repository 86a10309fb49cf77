"""Where a server over HTTP listens, and what it refuses."""

import pytest

from quarry.errors import BadRequest
from quarry.mcp.address import Address


@pytest.mark.parametrize(
    ("listen", "public_url", "where", "url"),
    [
        ("127.0.0.1", None, ("127.0.0.1", 8537), "http://127.0.0.1:8537/mcp"),
        ("localhost:99", None, ("127.0.0.1", 99), "http://127.0.0.1:99/mcp"),
        ("[::1]:99", None, ("::1", 99), "http://[::1]:99/mcp"),
        ("::1", None, ("::1", 8537), "http://[::1]:8537/mcp"),
        ("0.0.0.0:99", "https://Notes.example.org/", ("0.0.0.0", 99), "https://notes.example.org/mcp"),
        ("127.0.0.1", "https://notes.example.org:443", ("127.0.0.1", 8537), "https://notes.example.org/mcp"),
        ("10.0.0.5", "https://n.example:8443/mcp", ("10.0.0.5", 8537), "https://n.example:8443/mcp"),
    ],
)
def test_an_address_is_read_with_and_without_a_port(listen, public_url, where, url):
    address = Address.read(listen, 8537, public_url)

    assert (address.host, address.port) == where
    assert address.url == url
    assert url.split("/")[2] in address.hosts


@pytest.mark.parametrize(
    ("listen", "public_url", "way_out"),
    [
        ("0.0.0.0", None, "--public-url https://"),
        ("0.0.0.0", None, "ssh -N -L"),
        ("::", None, "--public-url https://"),
        ("192.168.0.2:80", None, "in the clear"),
        ("example.org", None, "takes an IP address"),
        ("", None, "takes an IP address"),
        ("127.0.0.1:99999", None, "at most 65535"),
        ("127.0.0.1:\u00b2", None, "takes an IP address"),
        ("127.0.0.1:" + "9" * 5000, None, "takes an IP address"),
        ("0.0.0.0", "http://notes.example.org", "https address"),
        ("0.0.0.0", "https://", "https address"),
        ("0.0.0.0", "https://[::1", "https address"),
        ("0.0.0.0", "https://notes.example.org:*", "https address"),
        ("0.0.0.0", "https://n\u00f6tes.example.org", "https address"),
        ("0.0.0.0", "https://me@notes.example.org", "https address"),
        ("0.0.0.0", "https://notes.example.org/wiki", "leave the path out"),
    ],
)
def test_other_machines_are_reached_only_through_an_https_proxy(listen, public_url, way_out):
    with pytest.raises(BadRequest, match=way_out):
        Address.read(listen, 8537, public_url)
