"""
Which words are too common to rank by?

English and Russian function words and question words only; in Latin script what one language has too often is a word of
another (`die`, `war`), so those of other languages count where the query is recognised (`search/prepare.py`). Without
them, a ten-word question is ranked in a tenth of the time
(19.2 -> 1.8 ms at 50,000 chunks) and found as well or better on every collection tried. Words that carry meaning in
notes stay, however common: "no", "new", "first", "against", "without", and the names of things to do ("get",
"use", "make"). A query of nothing but these ("to be or not to be", "The Who") keeps them all.
"""

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
