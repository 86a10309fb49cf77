"""
The generated files agree with the structs, and TypeScript reads what Python writes.

`wire.mjs --check` notices a change on the Python side. The TypeScript compiler notices a type in messages.ts that does
not fit what Python encodes, by two samples of every message: one with all fields, one with as few as possible.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec import inspect

from quarry import protocol
from quarry.protocol import envelope

ROOT = Path(__file__).resolve().parents[2]
WIRE = ROOT / "sidecar" / "dev" / "wire.mjs"
TYPESCRIPT = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
NODE = shutil.which("node")

needs_node = pytest.mark.skipif(
    NODE is None or not TYPESCRIPT.exists(), reason="needs Node and the packages of package.json"
)


def wire_python() -> dict[str, object]:
    """What wire.py says, run as wire.mjs runs it."""
    script = ROOT / "sidecar" / "dev" / "wire.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def wire():
    return wire_python()


def sample(kind: inspect.Type, *, whole: bool) -> object:
    """A value of *kind* as JSON: with a value in every field, or with none where none is needed."""
    match kind:
        case inspect.Metadata():
            return sample(kind.type, whole=whole)
        case inspect.UnionType():
            parts = [part for part in kind.types if not isinstance(part, inspect.NoneType)]
            return sample(parts[0], whole=whole) if whole or len(parts) == len(kind.types) else None
        case inspect.StructType():
            fields = [field for field in kind.fields if whole or field.required]
            return {field.encode_name: sample(field.type, whole=whole) for field in fields}
        case inspect.ListType() | inspect.VarTupleType():
            return [sample(kind.item_type, whole=whole)] if whole or kind.min_length else []
        case inspect.DictType():
            return {str(sample(kind.key_type, whole=whole)): sample(kind.value_type, whole=whole)} if whole else {}
        case inspect.LiteralType():
            return kind.values[0]
        case inspect.StrType():
            return "x" * (kind.min_length or 4)
        case inspect.IntType():
            return int(kind.ge or 1)
        case inspect.FloatType():
            return 0.5
        case inspect.BoolType():
            return True
    raise AssertionError(f"no sample of {kind}")


def sample_of(struct: type[msgspec.Struct], *, whole: bool) -> object:
    return sample(inspect.type_info(struct), whole=whole)


def samples_file(*, whole: bool) -> str:
    """Every message as TypeScript that declares its type."""
    methods = {
        method: {"params": sample_of(params, whole=whole), "result": sample_of(result, whole=whole)}
        for method, (params, result) in protocol.REQUESTS.items()
    }
    parts = {
        "Methods": methods,
        "ClientNotifications": {
            name: sample_of(each, whole=whole) for name, each in protocol.CLIENT_NOTIFICATIONS.items()
        },
        "ServerNotifications": {
            name: sample_of(each, whole=whole) for name, each in protocol.SERVER_NOTIFICATIONS.items()
        },
        "ErrorResponse": sample_of(envelope.ErrorResponse, whole=whole),
    }
    bodies = [f"export const {name}Sample: {name} = {json.dumps(value)};" for name, value in parts.items()]
    return "\n".join([f'import type {{ {", ".join(parts)} }} from "../../plugin/protocol/messages";', *bodies])


SAMPLES = {"whole": True, "least": False}
WRONG_TYPES = [
    ("readonly matchStart: number;", "readonly match_start: number;"),
    ("readonly total: number;", "readonly total: string;"),
    ('"words" | "meaning" | "both"', '"words" | "meaning"'),
    ("readonly supersedes?: number | string | null;", "readonly supersedes?: string;"),
    ("readonly truncated: boolean;", ""),
    ('readonly "shutdown":', 'readonly "leave":'),
]


@pytest.fixture(scope="module")
def type_errors(tmp_path_factory):
    """
    What the TypeScript compiler says of the samples, a list for each version of the types.

    Version 0 is as generated, the others are `WRONG_TYPES`, counted from 1. One run of the compiler checks them all, as
    most of it goes into what they share.
    """
    root = tmp_path_factory.mktemp("types")
    generated = (ROOT / "plugin" / "protocol" / "messages.ts").read_text(encoding="utf-8")
    assert all(before in generated for before, _ in WRONG_TYPES)
    versions = [generated, *(generated.replace(before, after) for before, after in WRONG_TYPES)]
    samples = [f"{number}/tests/wire/{name}.ts" for number in range(len(versions)) for name in SAMPLES]
    for number, version in enumerate(versions):
        messages = root / str(number) / "plugin" / "protocol" / "messages.ts"
        messages.parent.mkdir(parents=True)
        messages.write_text(version, encoding="utf-8")
        (root / str(number) / "tests" / "wire").mkdir(parents=True)
        for name, whole in SAMPLES.items():
            (root / str(number) / "tests" / "wire" / f"{name}.ts").write_text(samples_file(whole=whole), "utf-8")
    options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--pretty", "false"]
    modules = ["--module", "esnext", "--moduleResolution", "bundler"]
    command = [str(NODE), str(TYPESCRIPT), *options, *modules, *samples]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode in (0, 2), done.stdout + done.stderr
    return [[line for line in lines if line.startswith(f"{number}/")] for number in range(len(versions))]


@pytest.mark.slow
@needs_node
def test_what_is_generated_is_what_the_structs_say():
    done = subprocess.run([str(NODE), str(WIRE), "--check"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


@needs_node
def test_typescript_accepts_what_python_encodes(type_errors):
    assert type_errors[0] == []


@needs_node
@pytest.mark.parametrize("number", range(1, len(WRONG_TYPES) + 1))
def test_a_type_that_python_does_not_honour_does_not_compile(type_errors, number):
    assert any("tests/wire/" in line for line in type_errors[number])


@pytest.mark.slow
@pytest.mark.parametrize("path", ["plugin/protocol/messages.ts", "docs/PROTOCOL.md"])
@needs_node
def test_an_edited_file_is_named_with_the_command_that_mends_it(path):
    """The check reads what stands in the repository, so the edit is made to what it compares with: its own answer."""
    probe = (
        f"const fs = await import('node:fs'); const {{ syncBuiltinESMExports }} = await import('node:module');"
        f"const read = fs.default.readFileSync;"
        f"fs.default.readFileSync = (file, ...rest) =>"
        f"  read(file, ...rest) + (String(file).replaceAll('\\\\', '/').endswith('{path}') ? ' ' : '');"
        f"syncBuiltinESMExports(); process.argv = [process.argv[0], 'wire.mjs', '--check'];"
        f"await import({json.dumps(WIRE.as_uri())});"
    ).replace("endswith", "endsWith")

    done = subprocess.run([str(NODE), "--input-type=module", "-e", probe], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr == f"Not what the structs say: {path}. Run: npm run wire\n"


@pytest.mark.parametrize("method", protocol.REQUESTS)
def test_a_sample_is_read_back_as_the_same_message(method):
    for struct in protocol.REQUESTS[method]:
        value = sample_of(struct, whole=True)

        message = msgspec.convert(value, struct)

        assert json.loads(msgspec.json.encode(message)) == value


@pytest.mark.parametrize("method", protocol.REQUESTS)
def test_a_parameter_that_is_not_listed_is_refused_by_name(method):
    params, _ = protocol.REQUESTS[method]

    with pytest.raises(msgspec.ValidationError, match="colour"):
        msgspec.convert(sample_of(params, whole=True) | {"colour": "blue"}, params)


def test_no_field_of_a_reply_may_be_left_out():
    results = {result for _, result in protocol.REQUESTS.values()} | set(protocol.SERVER_NOTIFICATIONS.values())
    _, known = msgspec.json.schema_components(results)

    optional = {name: sorted(schema["properties"].keys() - set(schema["required"])) for name, schema in known.items()}

    assert {name: fields for name, fields in optional.items() if fields} == {}


def test_every_struct_becomes_one_type():
    source = (ROOT / "plugin" / "protocol" / "messages.ts").read_text(encoding="utf-8")

    names = re.findall(r"^export (?:interface|type) (\w+)", source, re.MULTILINE)

    assert len(names) == len(set(names))
    assert [name for name in names if name[-1].isdigit()] == []
    assert "unreachable" not in source
    assert "This interface was referenced" not in source


def test_a_struct_that_extends_another_repeats_nothing_of_it(wire):
    known = wire["schema"]
    refs = {name: schema["extends"]["$ref"] for name, schema in known.items() if "extends" in schema}
    extending = {name: ref.rpartition("/")[2] for name, ref in refs.items()}

    assert extending["TierSearchParams"] == "SearchOptions"
    for name, base in extending.items():
        own, theirs = known[name]["properties"], known[base]["properties"]
        assert not [field for field, schema in own.items() if theirs.get(field) == schema]
        while base:
            own = known[base]["properties"] | own
            base = extending.get(base)
        assert {field.encode_name for field in msgspec.structs.fields(getattr(protocol, name))} == own.keys()


def test_the_page_names_every_method_every_field_and_every_error(wire):
    page = (ROOT / "docs" / "PROTOCOL.md").read_text(encoding="utf-8")
    fields = {field for schema in wire["schema"].values() for field in schema.get("properties", {})}

    assert [name for name in protocol.REQUESTS if f"### `{name}`" not in page] == []
    assert [name for name in fields - {"jsonrpc", "id", "error"} if f"`{name}`" not in page and name != "code"] == []
    assert (ROOT / "tests" / "wire" / "session.py").read_text(encoding="utf-8").strip() in page
    assert (ROOT / "tests" / "wire" / "session.mjs").read_text(encoding="utf-8").strip() in page


def test_the_page_names_every_kind_of_error_that_the_sources_know():
    page = (ROOT / "docs" / "PROTOCOL.md").read_text(encoding="utf-8")
    sources = (ROOT / "sidecar" / "quarry").rglob("*.py")
    text = "\n".join(source.read_text(encoding="utf-8") for source in sources)

    kinds = set(re.findall(r"(?:ErrorData\(\s*kind=|_error\(Error\.\w+, )\"([a-z-]+)\"", text))

    assert "busy" in kinds
    assert [kind for kind in sorted(kinds) if f"`{kind}`" not in page] == []
