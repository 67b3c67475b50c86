"""Tests of what needs no runtime: simulations, studies, verdicts."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import convene


def scenario(**behaviour):
    return {"convene": "1", "task": "work",
            "collab": {"title": "work", "purpose": "work", "mode": "round_robin",
                       "participants": [{"participant_id": each, "kind": "agent",
                                         "role_id": "role-" + each} for each in ("a", "b")]},
            "behaviours": {"*": {"type": "simulated", **behaviour}}}


SLOW = {"latency_ms": {"lognormal": {"median": 800, "p99": 6000}}}


class Simulations(unittest.TestCase):
    def test_a_simulation_has_a_row_for_each_measure(self):
        found = convene.simulate(scenario(), seeds=20, measures={"twice": "turns_total * 2"})
        self.assertEqual((found.completed, found.failed, found.interrupted), (20, 0, False))
        self.assertEqual([each["median"] for each in found.where(measure="turns")], [2])
        self.assertEqual([each["mean"] for each in found.where(measure="twice")], [4.0])
        self.assertEqual(list(found.outcomes),
                         [{"status": "completed", "condition": "rounds", "seeds": 20}])
        for each in found:
            self.assertEqual(tuple(each), found.columns)

    def test_seeds_decide_the_result_and_threads_do_not(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "scenario.json"
            path.write_text(json.dumps(scenario(**SLOW)))
            first = convene.simulate(path, seeds=range(5, 25), threads=1)
            again = convene.simulate(scenario(**SLOW), seeds=(5, 24), threads=2)
            other = convene.simulate(path, seeds=range(6, 26))
        self.assertEqual(first.rows, again.rows)
        self.assertEqual(first.digest, again.digest)
        self.assertNotEqual(first.digest, other.digest)

    def test_what_breaks_a_property_is_a_failure(self):
        found = convene.simulate(
            scenario(), seeds=3,
            properties={"name": "short", "result": {"turns_total": {"at_most": 1}}})
        self.assertEqual([(each["seed"], each["rule"]) for each in found.failures],
                         [(each, "property") for each in (1, 2, 3)])
        self.assertEqual(list(found.properties), [{"name": "short", "failed": 3}])

    def test_a_session_with_agents_needs_stand_ins(self):
        one = convene.agent("a")(lambda turn: None)
        session = convene.Session(participants=[one], task="work")
        with self.assertRaises(convene.ConveneError) as raised:
            convene.simulate(session, seeds=2)
        self.assertEqual(raised.exception.rule, "participant_unbound")
        self.assertEqual(convene.simulate(session, seeds=2, stand_ins={"a": "echo"}).completed, 2)

    def test_wrong_options_are_errors_with_their_place(self):
        with self.assertRaises(convene.ConveneError) as raised:
            convene.simulate(scenario(), properties=[{"always": {}}])
        self.assertEqual(raised.exception.details["pointer"], "/properties/0/always")
        with self.assertRaises(ValueError):
            convene.simulate(scenario(), seeds=range(1, 10, 2))
        with self.assertRaises(convene.ConveneError) as raised:
            convene.simulate("no/such/file.json")
        self.assertEqual(raised.exception.code, "unreadable")

    def test_a_simulation_ends_after_its_time(self):
        self.assertTrue(convene.simulate(scenario(), seeds=1_000_000, timeout=0.02).interrupted)

    def test_ctrl_c_ends_a_simulation(self):
        # What began in the background may have been told to ignore the signal.
        program = ("import convene, json, signal, sys\n"
                   "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
                   "print('begins', flush=True)\n"
                   "try: convene.simulate(json.loads(sys.argv[1]), seeds=1_000_000)\n"
                   "except KeyboardInterrupt: print('ended')\n")
        with subprocess.Popen([sys.executable, "-c", program, json.dumps(scenario())],
                              stdout=subprocess.PIPE, text=True) as run:
            self.assertEqual(run.stdout.readline(), "begins\n")
            while run.poll() is None and len(os.listdir(f"/proc/{run.pid}/task")) == 1:
                pass  # until the thread of the simulation runs
            run.send_signal(signal.SIGINT)
            try:
                self.assertEqual(run.communicate(timeout=60)[0], "ended\n")
            finally:
                run.kill()


class Studies(unittest.TestCase):
    def test_variants_are_compared_seed_by_seed(self):
        found = convene.study(scenario(), seeds=10, vary={"session.rounds": [1, 2]})
        self.assertEqual([each["session.rounds"] for each in found.points], [1, 2])
        baseline, other = found.where(measure="turns")
        self.assertIsNone(baseline["verdict"])
        self.assertEqual((other["mean"], other["difference"], other["verdict"]),
                         (4.0, 2.0, "higher"))
        share = found.where(measure="completed", point=1)[0]
        self.assertEqual((share["mean"], share["median"]), (1.0, None))
        for table in (found, found.points):
            for each in table:
                self.assertEqual(tuple(each), table.columns)

    def test_a_sample_takes_numbers_from_ranges(self):
        found = convene.study(scenario(), seeds=2, sample=3,
                              vary={"behaviours.*.latency_ms": {"from": 1.5, "to": 9.5}})
        values = [each["behaviours.*.latency_ms"] for each in found.points]
        self.assertEqual(len(set(values)), 3)
        self.assertTrue(all(1.5 <= each <= 9.5 for each in values))


class Verdicts(unittest.TestCase):
    def test_a_log_is_checked_and_recomputed_and_an_edit_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log.jsonl"
            with convene.Runtime(log=log) as runtime:
                convene.Session(scenario=scenario(), runtime=runtime).run_blocking(60)
            self.assertTrue(convene.check(log)["good"])
            self.assertTrue(convene.replay(log)["good"])
            log.write_bytes(log.read_bytes().replace(b'"role-a"', b'"role-x"', 1))
            self.assertFalse(convene.check(log)["good"])
            self.assertFalse(convene.replay(log)["good"])

    def test_documents_are_validated(self):
        with tempfile.TemporaryDirectory() as folder:
            plan = pathlib.Path(folder) / "plan.json"
            plan.write_text('{"plan_id": 7}')
            verdict = convene.validate(plan, schema="mplp-plan")
            self.assertFalse(verdict["valid"])
            self.assertTrue(verdict["files"][0]["errors"])
            with self.assertRaises(convene.ConveneError):
                convene.validate(plan, schema="mplp-plam")


if __name__ == "__main__":
    unittest.main()
