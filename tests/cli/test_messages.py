"""What the command line says: options instead of parameters, one row instead of 1 rows, help texts whole."""

import re
import sys

import pytest
from typer.testing import CliRunner

from novum import cli
from novum.cli.messages import in_words_of_the_shell
from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted
from novum.runtime.message_text import in_one_line

TABLE = "a,b,y\n" + "".join(f"{k % 7},{'uv'[k % 2]},{'pq'[k % 3 == 0]}\n" for k in range(40))


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "one.csv").write_text("a,b,y\n1,2,x\n")


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["novum", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    out, err = capsys.readouterr()
    return ended.value.code, out, " ".join(err.split())


@pytest.mark.parametrize(
    "arguments, words",
    [
        ("study t.csv --target y --prefer best", "novum study: --prefer best: prefer must be one of accuracy"),
        ("study t.csv --target y --task guess", "--task guess: task must be"),
        ("study t.csv --target y --scoring nope", "--scoring nope: for a classification scoring must be one of"),
        ("study t.csv --target y --costs p=q", "--costs p=q: 'p=q' is not of the form"),
        ("study t.csv --target y --positive zz --scoring auc", "--positive zz: the classes of 'y' are p, q"),
        ("study t.csv --target y --cluster nowhere", "--cluster nowhere: is no address"),
        ("study one.csv --target y", "one.csv: has 1 row with a target"),
        ("network learn t.csv --scoring zzz", "'scoring' parameter of HillClimb must be"),
        ("network learn t.csv --method pc --significance 3", "'significance' parameter of PC must be"),
        ("network query t.csv", "novum network: t.csv: the name must end in one of"),
        ("agent train room --option foo=1", "--option foo: room has no such option; it has step_reward"),
        ("agent plan room --tol -1", "--tol -1.0: tol must lie in"),
        (
            "notes 99",
            "novum notes: 99: no set is called so and no set has such a chapter; without a number all are listed.",
        ),
        ("notes 000 44", "novum notes: 000 44: the chapters of 000 are 1, 2"),
    ],
)
def test_messages_speak_of_options(tables, monkeypatch, capsys, arguments, words):
    status, _, err = run(monkeypatch, capsys, *arguments.split())
    assert status == 2 and words in err
    assert not re.search(r"\w\((\w+=|')", err) and "Traceback" not in err


def commands():
    app = cli.application()
    for command in app.registered_commands:
        yield [command.name]
    for group in app.registered_groups:
        yield from ([group.name, command.name] for command in group.typer_instance.registered_commands)


def test_no_help_text_is_eaten_as_markup():
    """Square brackets are styles to rich: "[default: all]" would leave " ." behind."""
    app = cli.application()
    seen = 0
    for command in commands():
        found = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
        assert found.exit_code == 0
        assert not re.search(r"\w \.(\s|$)", found.output), command
        seen += 1
    assert seen >= 10


def test_options_stand_in_place_of_parameters():
    def words(*args, **arguments):
        return in_words_of_the_shell(ParameterError.of(*args, **arguments))

    assert words("Study", "'Foo' is no classifier.", models=...) == "--models: 'Foo' is no classifier."
    assert words("Study", "give one of the two.", group="a", time="b") == "--group a --time b: give one of the two."
    assert words("SARSA", "n_runs must lie in [1, inf).", n_runs=0) == "--n-runs 0: n_runs must lie in [1, inf)."
    assert in_words_of_the_shell(DataError("t.csv: has no column\n 'a'.")) == "t.csv: has no column 'a'."


def test_text_that_looks_like_a_call_stays_as_it_is():
    text = "Study(prefer='best'): prefer must say (level=3): so"
    assert in_words_of_the_shell(ParameterError(text)) == text
    assert in_words_of_the_shell(ParameterError.of("Study", text, target=text)) == f"--target {text}: {text}"


def test_a_long_message_is_cut_where_a_sentence_ends_and_says_so():
    message = "The solver did not end within 100 steps. " * 20
    line = in_one_line(message)
    assert len(line) <= 400 and line.endswith("steps. …") and in_one_line("a\n b") == "a b"


@pytest.mark.parametrize(
    "n, thing, verb, words",
    [
        (1, "row", "have", "1 row has"),
        (1, "class", "", "1 class"),
        (0, "missing cell", "", "0 missing cells"),
        (2, "leaf", "are", "2 leaves are"),
        (2001, "row", "were", "2,001 rows were"),
        (1, "pass", "", "1 pass"),
        (3, "different copy", "", "3 different copies"),
    ],
)
def test_one_thing_is_not_called_many(n, thing, verb, words):
    assert counted(n, thing, verb) == words
