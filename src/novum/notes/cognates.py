"""English words that Italian ones resemble: endings that both languages took from Latin and Greek, rule by rule.

*multivariata* and *multivariate*, *inferenza* and *inference*, *stazionarietà* and *stationarity* differ by their endings, which
change in a regular way. A rule puts an English ending for an Italian one; what it makes counts only where it is a word of the
indexes, so a rule need not be right about Italian.
"""

from collections.abc import Callable, Iterator

__all__ = ["cognate"]

SHORTEST = 5  # letters of a word that is compared: shorter ones meet by accident
ENDINGS = tuple(
    (italian, tuple(english.split()))
    for line in """
    izzazione ization; izzazioni ization; izzato ized; izzata ized; izzati ized; izzate ized; izzare ize; izzante izing
    azione ation; azioni ation; zione tion ction ption; zioni tion ction ption; sione sion; sioni sion
    icita icity; bilita bility; ivita ivity; arieta arity; rieta riety; ita ity; eta ety
    abile able; abili able; ibile ible; ibili ible; uole uble; olare ular; olari ular
    ale al; ali al; ile ile; ili ile; are ar ate e; ari ar ary; ario ary arian; aria ary; arie ary
    ivo ive; iva ive; ivi ive; ive ive; ico ic ical; ica ic ical ics; ici ic ical; iche ic ical; ice ix ice ex
    oso ous y; osa ous y; osi ous y; ose ous y; enza ence ency; enze ence ency; anza ance ancy; anze ance ancy
    ente ent ing; enti ent; ante ant ating; anti ant; tore tor ter; tori tor ter; trice tor trix; ore or er; ori or er
    ismo ism; ista ist; isti ist; mento ment; menti ment; ato ate ated ed; ata ate ated ed; ati ate ated ed; ate ate ated ed
    ito ite ed; ita ite ed; uto uted ute; uta uted ute; logia logy; logico logical; grafo graph; gramma gram; grammi gram
    metrico metric; metro meter; metria metry; ia y; ie y; ura ure; ure ure; tto ct; tti ct; tta ct; esso ess ex; sso x ss
    mente ly ally; nomio nomial; nomi nomial; ema em; emi em; ano an; ana an; ani an; ane an; eo ean; io ium y; o e; a e; e e; i e
    """.replace("\n", ";").split(";")
    if line.strip()
    for italian, english in [line.strip().partition(" ")[::2]]
)
SPELLINGS = (  # letters of an Italian word and what English has for them, alone or two together
    *(("^ri", "re"), ("^es", "ex"), ("^o", "ho"), ("^i", "hy"), ("f", "ph"), ("i", "y"), ("t", "th"), ("c", "ch")),
    *(("zi", "ti"), ("zz", "z"), ("tt", "ct"), ("tt", "pt"), ("mm", "m")),
)


def respelled(root: str) -> Iterator[str]:
    """Yield the beginning of a word as it is, then with one rule of spelling, then with two."""
    changed = [put_for(root, own, put) for own, put in SPELLINGS]
    yield root
    yield from (other for other in changed if other != root)
    yield from (put_for(other, own, put) for other in changed if other != root for own, put in SPELLINGS)


def put_for(root: str, own: str, put: str) -> str:
    """Return a root with other letters for its own, at the beginning only where the rule says so."""
    if own.startswith("^"):
        return put + root[len(own) - 1 :] if root.startswith(own[1:]) else root
    return root.replace(own, put)


def guesses(word: str) -> Iterator[str]:
    """Yield what an Italian word could be in English, by the longest endings first."""
    for italian, english in sorted(ENDINGS, key=lambda rule: -len(rule[0])):
        if word.endswith(italian):
            for root in respelled(word[: -len(italian)]):
                yield from (root + ending for ending in (*english, ""))


def cognate(word: str, is_known: Callable[[str], bool]) -> str | None:
    """Return the English word that an Italian one without accents resembles, None where the indexes have none.

    Examples
    --------
    >>> known = {"multivariate", "inference", "hypothesis"}.__contains__
    >>> cognate("multivariata", known), cognate("inferenza", known), cognate("sedia", known)
    ('multivariate', 'inference', None)
    """
    if len(word) < SHORTEST:
        return None
    return next((guess for guess in guesses(word) if len(guess) >= SHORTEST - 1 and is_known(guess)), None)
