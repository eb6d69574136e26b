"""What the command line says: sentences of the library put into the words of a shell, and numbers with their nouns.

The library names the call and the parameter, `Study(prefer='best'): prefer must be ...`; whoever typed `--prefer best` saw neither.
Everything that a command prints about its input passes through here.
"""

import re

__all__ = ["in_words_of_the_shell", "with_right_numbers"]

OPTIONS = {  # what parameters are called in a shell where it is not their own name
    "study": {"measure": "metric", "time_limit": "budget", "n_jobs": "jobs", "random_state": "seed"},
    "agent": {"n_runs": "seeds"},
}
CALL = re.compile(r"\b[A-Za-z_][\w.]*\((\w+)=(.*?)\): ")  # Study(prefer='best'):
FILE = re.compile(
    r"\b[A-Za-z_][\w.]*\('([^']*)'(?:, '([^']*)')?\): "
)  # BayesianNetwork.read('t.csv'): and notes('000', '44'):
ONE = re.compile(
    r"(?<![\d.,])1 (row|column|model|fold|variable|arc|episode|tree|prediction|cell|value|number|state|seed|repeat|test)s\b"
)


def with_right_numbers(text: str) -> str:
    """Return a text in which one thing is not called many: "1 rows" is "1 row".

    Examples
    --------
    >>> with_right_numbers("has 1 rows, 21 rows and 0.1 rows")
    'has 1 row, 21 rows and 0.1 rows'
    """
    return ONE.sub(r"1 \1", text)


def in_words_of_the_shell(sentence: str, command: str = "study") -> str:
    """Return a sentence of the library with options in place of calls and parameters.

    Examples
    --------
    >>> in_words_of_the_shell("Study(measure='nope'): for a regression measure must be one of rmse, mae.")
    '--metric nope: for a regression --metric must be one of rmse, mae.'
    >>> in_words_of_the_shell("BayesianNetwork.read('t.csv'): the name must end in .bif.")
    't.csv: the name must end in .bif.'
    """
    found = CALL.search(sentence)
    if found:
        option = "--" + OPTIONS.get(command, {}).get(found[1], found[1]).replace("_", "-")
        value = "" if found[2] in ("...", "") else " " + found[2].strip("'\"")
        rest = re.sub(rf"(?<![-\w'])({re.escape(found[1])}) must\b", f"{option} must", sentence[found.end() :])
        sentence = f"{sentence[: found.start()]}{option}{value}: {rest}"
    sentence = FILE.sub(lambda match: " ".join(part for part in match.groups() if part) + ": ", sentence)
    return with_right_numbers(sentence).replace("notes()", "novum notes")
