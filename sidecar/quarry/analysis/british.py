"""
English words in one spelling before they are stemmed: `decentralised`, `colour`, `centre` as in American English.

American forms are those that Porter's rules know (`realize` is `real`). A rule takes the whole word, and words that end
so for another reason are left alone: `promise`, `four`, `here`, `vogue`. So `prise` does not meet `prize`. Words that
British English alone distinguishes (`metre`, `programme`, `practise`) meet the others (`meter`, `program`, `practice`).
"""

from quarry.lazy_pattern import lazy_pattern

_ISE = lazy_pattern(
    r"(?!(?:un|re|over|dis)?(?:advert|appr|cer|chast|chem|circumc|compr|comprom|conc|dem|enterpr|exc|exerc|expert|franch"
    r"|imprec|inc|merchand|moonr|mort|parad|prec|prem|prom|repr|sunr|surm|surpr|treat|upr|val)is)"
    r"([a-z]{2,}[cdghlmnrst])is(e[ds]?|ers?|ing|ations?|abl[ey])"
)
_YSE = lazy_pattern(r"((?:re)?(?:anal|catal|dial|electrol|hydrol|paral))ys(e[ds]?|ers?|ing)")
_STEMS_OR = (
    "(?:dis|mis|multi|tri|un|water)?(?:arb|ard|arm|behavi|cand|clam|col|demean|enam|endeav|fav|ferv|flav|glam|harb|hon|hum"
    "|lab|neighb|od|parl|ranc|rig|rum|savi?|splend|succ|tum|val|vap|vig)"
)
_OUR = lazy_pattern(
    rf"({_STEMS_OR})our(|s|ed|ers?|ings?|abl[ey]|al|ally|ful|fully|hoods?|ists?|ites?|itism|less|ly|y|ies)"
)
_STEMS_ER = (
    "(?:epi|multi|re)?cent|calib|fib|(?:centi|deci|milli)?lit|lust|maneuv|meag|(?:centi|deci|kilo|micro|milli|nano)?met"
    "|mit|och|sab|somb|spect|(?:amphi)?theat"
)
_RE = lazy_pattern(rf"({_STEMS_ER})r(?:e([ds]?)|(ing))")
_OGUE = lazy_pattern(r"(ana|cata|dia|epi|homo|mono|travel)logu(?:e([ds]?)|(ers?|ing))")
_ENCE = lazy_pattern(r"(def|lic|off|pret)enc(e[ds]?|ing|eless)")
_WORDS = {
    "ageing": "aging",
    "programme": "program",
    "programmes": "programs",
    **{f"{word}l{ending}": word + ending for word in ("fuel", "dial", "trial") for ending in ("ed", "ing")},
}
# Beginnings of words: what both spellings share, how British English goes on, and how American English does.
_BEGINNINGS = """
acknowledg/ement/ment alumin/ium/um an/aem/em an/aesth/esth counsel/lor/or diarrh/oe/e encyclop/aed/ed f/oet/et
gr/ey/ay gyn/aec/ec h/aema/ema h/aemo/emo jewel/lery/ry judg/ement/ment leuk/aem/em man/oeuv/euv mo/uld/ld
m/oustach/ustach orthop/aed/ed p/aedi/edi plo/ugh/w practi/s/c p/yjama/ajama s/ceptic/keptic sul/ph/f wool/len/en
"""
_PARTS = [each.split("/") for each in _BEGINNINGS.split()]
_AMERICAN = {same + british: same + american for same, british, american in _PARTS}
_BEGINNING = lazy_pattern("|".join(_AMERICAN))
_SHARED = lazy_pattern(
    rf"{_STEMS_OR}o(?=r)|(?:{_STEMS_ER})(?=er)|(?:def|lic|off|pret)en(?=s)|.+(?=[iy]z\Z)|"
    + "|".join(f"{same}(?={american.rstrip('y')})" for same, _, american in _PARTS)
)


def american(word: str) -> str:
    """*word*, in the letters a to z, in American spelling."""
    if _BEGINNING.match(word):
        word = _BEGINNING.sub(lambda found: _AMERICAN[found[0]], word, count=1)
    if "is" in word and (found := _ISE.fullmatch(word)):
        return f"{found[1]}iz{found[2]}"
    if "ys" in word and (found := _YSE.fullmatch(word)):
        return f"{found[1]}yz{found[2]}"
    if "our" in word and (found := _OUR.fullmatch(word)):
        return f"{found[1]}or{found[2]}"
    if word.endswith(("re", "red", "res", "ring")) and (found := _RE.fullmatch(word)):
        return f"{found[1]}er{_ending(found[2], found[3])}"
    if "logu" in word and (found := _OGUE.fullmatch(word)):
        return f"{found[1]}log{_ending(found[2], found[3])}"
    if "enc" in word and (found := _ENCE.fullmatch(word)):
        return f"{found[1]}ens{found[2]}"
    return _WORDS.get(word, word)


def _ending(behind_e: str | None, other: str | None) -> str:
    return other or {"d": "ed"}.get(behind_e or "", behind_e or "")


def shared_beginning(term: str) -> str:
    """What every spelling of the words whose stem is *term* begins with."""
    found = _SHARED.match(term)
    return found[0] if found else term
