"""What needs no runtime: many seeds in virtual time, variants compared, logs
and documents judged."""
from __future__ import annotations

import dataclasses
import json
import os
import threading
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from . import _library
from ._session import Session

Row = dict[str, Any]
Scenario = Union[Session, Mapping[str, Any], str, "os.PathLike[str]"]
Seeds = Union[int, range, tuple[int, int]]


@dataclasses.dataclass
class Table:
    """Rows that all have the same members, as pandas.DataFrame takes them."""
    columns: tuple[str, ...]
    rows: list[Row]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, **members: Any) -> list[Row]:
        """The rows that have these members, as in where(measure="turns")."""
        return [each for each in self.rows
                if all(each[name] == value for name, value in members.items())]


@dataclasses.dataclass
class Simulation(Table):
    """A scenario under many seeds: a row for each measure. None stands for what
    the data does not bound. `interrupted`: the time was over before all ended."""
    outcomes: Table  #: status, condition, seeds
    properties: Table  #: name, failed
    failures: Table  #: seed, rule, message: the first of each failed seed
    completed: int
    cancelled: int
    failed: int
    interrupted: bool
    digest: str  #: the same for the same scenario and seeds
    summary: dict[str, Any]  #: what `convene simulate --json` prints


@dataclasses.dataclass
class Study(Table):
    """Variants of a scenario under the same seeds: a row for each point and
    measure, with the difference from the baseline, seed by seed."""
    points: Table  #: point, name, the varied members, completed, cancelled, failed
    failures: Table  #: point, seed, rule, message
    failed: int
    interrupted: bool
    digest: str
    summary: dict[str, Any]  #: what `convene study --json` prints


def _table(columns: str, rows: Sequence[Row]) -> Table:
    return Table(tuple(columns.split()), list(rows))


def _estimate(prefix: str, of: Optional[Mapping[str, Any]]) -> Row:
    return {prefix + end: of and of[name]
            for end, name in (("", "value"), ("_low", "low"), ("_high", "high"))}


def _failures(of: Mapping[str, Any], **more: Any) -> list[Row]:
    return [{**more, "seed": each["seed"], "rule": each["findings"][0]["rule"],
             "message": each["findings"][0]["message"]} for each in of["failures"]]


def _simulation(summary: dict[str, Any]) -> Simulation:
    rows = [{"measure": name, **_estimate("mean", of.get("mean")),
             **_estimate("median", of["median"]), **_estimate("p90", of["p90"]),
             **_estimate("p99", of["p99"]), "min": of["min"], "max": of["max"]}
            for name, of in summary["measures"].items()]
    spread = [name + end for name in ("mean", "median", "p90", "p99")
              for end in ("", "_low", "_high")]
    outcomes = [{"status": status, "condition": condition, "seeds": seeds}
                for status, reasons in summary["outcomes"].items()
                for condition, seeds in reasons.items()]
    properties = [{"name": each["name"], "failed": each["failed"]}
                  for each in summary["properties"]]
    return Simulation(
        ("measure", *spread, "min", "max"), rows, _table("status condition seeds", outcomes),
        _table("name failed", properties), _table("seed rule message", _failures(summary)),
        summary["completed"], summary["cancelled"], summary["failed"], summary["interrupted"],
        summary["digest"], summary)


def _study(summary: dict[str, Any]) -> Study:
    rows: list[Row] = []
    points: list[Row] = []
    failures: list[Row] = []
    varied: tuple[str, ...] = ()
    for point in summary["points"]:
        number, compared = point["point"], point["against_baseline"] or {}
        varied = tuple(point["vary"])
        points.append({"point": number, "name": point["name"], **point["vary"],
                       **{each: point[each] for each in ("completed", "cancelled", "failed")}})
        failures += _failures(point, point=number)
        for name, of in point["measures"].items():
            share = of if name == "completed" else None
            difference = compared.get(name, {})
            rows.append({"point": number, "name": point["name"], "measure": name,
                         **_estimate("mean", share or of["mean"]),
                         **_estimate("median", None if share else of["median"]),
                         **_estimate("difference", difference.get("mean")),
                         **_estimate("difference_median", difference.get("median")),
                         "verdict": difference.get("verdict")})
    spread = [name + end for name in ("mean", "median", "difference", "difference_median")
              for end in ("", "_low", "_high")]
    return Study(("point", "name", "measure", *spread, "verdict"), rows,
                 Table(("point", "name", *varied, "completed", "cancelled", "failed"), points),
                 _table("point seed rule message", failures), summary["failed"],
                 summary["interrupted"], summary["digest"], summary)


def _scenario_text(scenario: Scenario) -> str:
    if isinstance(scenario, Session):
        scenario = scenario.scenario
    if isinstance(scenario, Mapping):
        return json.dumps(scenario)
    return os.fspath(scenario)


def _range(seeds: Seeds) -> list[int]:
    if isinstance(seeds, int):
        return [1, seeds]
    if isinstance(seeds, range):
        if seeds.step != 1 or not seeds:
            raise ValueError(f"seeds are a range without gaps, not {seeds}")
        return [seeds[0], seeds[-1]]
    return list(seeds)


def _run(name: str, scenario: Scenario, **options: Any) -> dict[str, Any]:
    """In a thread of its own, so that Ctrl-C is heard."""
    seeds, timeout = _range(options.pop("seeds")), options.pop("timeout")
    text = json.dumps({"seeds": seeds,
                       **({} if timeout is None else {"timeout_ms": max(0, int(timeout * 1000))}),
                       **{key: value for key, value in options.items() if value is not None}})
    what = _scenario_text(scenario)
    made: list[dict[str, Any]] = []
    failed: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            made.append(_library.ask(name, what, text)[1])
        except BaseException as raised:  # raised again below
            failed.append(raised)
        finally:
            done.set()
    try:
        threading.Thread(target=work, name=f"convene {name}").start()
        done.wait()
    except KeyboardInterrupt:
        while not done.wait(0.02):
            _library.interrupt()
        raise
    if failed:
        raise failed[0]
    return made[0]


def simulate(scenario: Scenario, *, seeds: Seeds = 100, threads: int = 0,
             stand_ins: Optional[Mapping[str, Any]] = None,
             set: Optional[Mapping[str, Any]] = None,
             measures: Optional[Mapping[str, str]] = None,
             properties: Union[Mapping[str, Any], Sequence[Mapping[str, Any]], None] = None,
             faults: Union[str, Mapping[str, Any], None] = None, strict: bool = False,
             timeout: Optional[float] = None) -> Simulation:
    """Runs a scenario, a dict, a Session or the path of a file or folder, under many
    seeds in virtual time. Every participant needs a behaviour; `stand_ins` gives
    some. `seeds` is their number, a range or the first and the last. The options
    are those of convene_simulate."""
    return _simulation(_run("simulate", scenario, seeds=seeds, threads=threads,
                            stand_ins=stand_ins, set=set, measures=measures,
                            properties=properties, faults=faults, strict=strict,
                            timeout=timeout))


def study(scenario: Scenario, *, vary: Mapping[str, Any], seeds: Seeds = 100, threads: int = 0,
          sample: Optional[int] = None, sample_seed: int = 1, baseline: int = 1,
          stand_ins: Optional[Mapping[str, Any]] = None,
          set: Optional[Mapping[str, Any]] = None, measures: Optional[Mapping[str, str]] = None,
          properties: Union[Mapping[str, Any], Sequence[Mapping[str, Any]], None] = None,
          strict: bool = False, timeout: Optional[float] = None) -> Study:
    """Runs variants of a scenario under the same seeds and compares them. `vary` has
    a list of values for each dotted path, as in {"session.rounds": [1, 2, 3]}; with
    `sample`, also ranges of numbers: {"from": 0.1, "to": 0.5}."""
    return _study(_run("study", scenario, seeds=seeds, threads=threads, vary=vary,
                       sample=sample, sample_seed=sample_seed, baseline=baseline,
                       stand_ins=stand_ins, set=set, measures=measures, properties=properties,
                       strict=strict, timeout=timeout))


def _judge(name: str, path: Union[str, os.PathLike[str]], options: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = _library.ask(name, os.fspath(path), json.dumps(options))[1]
    return made


def check(log: Union[str, os.PathLike[str]], *, allow_unfinished: bool = False) -> dict[str, Any]:
    """Verifies a log or the folder of a run, as `convene check` does: "good" and the
    "findings"."""
    return _judge("check", log, {"allow_unfinished": allow_unfinished})


def replay(log: Union[str, os.PathLike[str]], *, session: str = "") -> dict[str, Any]:
    """Recomputes the sessions of a log and compares each event: "good" and the
    "divergences"."""
    return _judge("replay", log, {"session": session})


def validate(path: Union[str, os.PathLike[str]], *, schema: str = "", strict: bool = False,
             invariants: bool = False, rules: Sequence[str] = ()) -> dict[str, Any]:
    """Validates documents, as `convene validate` does: "valid" and the "files"."""
    return _judge("validate", path, {"schema": schema, "strict": strict,
                                     "invariants": invariants, "rules": list(rules)})
