"""
Which formats of credentials does Quarry recognise?

One row per format: the name that the marker shows, the literals without which it cannot occur (lower case; Python's
`re` tries the pattern only where one of them is), and the pattern of the secret or, for the validators that say so, of
what leads to it. Patterns are written in what RE2 and `re` read alike on bytes: ASCII classes, no groups, no
look-around, no anchors, repetition bounded wherever something must follow. The ends are not part of them: `left` and
`right` are the characters that may not touch the span; everything else may, so that bold, table cells, brackets, quotes
and full stops need no mention.

Rows are in order of precedence: where two claim the same characters, the first names the redaction. Prefixes and
lengths are facts of the vendors, out of their documentation and of the public rule sets of gitleaks, detect-secrets and
secretlint; where a vendor has lengthened a format before, its length is a minimum.
"""

from collections.abc import Callable

from msgspec import Struct

from quarry.redaction import validators
from quarry.redaction.validators import Validator

ALNUM = "A-Za-z0-9"
BASE64URL = r"A-Za-z0-9_\-"
BASE64 = r"A-Za-z0-9+/_=\-"


class Rule(Struct, frozen=True):
    """One format of credential."""

    name: str
    keywords: str  # lower case, separated by spaces
    pattern: str
    validator: Validator = validators.vendor_token
    left: str = ALNUM  # inside of a character class: what may not precede the span; "" allows anything
    right: str = ALNUM
    lead: str = ""  # a pattern that must precede the span and is kept
    trail: str = ""  # a pattern that must follow it
    mask: Callable[[bytes], bytes] | None = None  # puts zeros over what the rule must not match


_PREFIXED = (
    Rule(
        "private-key",
        "-----begin",
        r"-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----",
        validators.private_key,
        left="",
        right="",
    ),
    Rule(
        "putty-private-key",
        "private-lines:",
        r"(?:[A-Za-z0-9+/=]+[\r\n]{1,2})+",
        validators.accept_all,
        left="",
        right="",
        lead=r"Private-Lines: [0-9]{1,3}[\r\n]{1,2}",
    ),
    Rule("age-secret-key", "age-secret-key-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    Rule("1password-token", "ops_ey", r"ops_ey[A-Za-z0-9+/=_-]{200,}"),
    Rule(
        "1password-secret-key",
        "a3-",
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    Rule("adobe-client-secret", "p8e-", r"p8e-[A-Za-z0-9_-]{32}"),
    Rule("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    Rule("alibaba-access-key", "ltai", r"LTAI[A-Za-z0-9]{12,30}", validators.random_token),
    Rule("anthropic-api-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{32,}"),
    Rule("artifactory-key", "akcp cmvmd", r"AKCp[A-Za-z0-9]{50,}|cmVmd[A-Za-z0-9]{59,}"),
    Rule("atlassian-token", "atatt3 atctt3 atbb", r"AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{20,}", validators.random_token),
    Rule(
        "aws-access-key-id",
        "akia asia abia acca a3t",
        r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
        validators.aws_key_id,
    ),
    Rule("aws-bedrock-key", "absk", r"ABSK[A-Za-z0-9+/]{109,}={0,2}"),
    Rule(
        "aws-bedrock-key",
        "bedrock-api-key-",
        r"bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/_=-]*",
    ),
    Rule("aws-mws-token", "amzn.mws.", r"amzn\.mws\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    Rule(
        "azure-storage-key",
        "accountkey sharedaccesskey sharedsecretvalue",
        r"[A-Za-z0-9+/]{40,}={0,2}",
        validators.accept_all,
        left="",
        lead=r"(?i:accountkey|sharedaccesskey|sharedsecretvalue)=",
    ),
    Rule(
        "azure-sas-signature",
        "sig=",
        r"[A-Za-z0-9%+/]{40,}(?:=|%3[dD]){0,2}",
        validators.accept_all,
        left="",
        lead=r"[?&;]sig=",
    ),
    Rule("clickhouse-key", "4b1d", r"4b1d[A-Za-z0-9]{38}"),
    Rule("clojars-token", "clojars_", r"(?i:CLOJARS_)[A-Za-z0-9]{60}"),
    Rule("cloudflare-ca-key", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    Rule("cloudflare-token", "cfk_ cfut_ cfat_", r"cf(?:k|ut|at)_[A-Za-z0-9_-]{40,}"),
    Rule("contentful-token", "cfpat-", r"CFPAT-[A-Za-z0-9_-]{43}"),
    Rule("databricks-token", "dapi", r"dapi[A-Fa-h0-9]{32}(?:-[0-9])?"),
    Rule("defined-networking-token", "dnkey-", r"dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
    Rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    Rule(
        "discord-webhook",
        "/api/webhooks/",
        r"[0-9]{15,22}/[A-Za-z0-9_-]{40,}",
        left="",
        lead=r"discord(?:app)?\.com/api/webhooks/",
    ),
    Rule("docker-token", "dckr_", r"dckr_[a-z]{3}_[A-Za-z0-9_-]{27,}"),
    Rule(
        "doppler-token",
        "dp.",
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[A-Za-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}",
    ),
    Rule("dropbox-token", "sl.", r"sl\.(?:u\.)?[A-Za-z0-9_=-]{130,}"),
    Rule("duffel-token", "duffel_", r"duffel_(?:test|live)_[A-Za-z0-9_=-]{43,}"),
    Rule("dynatrace-token", "dt0", r"dt0[a-zA-Z][0-9]{2}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    Rule("easypost-key", "ezak eztk", r"EZ[AT]K[A-Za-z0-9]{54}"),
    Rule("facebook-token", "eaa", r"EAA[A-Z][A-Za-z0-9]{80,}"),
    Rule("figma-token", "figd_ figo_ figr_ figh_ figu_", r"fig[dhoru]h?_[A-Za-z0-9_-]{20,}"),
    Rule(
        "flutterwave-key",
        "flwpubk flwseck",
        r"FLW(?:PUBK|SECK)(?:_TEST)?-[a-h0-9]{12,40}(?:-X)?|FLWSECK_TEST[a-h0-9]{12}",
    ),
    Rule("flyio-token", "fo1_ fm1 fm2_", r"fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,}={0,3}"),
    Rule("frameio-token", "fio-u-", r"fio-u-[A-Za-z0-9_=-]{64}"),
    Rule("gcp-api-key", "aiza", r"AIza[A-Za-z0-9_-]{35}"),
    Rule("gcp-oauth-secret", "gocspx-", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    Rule("gcp-oauth-token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,}"),
    Rule("gcp-refresh-token", "1//0", r"1//0[A-Za-z0-9_-]{40,}"),
    Rule("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{36,}"),
    Rule(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_",
        r"gh[oprsu]_(?:[0-9]{1,12}_ey[A-Za-z0-9_.-]{40,}|[A-Za-z0-9]{36,})",
    ),
    Rule(
        "gitlab-token",
        "glagent- glcbt- gldt- glffct- glft- glimt- gloas- glpat- glptt- glrt- glrtr- glsoat- glwt-",
        r"gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat|wt)-[A-Za-z0-9_=-]{20,}"
        r"(?:\.[A-Za-z0-9]{2,20}){0,2}",
    ),
    Rule("gitlab-runner-token", "gr1348941", r"GR1348941[A-Za-z0-9_-]{20,}", validators.random_token),
    Rule(
        "gitlab-session", "_gitlab_session=", r"[0-9a-z]{32}", validators.accept_all, left="", lead="_gitlab_session="
    ),
    Rule("grafana-key", "eyjrijoi", r"eyJrIjoi[A-Za-z0-9]{70,}={0,3}"),
    Rule(
        "grafana-token",
        "glc_ glsa_",
        r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,}={0,3}",
        validators.random_token,
    ),
    Rule("groq-api-key", "gsk_", r"gsk_[A-Za-z0-9]{52}"),
    Rule("harness-key", "pat. sat.", r"pat\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    Rule("harness-key", "sat.", r"sat\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    Rule("hashicorp-vault-token", "hvs. hvb. hvr.", r"hv[bsr]\.[A-Za-z0-9_-]{24,}", validators.random_token),
    Rule(
        "hashicorp-vault-token",
        "s.",
        r"s\.[A-Za-z0-9]{24}",
        validators.random_token,
        left=r"A-Za-z0-9.\-",
    ),
    Rule("heroku-key", "hrku-", r"HRKU-[A-Za-z0-9_-]{36,}"),
    Rule("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{34}"),
    Rule("huggingface-token", "api_org_", r"api_org_[A-Za-z0-9]{34}"),
    Rule("infracost-key", "ico-", r"ico-[A-Za-z0-9]{32}"),
    Rule("intra42-secret", "s-s4t2", r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),
    Rule("linear-key", "lin_", r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,}"),
    Rule("lob-key", "live_ test_", r"(?:live|test)_(?:pub_)?[a-f0-9]{31,35}", validators.random_token),
    Rule("mailgun-key", "key-", r"(?:pub)?key-[0-9a-f]{32}"),
    Rule("netlify-token", "nfp_ nfc_ nfo_ nfu_", r"nf[cfopu]_[A-Za-z0-9]{36,}"),
    Rule(
        "newrelic-key",
        "nrak- nrii- nrjs-",
        r"NRAK-[A-Za-z0-9]{27}|NRII-[A-Za-z0-9_-]{32}|NRJS-[a-f0-9]{19}",
    ),
    Rule("notion-token", "ntn_", r"ntn_[0-9]{11}[A-Za-z0-9]{32,}", validators.random_token),
    Rule("notion-token", "secret_", r"secret_[A-Za-z0-9]{43}", validators.random_token),
    Rule("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    Rule("octopus-key", "api-", r"API-[A-Z0-9]{25,}", validators.random_token, left=r"A-Za-z0-9/\-"),
    Rule("openai-api-key", "t3blbkfj", r"sk-(?:[a-z]{2,8}-)?[A-Za-z0-9_-]{16,200}T3BlbkFJ[A-Za-z0-9_-]{20,}"),
    Rule(
        "openai-api-key",
        "sk-",
        r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{32,}|sk-[A-Za-z0-9]{32,}",
        validators.random_token,
    ),
    Rule("openrouter-key", "sk-or-", r"sk-or-v1-[a-f0-9]{64}"),
    Rule("openshift-token", "sha256~", r"sha256~[A-Za-z0-9_-]{43}"),
    Rule("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{48}"),
    Rule("planetscale-token", "pscale_", r"pscale_(?:pw|tkn|oauth)_[A-Za-z0-9_=.-]{31,}[A-Za-z0-9_=-]"),
    Rule("posthog-key", "phx_ phc_", r"ph[cx]_[A-Za-z0-9]{43}"),
    Rule("postman-key", "pmak-", r"PMAK-[A-Za-z0-9]{24}-[A-Za-z0-9]{34}"),
    Rule("prefect-key", "pnu_", r"pnu_[A-Za-z0-9]{36}"),
    Rule("pulumi-token", "pul-", r"pul-[a-f0-9]{40}"),
    Rule("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,}"),
    Rule("readme-key", "rdme_", r"rdme_[a-z0-9]{70}"),
    Rule("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37}"),
    Rule("rubygems-key", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    Rule("scalingo-token", "tk-us-", r"tk-us-[A-Za-z0-9_-]{48}"),
    Rule("sendgrid-key", "sg.", r"SG\.[A-Za-z0-9_=.-]{59,79}[A-Za-z0-9_=-]"),
    Rule("sendinblue-key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    Rule("sentry-token", "sntrys_ sntryu_", r"sntrys_ey[A-Za-z0-9+/=_-]{60,}|sntryu_[a-f0-9]{64}"),
    Rule("settlemint-token", "sm_", r"sm_[a-z]at_[A-Za-z0-9]{16}"),
    Rule("shippo-token", "shippo_", r"shippo_(?:live|test)_[a-fA-F0-9]{40}"),
    Rule("shopify-token", "shp", r"shp(?:at|ca|pa|pat|ss|tka|ua)_[a-fA-F0-9]{32}"),
    Rule("slack-token", "xox", r"(?i:xoxe\.xox[bp]|xox[a-z])-[A-Za-z0-9-]{10,}", validators.numbered_token),
    Rule("slack-token", "xapp-", r"(?i:xapp)-[0-9]-[A-Za-z0-9]{8,20}-[0-9]{6,20}-[A-Za-z0-9]{16,}"),
    Rule(
        "slack-webhook",
        "hooks.slack.com/",
        r"[A-Za-z0-9+/_-]{24,}",
        left="",
        lead=r"hooks\.slack\.com/(?:services|workflows|triggers)/",
    ),
    Rule(
        "sourcegraph-token",
        "sgp_ slk_",
        r"sgp_(?:(?:[A-Fa-f0-9]{16}|local)_)?[A-Fa-f0-9]{40}|slk_[a-f0-9]{64}",
    ),
    Rule(
        "square-token",
        "sq0 eaaa",
        r"sq0[a-z]{3}-[A-Za-z0-9_-]{22,60}|EAAA[A-Za-z0-9_-]{22,60}",
        validators.random_token,
    ),
    Rule("stripe-key", "sk_", r"sk_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    Rule("stripe-key", "rk_", r"rk_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    Rule("stripe-webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    Rule("supabase-key", "sbp_ sb_secret_", r"sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{24,}"),
    Rule("tailscale-key", "tskey-", r"tskey-(?:[a-z]{2,12}-)?[A-Za-z0-9]{10,40}-[A-Za-z0-9]{20,}"),
    Rule("twilio-key", "sk", r"SK[0-9a-f]{32}"),
    Rule("twitter-bearer-token", "aaaaaaaaaa", r"A{20}[A-Za-z0-9%]{60,}", validators.random_token),
    Rule("typeform-token", "tfp_", r"tfp_[A-Za-z0-9_.=-]{58}[A-Za-z0-9_=-]"),
    Rule("vercel-token", "vcp_ vck_ vca_ vci_ vcr_", r"vc[acikpr]_[A-Za-z0-9]{24,}", validators.random_token),
    Rule("xai-api-key", "xai-", r"xai-[A-Za-z0-9]{70,}"),
    Rule("yandex-key", "aqvn", r"AQVN[A-Za-z0-9_-]{35,38}"),
    Rule("yandex-key", "t1.", r"t1\.[A-Za-z0-9_-]{7,200}={0,2}\.[A-Za-z0-9_-]{86}={0,2}"),
    Rule(
        "jwt",
        "ey",
        r"ey[A-Za-z0-9]{17,}\.ey[A-Za-z0-9/\\_-]{17,}(?:\.[A-Za-z0-9/_-]*={0,2})?",
        left=BASE64URL,
        right="",
    ),
)
"""Known by how they begin."""

_SHAPED = (
    Rule("asana-token", "/", r"[0-2]/[0-9]{16}(?:/[0-9]{16})?:[a-f0-9]{32}"),
    Rule(
        "azure-ad-client-secret",
        "q~",
        r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
    ),
    Rule("azure-devops-token", "azdo", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    Rule("facebook-token", "| %7c", r"[0-9]{15,16}(?:\||%7[cC])[A-Za-z0-9_-]{27,40}", validators.accept_all),
    Rule("hashicorp-terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    Rule("mailchimp-key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}"),
    Rule("mailgun-signing-key", "-", r"[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}"),
    Rule("mapbox-token", "k.ey", r"[pst]k\.ey[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}"),
    Rule("maxmind-key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    Rule("newrelic-key", "nral", r"[a-f0-9]{36}NRAL"),
    Rule("telegram-token", ":aa", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}", left="0-9"),
)
"""Known by what stands in their middle: scanned apart, as each costs the automaton more than ten prefixes do."""

_DISCORD = (
    Rule(
        "discord-token",
        ".",
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
        validators.random_token,
        left=BASE64URL,
    ),
)
"""Shaped too, but a start on any M, N or O next to the rules above makes an automaton that thrashes on base64."""

FOREIGN_LABEL = "\x01"  # no letter, so that a token may touch it; no space, so that it can stand among keywords
_PASSWORDS = rf"pass(?:word|wort|wd|phrase|code)|pwd|kennwort|mot de passe|{FOREIGN_LABEL}{{2,8}}"
_TOKENS = (
    r"secret|token|api[_ .-]?keys?|access[_ .-]?keys?|auth(?:orization|[_ -]?keys?)|private[_ .-]?key"
    r"|signing[_ .-]?key|encryption[_ .-]?key|account[_ .-]?key|licen[cs]e[_ .-]?key|master[_ .-]?key"
    r"|consumer[_ .-]?key|client[_ .-]?id"
)
_UNMARKED_VENDORS = (
    "adafruit adobe airtable algolia alibaba artifactory asana atlassian beamer bintray bitbucket bittrex"
    " cloudflare codecov coinbase confluence confluent contentful datadog discord droneci dropbox etsy fastly"
    " finicity finnhub freshbooks gitter heroku intercom jfrog jira kraken kucoin launchdarkly linear linkedin"
    " lob looker mapbox mattermost messagebird netlify nytimes okta plaid rapidapi sendbird sentry snyk"
    " squarespace sumo sumologic travis trello twitch twitter zendesk"
)
_CLOSING = r"[\\\"'`\])*_~]{0,5}"
_OPERATOR = r"(?:=>|:=|[?!=]?={1,2}|::[ \t]|:|\|{1,2}|->|>)"
_SEPARATOR = (  # the longer forms first, as both engines take the first that fits
    r"(?:[ \t]{1,3}value=|[\r\n]{1,2}[ \t>-]{0,20}value:[ \t]{1,3}"  # XML attributes | Kubernetes
    r"|:[ \t]{1,3}[|>][0-9+-]{0,2}[ \t]{0,3}[\r\n]{1,2}[ \t]{1,8}"  # YAML block
    r"|[:=][*_]{0,3}[ \t]{0,3}(?:[\r\n]{1,2}[ \t]{0,3}```[a-z]{0,10})?[\r\n]{1,2}[ \t>*-]{0,8}"  # on the next line
    rf"|(?:[ \t]{{1,3}}(?:is|was|ist))?[ \t]{{0,8}}(?::[ \t]{{0,3}}str(?:ing)?[ \t]{{0,3}})?{_OPERATOR}"
    r"[*_~]{0,3}[ \t]{0,8}[*_~]{0,3}"  # password: | **token:** | const secret: string =
    r"|[ \t]{1,3}(?:is|was|ist)[ \t]{1,3}[*_~]{0,3}"  # the key is
    r"|[ \t]{1,3}-{1,2}[ \t]{1,3}"  # password - hunter2
    r"|,?[ \t]{1,3})"  # --password | setProperty("TOKEN",
)
_SCHEME = r"(?:(?:bearer|basic|token|api-?token|api-?key|bot|splunk|key)[ \t]{1,3})?"


def _label(words: str, ending: str = r"[A-Za-z0-9_.-]{0,40}") -> str:
    """The pattern of a label and everything between it and its value."""
    return rf"(?i:(?:{words}){ending}{_CLOSING}{_SEPARATOR}{_SCHEME})"


_LABELLED = (
    Rule(
        "url-password",
        "://",
        r"[^ \t\r\n\0/\"'`<>|]{1,200}",
        validators.url_password,
        left="",
        right="",
        lead=r"://[^ \t\r\n\0:/?#@\"'`<>|()]{0,100}:",
        trail=r"@[A-Za-z0-9\[]",
    ),
    Rule(
        "url-password",
        "://",
        r"[^ \t\r\n\0\"'`<>|()\[\]]{1,200}",
        validators.url_password_with_slash,
        left="",
        right="",
        lead=r"://[^ \t\r\n\0:/?#@.\"'`<>|()\[\]]{1,100}:",
        trail=r"@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9]|:[0-9])",
    ),
    Rule(
        "curl-password",
        "-u --user --proxy-user",
        r"[ \t\r\n\"'](?:-u|--user|--proxy-user)[ =]{0,2}[\"']?[A-Za-z0-9_.@%+-]{0,80}:",
        validators.curl_password,
        left="",
        right="",
    ),
    Rule("auth-header", "bearer basic", r"(?i:bearer|basic)[ \t]{1,3}", validators.header_credentials, right=""),
    Rule(
        "password",
        f"pass pwd kennwort {FOREIGN_LABEL}",
        _label(_PASSWORDS),
        validators.assigned_password,
        left="",
        right="",
    ),
    Rule("password", "pass pw", _label("pass|pw", "[0-9_]{0,3}"), validators.assigned_password, right=""),
    Rule(
        "secret",
        "secret token key authorization client",
        _label(_TOKENS),
        validators.assigned_token,
        left="",
        right="",
    ),
    Rule("key", "key", _label("key", r"(?:s|[_-]?[0-9]{1,2})?"), validators.assigned_key, left="", right=""),
    Rule(
        "vendor-key",
        _UNMARKED_VENDORS,
        r"(?i:" + "|".join(_UNMARKED_VENDORS.split()) + r")[\\\"'`\])*_~]{0,3}"
        r"(?:[ \t]{0,3}(?:::[ \t]|[:=|])[ \t]{0,3}|[ \t]{0,3}[\r\n]{1,2}[ \t>]{0,6})",
        validators.assigned_key,
        left=BASE64URL,
        right="",
    ),
)
"""Known by the words before them."""

_RANDOM = (
    Rule(
        "base64",
        "",
        r"[A-Za-z0-9+/_-]{40,}={0,2}",
        validators.base64_blob,
        left=BASE64,
        right=BASE64,
        mask=validators.without_public_blocks,
    ),
)
"""Known by their randomness alone."""

RULE_FAMILIES = (_PREFIXED, _SHAPED, _DISCORD, _LABELLED, _RANDOM)
"""The rules, by what an engine should look for together."""

RULES: tuple[Rule, ...] = tuple(rule for family in RULE_FAMILIES for rule in family)
