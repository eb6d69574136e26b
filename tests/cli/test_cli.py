"""The command line: every subcommand, its exit status, errors as sentences, and life without typer."""

import subprocess
import sys

import pytest

import novum
from novum.cli import COMMANDS, main


def run(monkeypatch, capsys, *arguments):
    """Return exit status, what was printed and what was complained."""
    monkeypatch.setattr(sys, "argv", ["novum", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    code = stop.value.code
    return (code or 0, out, err) if not isinstance(code, str) else (1, out, code)


def test_notes_find_and_tour(monkeypatch, capsys):
    status, out, _ = run(monkeypatch, capsys, "notes", "000", "8")
    assert status == 0 and out.startswith("000 chapter 8, Bayesian Networks")
    status, out, _ = run(monkeypatch, capsys, "notes")
    assert status == 0 and out.startswith("Five sets of notes")
    status, out, _ = run(monkeypatch, capsys, "find", "explaining", "away")
    assert status == 0 and "Explaining-away" in out
    status, out, _ = run(monkeypatch, capsys, "find", "xylophone")
    assert status == 1 and "Nothing in the notes" in out
    status, out, _ = run(monkeypatch, capsys, "tour")
    assert status == 0 and "A tour of your notes" in out


def test_errors_are_sentences(monkeypatch, capsys):
    status, _, err = run(monkeypatch, capsys, "notes", "000", "44")
    assert status == 2 and err.startswith("novum notes: 000 44: the chapters of 000 are")


def test_help_lists_every_command(monkeypatch, capsys):
    status, out, _ = run(monkeypatch, capsys, "--help")
    assert status == 0 and all(command in out for command in COMMANDS)


def test_without_typer_one_sentence():
    code = "import sys; sys.modules['typer'] = None; sys.argv = ['novum', 'notes']; from novum.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip() == (
        "novum: the command line needs the package 'typer'; install it with: pip install 'novum[study]'"
    )


def test_version(monkeypatch, capsys):
    assert run(monkeypatch, capsys, "--version") == (0, f"novum {novum.__version__}\n", "")


def test_the_package_runs_as_the_command():
    found = subprocess.run([sys.executable, "-m", "novum", "--version"], capture_output=True, text=True, check=False)
    assert found.returncode == 0 and found.stdout.strip() == f"novum {novum.__version__}"
