"""What the command line says: sentences of the library put into the words of a shell, and numbers with their nouns.

The library names the call and the parameter, `Study(prefer='best'): prefer must be ...`; whoever typed `--prefer best` saw neither.
Everything that a command prints about its input passes through here.
"""

import re

__all__ = ["in_words_of_the_shell"]

CALL = re.compile(r"[A-Za-z_][\w.]*\((\w+)=(.*?)\): ")  # Study(prefer='best'):
FILE = re.compile(
    r"[A-Za-z_][\w.]*\('([^']*)'(?:, '([^']*)')?\): "
)  # BayesianNetwork.read('t.csv'): and notes('000', '44'):


def in_words_of_the_shell(sentence: str) -> str:
    """Return a sentence of the library with options in place of calls and parameters.

    Examples
    --------
    >>> in_words_of_the_shell("Study(scoring='nope'): for a regression scoring must be one of rmse, mae.")
    '--scoring nope: for a regression --scoring must be one of rmse, mae.'
    >>> in_words_of_the_shell("BayesianNetwork.read('t.csv'): the name must end in .bif.")
    't.csv: the name must end in .bif.'
    """
    if found := CALL.match(sentence):  # at the start: what follows may quote a user's own words
        option = "--" + found[1].replace("_", "-")
        value = "" if found[2] in ("...", "") else " " + found[2].strip("'\"")
        rest = re.sub(rf"(?<![-\w'])({re.escape(found[1])}) must\b", f"{option} must", sentence[found.end() :])
        sentence = f"{option}{value}: {rest}"
    elif found := FILE.match(sentence):
        sentence = " ".join(part for part in found.groups() if part) + ": " + sentence[found.end() :]
    return sentence.replace("notes()", "novum notes")
