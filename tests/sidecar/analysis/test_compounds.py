import pytest

from quarry.analysis.compounds import camel_case_parts, joined_forms, part_terms


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("plain", []),
        ("word.", []),
        ("GitHub", []),
        ("snake_case", ["snakecas"]),
        ("SNAKE_CASE:", ["snakecas"]),
        ("e-mail", ["email"]),
        ("UTF-8", ["utf8"]),
        ("2026-01-15", ["2026-01-15"]),
        ("10:30", ["10:30"]),
        ("v1.2.3", ["v1.2.3"]),
        ("C++", ["c++"]),
        ("C#", ["c#"]),
        (".NET", [".net"]),
        ("--flag", ["--flag"]),
        ("@user", ["@user"]),
        ("user@host.org", ["user@host.org", "host.org"]),
        ("path/to/file.md", ["path/to/file.md", "file.md"]),
        ("a\\b", ["a/b"]),
        ("std::unordered_map", ["std::unordered_map", "unorderedmap"]),
        ("my-app.config.ts", ["my-app.config.ts", "myapp"]),
        ("U.S.A", ["usa"]),
        ("a-sentence-with-hyphens-in-an-address", []),
        ("x" * 200 + "-" + "y" * 200, []),
    ],
)
def test_names_of_several_words_are_known_as_wholes(token, expected):
    assert joined_forms(token) == expected


def test_an_identifier_is_the_same_in_every_style():
    from quarry.analysis.normalize import stem

    assert joined_forms("get_stale_files") == joined_forms("get-stale-files") == [stem("getStaleFiles")]


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("plain", []),
        ("Title", []),
        ("NATO", []),
        ("PDFs", []),
        ("getStaleFiles", ["get", "stale", "file"]),
        ("HTTPServer2", ["http", "server"]),
        ("foo.getStale()", ["get", "stale"]),
        ("python3", ["python"]),
        ("a1b2c3", []),
        ("用getStale写", ["get", "stale"]),
        ("aB" * 1000, []),
    ],
)
def test_words_with_humps_or_a_number_have_parts(token, expected):
    assert part_terms(token) == expected


def test_parts_stand_where_they_are_said_to():
    word = "getHTTPFiles"

    assert [word[start:end] for start, end in camel_case_parts(word)] == ["get", "HTTP", "Files"]
