"""What the command line says of an error: the options that were typed in place of the parameters they stand for.

The library names the call and the parameter, `Study(prefer='best'): prefer must be ...`; whoever typed `--prefer best` saw neither.
The error knows what it is about (`novum.exceptions.OfArguments`), so nothing is read out of its text.
"""

__all__ = ["in_words_of_the_shell"]

POSITIONAL = {"number", "chapter", "path"}  # arguments of commands that are typed without a name


def in_words_of_the_shell(error: Exception) -> str:
    """Return the message of an error as one line, with options in place of a call and its parameters.

    Examples
    --------
    >>> from novum.exceptions import ParameterError
    >>> in_words_of_the_shell(ParameterError.of("Study", "scoring must be one of rmse, mae.", scoring="nope"))
    '--scoring nope: scoring must be one of rmse, mae.'
    >>> in_words_of_the_shell(ParameterError.of("BayesianNetwork.read", "the name must end in .bif.", path="t.csv"))
    't.csv: the name must end in .bif.'
    """
    sentence = getattr(error, "sentence", "")
    if not sentence:
        return " ".join(str(error).split())
    typed = []
    for name, value in error.arguments.items():  # type: ignore[attr-defined]
        typed += [] if name in POSITIONAL else [f"--{name.replace('_', '-')}"]
        typed += [] if value is ... else [str(value)]
    return f"{' '.join(typed)}: {' '.join(sentence.split())}"
