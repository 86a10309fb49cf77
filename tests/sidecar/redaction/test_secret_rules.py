import random
import re
import string
import sys
from collections.abc import Iterator

import pytest

from quarry.redaction.scrub import scrub
from quarry.redaction.secret_rules import SETS_PAY_BYTES, Re2Engine, ReEngine, Rule, default_scrub_engine, rules

LETTERS_AND_DIGITS = string.ascii_letters + string.digits
UPPER_AND_DIGITS = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
DIGITS = string.digits

# name -> what the vendor documents: literal parts, and (alphabet, length) for random ones; nothing here is a credential
FORMS = {
    "1password-token": ["op", "s_eyJ", (LETTERS_AND_DIGITS, 260)],
    "adobe-client-secret": ["p8", "e-", (HEX, 32)],
    "age-secret-key": ["AGE-SECRET-", "KEY-1", (UPPER_AND_DIGITS, 58)],
    "airtable-token": ["p", "at", (LETTERS_AND_DIGITS, 14), ".", (HEX, 64)],
    "alibaba-access-key": ["LT", "AI5t", (LETTERS_AND_DIGITS, 20)],
    "anthropic-api-key": ["sk-", "ant-api03-", (LETTERS_AND_DIGITS, 93), "AA"],
    "artifactory-key": ["AK", "Cp", (LETTERS_AND_DIGITS, 69)],
    "asana-token": ["1/", (DIGITS, 16), ":", (HEX, 32)],
    "atlassian-token": ["AT", "ATT3xFf", (LETTERS_AND_DIGITS, 60)],
    "aws-access-key-id": ["AK", "IA", (string.ascii_uppercase + "234567", 16)],
    "aws-bedrock-key": ["AB", "SK", (LETTERS_AND_DIGITS, 128)],
    "azure-ad-client-secret": [(LETTERS_AND_DIGITS, 3), "8", "Q~", (LETTERS_AND_DIGITS, 34)],
    "azure-devops-token": [(LETTERS_AND_DIGITS, 76), "AZ", "DO", (LETTERS_AND_DIGITS, 4)],
    "clickhouse-key": ["4b", "1d", (LETTERS_AND_DIGITS, 38)],
    "cloudflare-ca-key": ["v1", ".0-", (HEX, 24), "-", (HEX, 146)],
    "cloudflare-token": ["cf", "ut_", (LETTERS_AND_DIGITS, 40)],
    "contentful-token": ["CF", "PAT-", (LETTERS_AND_DIGITS, 43)],
    "databricks-token": ["da", "pi", (HEX, 32)],
    "digitalocean-token": ["dop", "_v1_", (HEX, 64)],
    "discord-token": ["M", (LETTERS_AND_DIGITS, 25), ".", (LETTERS_AND_DIGITS, 6), ".", (LETTERS_AND_DIGITS, 38)],
    "docker-token": ["dckr", "_pat_", (LETTERS_AND_DIGITS, 27)],
    "doppler-token": ["dp.", "pt.", (LETTERS_AND_DIGITS, 43)],
    "dropbox-token": ["sl", ".u.", (LETTERS_AND_DIGITS, 140)],
    "dynatrace-token": ["dt0", "c01.", (UPPER_AND_DIGITS, 24), ".", (UPPER_AND_DIGITS, 64)],
    "facebook-token": ["EA", "AC", (LETTERS_AND_DIGITS, 110)],
    "figma-token": ["fig", "d_", (LETTERS_AND_DIGITS, 40)],
    "flyio-token": ["fm", "2_", (LETTERS_AND_DIGITS, 120)],
    "gcp-api-key": ["AI", "za", (LETTERS_AND_DIGITS, 35)],
    "gcp-oauth-secret": ["GOC", "SPX-", (LETTERS_AND_DIGITS, 28)],
    "gcp-oauth-token": ["ya", "29.", (LETTERS_AND_DIGITS, 60)],
    "github-token": ["gh", "p_", (LETTERS_AND_DIGITS, 36)],
    "gitlab-token": ["gl", "pat-", (LETTERS_AND_DIGITS, 20)],
    "gitlab-runner-token": ["GR", "1348941", (LETTERS_AND_DIGITS, 20)],
    "grafana-token": ["gl", "sa_", (LETTERS_AND_DIGITS, 32), "_", (HEX, 8)],
    "groq-api-key": ["gs", "k_", (LETTERS_AND_DIGITS, 52)],
    "hashicorp-terraform-token": [(LETTERS_AND_DIGITS, 14), ".atlas", "v1.", (LETTERS_AND_DIGITS, 67)],
    "hashicorp-vault-token": ["hv", "s.", (LETTERS_AND_DIGITS, 95)],
    "heroku-key": ["HR", "KU-", (LETTERS_AND_DIGITS, 60)],
    "huggingface-token": ["h", "f_", (LETTERS_AND_DIGITS, 34)],
    "jwt": ["ey", "J", (LETTERS_AND_DIGITS, 30), ".ey", "J", (LETTERS_AND_DIGITS, 60), ".", (LETTERS_AND_DIGITS, 43)],
    "linear-key": ["lin", "_api_", (LETTERS_AND_DIGITS, 40)],
    "mailchimp-key": [(HEX, 32), "-us", "19"],
    "mailgun-key": ["ke", "y-", (HEX, 32)],
    "maxmind-key": [(LETTERS_AND_DIGITS, 6), "_", (LETTERS_AND_DIGITS, 29), "_m", "mk"],
    "netlify-token": ["nf", "p_", (LETTERS_AND_DIGITS, 36)],
    "newrelic-key": ["NR", "AK-", (UPPER_AND_DIGITS, 27)],
    "notion-token": ["nt", "n_", (DIGITS, 11), (LETTERS_AND_DIGITS, 35)],
    "npm-token": ["np", "m_", (LETTERS_AND_DIGITS, 36)],
    "octopus-key": ["AP", "I-", (UPPER_AND_DIGITS, 26)],
    "openai-api-key": ["sk-", "proj-", (LETTERS_AND_DIGITS, 74), "T3Blbk", "FJ", (LETTERS_AND_DIGITS, 74)],
    "openrouter-key": ["sk-", "or-v1-", (HEX, 64)],
    "perplexity-key": ["pp", "lx-", (LETTERS_AND_DIGITS, 48)],
    "planetscale-token": ["psc", "ale_tkn_", (LETTERS_AND_DIGITS, 43)],
    "postman-key": ["PM", "AK-", (HEX, 24), "-", (HEX, 34)],
    "pulumi-token": ["pu", "l-", (HEX, 40)],
    "pypi-token": ["py", "pi-AgEIcHlwaS5vcmc", (LETTERS_AND_DIGITS, 120)],
    "replicate-token": ["r", "8_", (LETTERS_AND_DIGITS, 37)],
    "rubygems-key": ["ruby", "gems_", (HEX, 48)],
    "sendgrid-key": ["S", "G.", (LETTERS_AND_DIGITS, 22), ".", (LETTERS_AND_DIGITS, 43)],
    "sendinblue-key": ["xkey", "sib-", (HEX, 64), "-", (LETTERS_AND_DIGITS, 16)],
    "sentry-token": ["sn", "tryu_", (HEX, 64)],
    "shopify-token": ["sh", "pat_", (HEX, 32)],
    "slack-token": ["xo", "xb-", (DIGITS, 12), "-", (DIGITS, 13), "-", (LETTERS_AND_DIGITS, 24)],
    "sourcegraph-token": ["sg", "p_", (HEX, 16), "_", (HEX, 40)],
    "square-token": ["sq", "0atp-", (LETTERS_AND_DIGITS, 22)],
    "stripe-key": ["sk", "_live_", (LETTERS_AND_DIGITS, 24)],
    "stripe-webhook-secret": ["wh", "sec_", (LETTERS_AND_DIGITS, 32)],
    "supabase-key": ["sb", "p_", (HEX, 40)],
    "tailscale-key": ["ts", "key-auth-", (LETTERS_AND_DIGITS, 12), "-", (LETTERS_AND_DIGITS, 32)],
    "telegram-token": [(DIGITS, 10), ":A", "A", (LETTERS_AND_DIGITS, 33)],
    "twilio-key": ["S", "K", (HEX, 32)],
    "xai-api-key": ["xa", "i-", (LETTERS_AND_DIGITS, 80)],
    "yandex-key": ["AQ", "VN", (LETTERS_AND_DIGITS, 36)],
}

CONTEXTS = {
    "prose": "The one for staging is {}, until May.",
    "code block": "Before:\n\n```\n{}\n```\n\nAfter.",
    "backticks": "Use `{}` there.",
    "bold": "Mind: **{}**!",
    "table": "| name | value |\n|---|---|\n| staging |{}|",
    "yaml": "service:\n  access: {}\n  region: eu",
    "json": '{{"access": "{}", "region": "eu"}}',
    "export": "export SERVICE_ACCESS={}\nmake deploy",
    "curl": "curl -H 'X-Access: {}' https://service.example/v1",
}
ENDS = [
    "({})",
    "[{}]",
    "[[{}]]",
    "<b>{}</b>",
    "~~{}~~",
    "“{}”",
    "密码{}。",
    "🔑{}🔑",
    "{}.",
    "{},",
    "{};",
    "{}:",
    "{}?",
    "{}\\n",
]


def credential(name: str, seed: int = 0) -> str:
    """A made-up credential of the form of *name*: random, the same for the same *seed*."""
    chance = random.Random(f"{name}{seed}")
    parts = [part if isinstance(part, str) else "".join(chance.choices(part[0], k=part[1])) for part in FORMS[name]]
    return "".join(parts)


@pytest.fixture(params=[Re2Engine, ReEngine], ids=["re2", "re"], scope="module")
def engine(request: pytest.FixtureRequest) -> ReEngine:
    return request.param()


@pytest.mark.parametrize("name", FORMS)
def test_vendor_token_is_replaced_in_every_place_of_a_note(name: str, engine: ReEngine):
    token = credential(name)

    scrubbed = {place: scrub(note.format(token), engine).text for place, note in CONTEXTS.items()}

    assert scrubbed == {place: note.format(f"[REDACTED:{name}]") for place, note in CONTEXTS.items()}


@pytest.mark.parametrize("name", FORMS)
def test_punctuation_may_touch_a_vendor_token(name: str):
    token = credential(name, seed=1)

    scrubbed = [scrub(end.format(token)).text for end in ENDS]

    assert scrubbed == [end.format(f"[REDACTED:{name}]") for end in ENDS]


@pytest.mark.parametrize("name", FORMS)
def test_several_tokens_beside_each_other_are_each_replaced(name: str):
    line = ",".join(credential(name, seed) for seed in range(3))

    assert scrub(line).text == ",".join([f"[REDACTED:{name}]"] * 3)


def test_vendors_of_the_specification_are_all_known():
    asked = "openai anthropic github gitlab aws gcp azure stripe slack twilio sendgrid npm pypi huggingface cloudflare"
    asked += " digitalocean discord telegram shopify square mailgun databricks notion linear"

    known = {rule.name.split("-")[0] for rule in rules()}

    assert set(asked.split()) <= known
    assert len(known) > 80


@pytest.mark.parametrize("name", ["github-token", "npm-token", "huggingface-token", "gcp-api-key"])
def test_token_inside_of_a_longer_word_is_left_alone(name: str):
    word = "Q" + credential(name).replace("+", "") + "Z"

    assert f"[REDACTED:{name}]" not in scrub(word).text


@pytest.mark.parametrize("filler", ["x", "X", "*"])
def test_prefix_with_a_filler_behind_it_is_documentation(filler: str):
    line = "It looks like gh" + "p_" + filler * 36

    assert scrub(line).text == line


def test_documented_key_id_of_aws_is_left_alone():
    line = "aws_access_key_id = AKIA" + "IOSFODNN7EXAMPLE"

    assert scrub(line).text == line


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.name)
def test_rule_is_written_in_the_common_part_of_both_engines(rule):
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", rule.name)
    assert rule.keywords == rule.keywords.lower()
    for pattern in (rule.lead, rule.pattern, rule.trail):
        outside_classes = re.sub(r"\\.|\[\^?(?:\\.|[^\]\\])+\]", "", pattern)
        assert not re.search(r"\(\?[=!<]|\((?!\?)|[$^]", outside_classes)
        assert not re.search(r"\\[bBsSwWdDAZz]", pattern)
    for bounds in re.findall(r"\{(\d+),?(\d*)\}", rule.pattern):
        assert max(int(bound or 0) for bound in bounds) <= 1_000  # RE2 repeats no more


ALNUM = string.ascii_letters + string.digits
STRIPE = "sk" + "_live_" + "".join(random.Random(5).choices(ALNUM, k=24))


@pytest.fixture
def fresh_choice() -> Iterator[None]:
    default_scrub_engine.cache_clear()
    yield
    default_scrub_engine.cache_clear()


def test_re2_is_chosen_where_it_can_be_imported(fresh_choice: None):
    assert isinstance(default_scrub_engine(), Re2Engine)


def test_re_takes_over_where_re2_cannot_be_imported(fresh_choice: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "re2", None)

    scrubbed = scrub(f"pay with {STRIPE}")

    assert type(default_scrub_engine()) is ReEngine
    assert scrubbed.text == "pay with [REDACTED:stripe-key]"


@pytest.mark.parametrize("engine", [Re2Engine(), ReEngine()], ids=["re2", "re"])
def test_candidates_hold_every_rule_that_matches(engine: ReEngine):
    data = f"\nnothing, then {STRIPE} and password: x7dfg8s\n".encode()

    candidates = list(engine.candidates(data))

    assert candidates == sorted(candidates)
    assert {index for index in range(len(rules())) if engine.search(index, data, 0)} <= set(candidates)


@pytest.mark.parametrize("engine", [Re2Engine(), ReEngine()], ids=["re2", "re"])
def test_search_goes_on_behind_a_span_and_sees_the_character_before_it(engine: ReEngine):
    index = next(index for index, rule in enumerate(rules()) if rule.name == "stripe-key")
    data = f"\n{STRIPE},{STRIPE}Z {STRIPE}\n".encode()

    first = engine.search(index, data, 0)
    assert first == (1, 1 + len(STRIPE))
    second = engine.search(index, data, first[1])
    assert second == (first[1] + 1, first[1] + 2 + len(STRIPE))  # open-ended, so with its Z
    third = engine.search(index, data, second[1])
    assert third == (second[1] + 1, len(data) - 1)
    assert engine.search(index, data, third[1]) is None


@pytest.mark.parametrize("engine", [Re2Engine(), ReEngine()], ids=["re2", "re"])
def test_place_is_where_a_rule_begins_to_match_whatever_stands_around_it(engine: ReEngine):
    index = next(index for index, rule in enumerate(rules()) if rule.name == "stripe-key")
    data = f"\nZ{STRIPE} {STRIPE}\n".encode()

    first = engine.place(index, data, 0)
    assert first == 2
    second = engine.place(index, data, first + 1)
    assert second == first + len(STRIPE) + 1
    assert engine.place(index, data, second + 1) is None


@pytest.mark.parametrize("engine", [Re2Engine(), ReEngine()], ids=["re2", "re"])
def test_no_rule_begins_at_the_line_ends_around_a_text(engine: ReEngine):
    assert [index for index in range(len(rules())) if engine.place(index, b"\n\n", 0) is not None] == []


def test_clean_prose_has_no_candidates():
    data = b"\nA walk along the river, then lunch with Ana. We spoke of her garden and of nothing else.\n"
    with_sets = Re2Engine()
    with_sets.compile_sets()

    assert list(Re2Engine().candidates(data)) == list(with_sets.candidates(data)) == []


def test_candidates_are_the_same_before_and_after_the_sets_are_compiled():
    by_keywords, by_sets = Re2Engine(), Re2Engine()
    by_sets.compile_sets()

    tails = ["", "x7Dfg8s2Kq", "9f86d081884c7d659a2feaa0c55ad015", "".join(random.Random(2).choices(ALNUM, k=90))]
    for keyword in {keyword for rule in rules() for keyword in rule.keywords.split()}:
        for tail in tails:
            data = f"\n{keyword}{tail} {keyword.upper()}={tail}\n{keyword}: '{tail}'\n".encode()
            assert list(by_keywords.candidates(data)) == list(by_sets.candidates(data))


def test_the_sets_are_compiled_once_enough_has_been_scanned(monkeypatch: pytest.MonkeyPatch):
    engine = Re2Engine()
    compile_sets = engine.compile_sets
    compiled: list[int] = []
    monkeypatch.setattr(engine, "compile_sets", lambda: compiled.append(1) or compile_sets())

    list(engine.candidates(b"a walk along the river"))
    assert not compiled
    list(engine.candidates(b"by the river " * SETS_PAY_BYTES))
    assert compiled


def test_a_rule_that_names_no_function_is_refused():
    with pytest.raises(ValueError, match=r"rule x names 'guess', which validators\.py has not"):
        Rule("x", "x", validator="guess")
