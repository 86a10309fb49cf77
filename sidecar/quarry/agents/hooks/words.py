"""Words by which a prompt is told to concern no note: those that acknowledge, and those that only ask for work."""

ACKNOWLEDGEMENTS = frozenset(
    """y yes yep yeah yup n no nope ok okay k kk sure fine good great nice perfect cool thanks thank you thx ty
    please continue go on ahead proceed next done do it that this again retry stop wait agreed right correct
    exactly lgtm looks sounds approved accept and now then keep going carry all a the both first second one two
    1 2 3 ja nein doch gut danke bitte weiter mach oui non merci bien d'accord continuez vas-y sí si vale
    gracias sigue adelante да нет хорошо спасибо дальше 好 好的 是 是的 继续 谢谢 はい""".split()  # noqa: SIM905 - a list of words reads as one
)
"""In the languages that vaults are indexed in. A prompt of these alone says yes, no, thanks, or go on."""

CHORES = frozenset(
    """a about add again all also am an and another any anything are as at back be been before better but by call
    can change changes check clean code command commit commits could create delete did do does doing done each
    edit else error errors etc every everything explain fail failed failing fails file files fine finish first
    fix fixed for from function get give go good got had has have help her here him his how i if implement in
    into is issue it it's its just keep last let let's line lines lint list look make maybe me merge method more
    move much must my name need needs new next no not now of off ok on once one only open or other our out over
    please problem project pull push put read really refactor remove rename repo run rerun same see send set
    should show so some something still stop such sure take test tests than that that's the their them then
    there these they thing things think this those through to too try two type types under undo update us use
    used using very want was we well were what what's when where which while who why will with without work
    working works would write wrong yes yet you your""".split()  # noqa: SIM905 - a list of words reads as one
)
"""A prompt of these alone asks an agent for work ("fix the failing tests and commit"), and names no subject."""
