"""The gate against lost speed (benchmarks/quick.py) on cases whose times are known."""

import json

import pytest

from benchmarks import harness, quick


class Clock:
    """Time that passes only where work is done."""

    now = 0.0

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def work(self, milliseconds):
        return lambda _: self.sleep(milliseconds / 1e3)


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(quick, "time", found)
    monkeypatch.setattr(harness, "time", found)
    return found


@pytest.fixture
def gate(monkeypatch, tmp_path, clock):
    def of(ours):
        cases = {"known": (lambda: None, {"ours": clock.work(ours), "yardstick": clock.work(4.0)})}
        monkeypatch.setattr(quick, "all_cases", lambda: cases)
        return quick

    monkeypatch.setattr(quick, "STORED", tmp_path / "quick.json")
    return of


def test_a_loss_is_noticed_and_its_absence_too(gate, capsys):
    assert gate(2.0).main(store=True, text="") == 0
    stored = json.loads(quick.STORED.read_text())
    assert stored == {harness.machine(): {"known": pytest.approx(2.0)}}
    assert gate(2.0).main(store=False, text="") == 0
    assert gate(2.3).main(store=False, text="") == 0  # 13 %
    assert "LOST" not in capsys.readouterr().out
    assert gate(2.4).main(store=False, text="") == 1
    assert "1 of 1 cases lost more than 15%: known" in capsys.readouterr().out
    assert gate(3.0).main(store=False, text="another") == 0


def test_another_machine_has_nothing_to_compare_with(gate, capsys):
    quick.STORED.write_text(json.dumps({"a machine": {"known": 100.0}}))
    assert gate(2.0).main(store=False, text="") == 0
    assert "nothing to compare with" in capsys.readouterr().out


def test_there_are_forty_cases_and_each_has_a_yardstick():
    cases = quick.all_cases()
    assert len(cases) >= 40 and set(quick.SMALL) < set(cases)
    assert all(set(runs) == {"ours", "yardstick"} for _, runs in cases.values())


def test_short_calls_are_timed_in_a_row(clock):
    assert harness.repetitions(clock.work(2.5), None) == 8
    assert harness.repetitions(clock.work(50.0), None) == 1
    assert harness.repetitions(clock.work(0.01), None) == harness.MOST_CALLS
    assert harness.seconds(clock.work(1.0), None, 5) == pytest.approx(1e-3)
