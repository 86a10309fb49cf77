"""
The language of a text, of those whose words can be stemmed, and the words that are too common to rank by.

A language is recognised by function words: no text of some length lacks them, and few are in two languages. English is
what is not recognised as anything else, as code, lists and names have none. Scripts other than Latin need no
recognition: their words are stemmed by script (`normalize.py`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

ENGLISH = "en"
MIN_WORDS = 3  # function words and letters of a language in a text of it; 2 in a short one without English words
SHORT = 40  # words of a text
MIN_SHARE = 20  # one in so many words is a function word; in most texts every second
MARGIN = 1.5  # times as many as of English
SAMPLE_CHARS = 800  # of a text that are looked at
CHARS_A_THE = 200  # in which English prose has at least one "the"
MOST_LETTERS = 2  # that count: one foreign name has as many

# Words that English has as well are left out, whatever they mean there, and single letters. Those of names (la, de,
# van, von) are in where the language has few others.
_FUNCTION_WORDS: Mapping[str, str] = {
    "de": """
        der das und ist nicht ein eine einen einem einer eines auf mit für von zu im den des dem sich auch wie noch nach
        bei aus wenn nur oder aber ich wir sie ihr uns mir mich ihn ihm sind wird werden wurde haben habe hatte kann
        über vor zum zur bis durch schon mehr sehr dann dass daß kein keine dieser diese dieses mein meine als wo ja
        immer muss soll unter gegen ohne seit weil
    """,
    "fr": """
        le les des une est et dans pour que qui pas sur avec il elle nous vous ils elles au aux du ce cette ces son sa
        ses mon ma mes leur leurs mais ou où sont ont été être avoir fait plus comme tout tous très sans sous
        c'est n'est j'ai qu'il d'un d'une qu'on je tu se ne y chez après avant aussi même peut si quand déjà
        deux par
    """,
    "es": """
        el los las una que del se por para con su sus lo como más pero este esta esto estos estas está están muy sin
        sobre también me mi mis nos le les hay ser fue era son es al y o porque cuando donde ya todo todos cada entre
        desde hasta hace tiene tengo ni yo él ella ellos qué cómo nada después antes un
    """,
    "it": """
        il lo gli un una che di del della dei delle degli è e non per con si da dal dalla nel nella sono come più ma
        anche questo questa questi queste ho ha hanno mi ci se al alla ai alle su sul sulla quando dove perché molto
        tutto tutti ogni essere fatto mio mia suo sua poi già dopo prima senza
    """,
    "pt": """
        os um uma que do da dos das em no na nos nas não com para por se mais mas como é são foi ser ao à às pelo pela
        seu sua seus suas meu minha ele ela eles você isso este esta esse essa também muito já quando onde tem ter há
        nem sem até depois antes entre sobre e eu
    """,
    "nl": """
        het een en van dat niet zijn voor op met te aan er maar om ook als bij nog naar uit deze dit die dan ik je hij
        zij wij ze mijn hun wordt worden werd heeft hebben kan moet wel meer geen tot over door of wat waar omdat
        daar zoals altijd veel
    """,
    "sv": """
        och att det som är på av för med till den inte en ett jag har om var från men de vi så kan när eller ska också
        hur där efter vid mycket bara mina min mitt sin sig han hon blir blev hade skulle vara utan under mellan
        någon något alla
    """,
    "da": """
        og at det er som på af for med til den ikke en et jeg har om var fra men de vi så kan når eller skal også hvor
        der efter ved meget kun min mit sin sig han hun bliver blev havde skulle være uden under mellem nogle noget
        alle hvad mig dig af
    """,
    "no": """
        og å at det er som på av for med til den ikke en et jeg har om var fra men de vi så kan når eller skal også
        hvor der etter ved mye bare min mitt sin seg han hun blir ble hadde skulle være uten under mellom noen noe
        alle hva meg deg
    """,
    "fi": """
        ja on ei että se hän oli ovat mutta kun niin tai myös jos kuin vain joka mitä tämä sen sitä minä sinä ole
        olen mukaan nyt sitten vielä jo kanssa ennen jälkeen kaikki voi pitää koska missä eivät mikä myöskin
    """,
    "hu": """
        a az és hogy nem is egy van volt meg ez csak mint ha már vagy ki még azt ezt minden lesz kell nagyon
        után között akkor amit ami aki mert majd vannak nincs itt ott
    """,
    "ro": """
        și în de la cu pe nu este sunt o un că din pentru care mai sau ce se fi al ale lui ei dar după fost prin
        când foarte am are avea acest această aceste unde cum toate tot fără ca să
    """,
    "tr": """
        ve bir bu için da de ile olarak çok daha gibi ne var yok ama her o ben sen ki mi mı sonra kadar değil olan
        olduğu en şey şu biz siz onu bana önce veya nasıl neden
    """,
    "pl": """
        i w na się z do że to nie jest o jak po od za co ale czy tak dla przez jego jej ich są był była było być
        może tylko już jeszcze przy też bardzo który która które ten ta te mnie mi gdy lub oraz
    """,
    "cs": """
        a v se na že je to s z do o k i ale jako za by po tak jsem jsou být byl byla bylo ve pro od jak už jen když
        nebo který která které si mi také protože ještě není podle při
    """,
    "ca": """
        el els les una que i amb per del dels és són no es a al als però més com aquest aquesta també molt meu meva
        seu seva hi ha què quan perquè sense sobre entre fins després abans ja tot tots jo ell ella
    """,
}
_ENGLISH_WORDS = """
    a the of and to is are was were be been being it its this that these those with for on from by at as an or
    not but if then we you they he she i my your our their his her have has had do does did can will would
    should could may might must which what when where why who there here so than into about after before because
    also just in only no me all any some more most over under out up down how them him us am die man war hat den
    come fin son once one two per sin sure fast gift art tag also will bad brief rat note
"""
_TELLING_ENGLISH = """
    the of and are were been this that these those with from which would should could their they have has does
    can because where there into about when what your you not but than then for a is or by it on as he she my at
    if we
"""  # in no other language that is told, or in so few that the margin bears it
# Letters that tell a language where some of its words are there; English has them in names.
_LETTERS: Mapping[str, str] = {
    "de": "äöüß",
    "fr": "éèêëçàùâîïôûœ",
    "es": "ñáéíóú¿¡",
    "it": "àèéìòù",
    "pt": "ãõçáâéêíóúà",
    "nl": "ëï",
    "sv": "åäö",
    "da": "æøå",
    "no": "æøå",
    "fi": "äö",
    "hu": "őűáéíóöúü",
    "ro": "ăâîșțşţ",
    "tr": "ışğçöü",
    "pl": "łążęśćńóź",
    "cs": "ěřůščžýáíéúťďň",
    "ca": "àèéíïòóúüç·",
}

# Function words that tell no language, as English, names or several others have them.
_COMMON_FUNCTION_WORDS: Mapping[str, str] = {
    "de": "die man war hat was also in an am so um will es er hier da ob alle",
    "fr": "a à as c d de en j l la m n on qu s t y",
    "es": "a de e en ha la no o u",
    "it": "a al c d di i in l la le ma o un",
    "pt": "a as de o os",
    "nl": "de in is me of om was we zo",
    "sv": "i",
    "da": "i",
    "no": "i",
    "hu": "a de el is",
    "ro": "a o",
    "tr": "da o",
    "pl": "a i o w z",
    "cs": "a i k o s v z",
    "ca": "a d de en i l la o",
}

LANGUAGES = tuple(_FUNCTION_WORDS)
"""Languages in Latin script, other than English, whose words are stemmed; ISO 639-1."""
UNSTEMMED = "und"  # undetermined, to ISO 639-2
"""Stands for the language of a text whose words are not stemmed, as the vault's settings say."""


class _Signs(NamedTuple):
    """The letters and function words that a language is recognised by."""

    languages_of_word: Mapping[str, tuple[str, ...]]
    languages_of_letter: Mapping[str, tuple[str, ...]]
    english: frozenset[str]
    known: frozenset[str]  # words of any of them


@cache
def _signs() -> _Signs:
    """Made when a note is first read: a search needs none."""
    every_english = frozenset(_ENGLISH_WORDS.split())
    of_word = _by_sign(
        {
            language: {word for word in words.split() if len(word) > 1} - every_english
            for language, words in _FUNCTION_WORDS.items()
        }
    )
    english = frozenset(_TELLING_ENGLISH.split())
    return _Signs(of_word, _by_sign(_LETTERS), english, english | of_word.keys())


def _by_sign(signs: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Each word or letter with the languages that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for language, of_language in signs.items():
        for sign in of_language:
            found[sign] = (*found.get(sign, ()), language)
    return found


_NAMES = {
    "en": "english",
    "de": "german deutsch",
    "fr": "french français francais",
    "es": "spanish español espanol",
    "it": "italian italiano",
    "pt": "portuguese português portugues",
    "nl": "dutch nederlands",
    "sv": "swedish svenska",
    "da": "danish dansk",
    "no": "norwegian norsk nb nn bokmål nynorsk",
    "fi": "finnish suomi",
    "hu": "hungarian magyar",
    "ro": "romanian română romana",
    "tr": "turkish türkçe turkce",
    "pl": "polish polski",
    "cs": "czech čeština cestina",
    "ca": "catalan català catala",
}
_DECLARED_BY = ("lang", "language")  # properties


def language_of(text: str) -> str | None:
    """
    The language of *text*: one of `LANGUAGES`, or English; None where too little tells.

    Of texts of eight sentences, 98 in 100 are told right over all these languages; of three, 85; of one, 44, the others
    being taken for none. Of 58,000 passages in English none is taken for another.
    """
    sample = text[:SAMPLE_CHARS].lower()
    if sample.count(" the ") * CHARS_A_THE > len(sample):
        return ENGLISH
    words = sample.split()  # those beside punctuation are left to the others
    signs = _signs()
    found = signs.known.intersection(words)
    english = len(found & signs.english)
    counts = Counter([language for word in found for language in signs.languages_of_word.get(word, ())])
    letters: Counter[str] = Counter()
    if counts and not sample.isascii():
        letters.update([language for letter in {*sample} for language in signs.languages_of_letter.get(letter, ())])
    scores = {language: counts[language] + min(MOST_LETTERS, letters[language]) for language in counts}
    best = max(scores, key=lambda language: (scores[language], counts[language], language), default=None)
    if best is not None and counts[best] > 1 and counts[best] * MIN_SHARE >= len(words):
        least = MIN_WORDS if english or len(words) > SHORT else MIN_WORDS - 1
        if scores[best] >= max(least, MARGIN * english):
            return best
    return ENGLISH if english >= MIN_WORDS else None


def hinted_languages(text: str) -> frozenset[str]:
    """
    The languages that a short *text* may be in, as far as a single function word or letter with an accent tells.

    English is one of them where it has an English function word; none where nothing tells. Words of one letter do not
    tell, as `a` is one in many languages.
    """
    words, signs = {word for word in text.lower().split() if len(word) > 1}, _signs()
    hinted = {language for word in words for language in signs.languages_of_word.get(word, ())}
    letters = {language for letter in {*text.lower()} for language in signs.languages_of_letter.get(letter, ())}
    return frozenset(hinted | letters | ({ENGLISH} if words & signs.english else set()))


def function_words(language: str) -> frozenset[str]:
    """The function words of one of `LANGUAGES`, by which a text in it is not ranked."""
    return frozenset(f"{_FUNCTION_WORDS[language]} {_COMMON_FUNCTION_WORDS.get(language, '')}".split())


def declared_language(properties: Mapping[str, object]) -> str | None:
    """
    The language that the property `lang` or `language` declares, as `de`, `de-AT` or `German`; None if none does.

    One whose words are not stemmed is English: its words keep the terms that they have.
    """
    for name, value in properties.items():
        if name.lower() in _DECLARED_BY and isinstance(value, str) and (written := value.strip().lower()):
            spelled = {written, written.replace("_", "-").partition("-")[0]}
            return next((code for code, names in _NAMES.items() if spelled & {code, *names.split()}), ENGLISH)
    return None


# Stop words: English and Russian function words and question words only. In Latin script, a stop word of one language
# is a word of another (`die`, `war`), so those of other languages count where the query is recognised. Without them, a
# ten-word question is ranked in a tenth of the time (19.2 -> 1.8 ms at 50,000 chunks) and found as well or better on
# every collection tried. Words that carry meaning in notes stay, however common: "no", "new", "first", "against",
# "without", and the names of things to do ("get", "use", "make"). A query of nothing but these ("to be or not to be",
# "The Who") keeps them all.
_ARTICLES_AND_PRONOUNS = """
a an the this that these those i me my mine we us our ours you your yours he him his she her hers it its
they them their theirs myself yourself himself herself itself ourselves themselves
"""
_AUXILIARIES = """
am is are was were be been being have has had having do does did doing
can could shall should will would may might must ought
"""
_BEHIND_APOSTROPHES = """
s t ll ve re d m don doesn didn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn
dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt wont wouldnt shouldnt couldnt cant
"""
_PREPOSITIONS_AND_CONJUNCTIONS = """
of at by for from in into on onto to with about as and or but if then than so because while during until upon
"""
_QUESTIONS_AND_FILLERS = """
not what which who whom whose when where why how there here also just too very some any such both each only own same
please
"""

_RUSSIAN = """
а без бы был была были было быть в вам вас во вот все всё вы где да для до его ее её если есть ещё еще же за и из или им
их к как какая какие какой ко когда кто ли мне мой моя мы на над нас не него неё нее ней нет них но ну о об он она они
оно от по под при про с со так такой там то тоже только у уже чем что чтобы эта эти это этот я куда откуда почему зачем
сколько чей чья чьи кем чём
"""

STOP_WORDS = frozenset(
    (
        _ARTICLES_AND_PRONOUNS
        + _AUXILIARIES
        + _BEHIND_APOSTROPHES
        + _PREPOSITIONS_AND_CONJUNCTIONS
        + _QUESTIONS_AND_FILLERS
        + _RUSSIAN
    ).split()
)
