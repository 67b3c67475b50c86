"""Tests of the Python package: scripts/python runs them with the wheel; by hand,
PYTHONPATH=bindings/python CONVENE_LIBRARY=... python3 -m unittest discover
bindings/python/tests
"""
import asyncio
import gc
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import convene


@convene.agent("coder")
def coder(turn):
    return f"patch for {turn.task}"


@convene.agent("reviewer")
async def reviewer(turn):
    await asyncio.sleep(0)
    return convene.Reply("approved", end=True)


def pair(**more):
    return convene.Session(mode="pair", participants=[coder, reviewer], task="500 on /login",
                           **more)


class Forms(unittest.TestCase):
    def test_functions_and_coroutines_answer_in_both_forms(self):
        self.assertEqual(pair().run_blocking(60)["status"], "completed")
        result = asyncio.run(pair().run())
        self.assertEqual(result["stop_reason"]["condition"], "navigator_end")
        self.assertEqual(result["turns_total"], 2)

    def test_every_mode_runs(self):
        for mode in ("broadcast", "pair", "round_robin", "swarm"):
            session = convene.Session(mode=mode, participants=[coder, reviewer], task="work")
            self.assertEqual(session.run_blocking(60)["status"], "completed", mode)

        @convene.agent("lead")
        def lead(turn):
            if turn.wanted != "decision":
                return None
            said = {"dispatch": {"participant": "coder"}} if turn.request["sequence"] == 0 \
                else {"complete": {}}
            return {"decision": [said]}
        led = convene.Session(mode="orchestrated", participants=[lead, coder], task="work",
                              options={"orchestrator": "lead"})
        self.assertEqual(led.run_blocking(60)["status"], "completed")

    def test_a_coroutine_runs_on_the_callers_loop(self):
        async def main():
            here = asyncio.get_running_loop()
            seen = []

            @convene.agent("a")
            async def one(turn):
                seen.append(asyncio.get_running_loop() is here)
            await convene.Session(participants=[one], task="work").run()
            return seen
        self.assertEqual(asyncio.run(main()), [True])

    def test_functions_that_wait_for_each_other_all_run_at_once(self):
        together = threading.Barrier(5)

        def waits(turn):
            together.wait(60)

        async def later(turn):
            await asyncio.get_running_loop().run_in_executor(None, together.wait, 60)
        others = [convene.agent(f"a{each}")(waits) for each in range(4)]
        session = convene.Session(
            mode="broadcast", task="work",
            participants=[convene.agent("asks")(lambda turn: "all of you"), *others,
                          convene.agent("b")(later)])
        self.assertEqual(session.run_blocking(60).get("errors", []), [])

    def test_a_thousand_sessions_run_at_once(self):
        async def main():
            return await asyncio.gather(*(pair().run() for _ in range(1000)))
        results = asyncio.run(main())
        self.assertEqual({each["status"] for each in results}, {"completed"})


class Turns(unittest.TestCase):
    def failure_of(self, function):
        session = convene.Session(participants=[convene.agent("a")(function)], task="work")
        result = session.run_blocking(60)
        self.assertEqual(result["turns_failed"], 1)
        return result["errors"][0]["message"]

    def test_an_exception_fails_the_turn_with_its_text(self):
        def raises(turn):
            raise ValueError("no idea")

        async def raises_later(turn):
            raise ValueError("no idea")
        for function in (raises, raises_later):
            self.assertEqual(self.failure_of(function), "ValueError: no idea")

    def test_a_reply_that_is_not_valid_fails_the_turn_with_the_reason(self):
        self.assertIn("contents", self.failure_of(lambda turn: {"contents": 1}))
        self.assertIn("int", self.failure_of(lambda turn: 7))
        self.assertIn("JSON", self.failure_of(lambda turn: {"result": {"set": {1}}}))

    def test_whatever_an_agent_raises_or_returns_its_turn_closes(self):
        class Silent(Exception):
            def __str__(self):
                raise ValueError("no text")

        def silent(turn):
            raise Silent

        def deep(turn):
            nested = []
            for _ in range(100_000):
                nested = [nested]
            return {"writes": nested}
        self.assertIn("Silent", self.failure_of(silent))
        self.assertIn("RecursionError", self.failure_of(deep))

    def test_a_turn_writes_and_the_next_one_sees_it(self):
        seen = []

        @convene.agent("a")
        def writes(turn):
            self.assertTrue(turn.write("doc", "x", 0, {"n": 7}))

        @convene.agent("b")
        def reads(turn):
            seen.extend(turn.resources)
        convene.Session(participants=[writes, reads], task="work").run_blocking(60)
        self.assertEqual([each["value"] for each in seen], [{"n": 7}])

    def test_a_reply_leaves_out_what_is_not_set(self):
        self.assertEqual(convene.Reply().to_json(), {})
        self.assertEqual(convene.Reply("x", end=True).to_json(), {"content": "x", "end": True})


class Sessions(unittest.TestCase):
    def test_errors_have_codes_rules_and_places(self):
        for session, rule in (
                (convene.Session(mode="circle", participants=[coder], task="x"), "enum"),
                (convene.Session(participants=[{"participant_id": "a", "role_id": "r"}],
                                 task="x"), "participant_unbound"),
                (convene.Session(task="nobody"), "minItems")):
            with self.assertRaises(convene.ConveneError) as raised:
                session.start()
            self.assertEqual(raised.exception.rule, rule)
        with self.assertRaises(convene.ConveneError) as raised:
            convene.Runtime(thread=1)
        self.assertEqual(raised.exception.details["pointer"], "/thread")

    def test_a_session_is_suspended_resumed_spoken_to_and_cancelled(self):
        asked, go = threading.Semaphore(0), threading.Semaphore(0)

        @convene.agent("a")
        def waits(turn):
            asked.release()
            go.acquire()
        running = convene.Session(participants=[waits], task="work").start()
        asked.acquire()
        self.assertEqual(running.status["status"], "active")
        with self.assertRaises(TimeoutError):
            running.result(0.01)
        running.message("hurry")
        running.suspend("lunch")
        while running.status["status"] != "suspended":
            time.sleep(0.001)
        running.resume()
        asked.acquire()
        running.cancel("enough")
        self.assertEqual(running.result(60)["stop_reason"]["observed"], "enough")
        go.release(2)

    def test_a_scenario_comes_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "scenario.json"
            path.write_text(json.dumps(convene.Session(
                participants=[{"participant_id": "a", "role_id": "r",
                               "behaviour": {"type": "echo"}}], task="work").scenario))
            self.assertEqual(convene.Session(scenario=path).run_blocking(60)["turns_total"], 1)

    def test_events_come_while_a_session_runs(self):
        with convene.Runtime() as runtime:
            events = runtime.events(types=["MAPSessionStarted", "MAPSessionCompleted"])

            async def main():
                running = pair(runtime=runtime).start()
                seen = []
                async for event in events:
                    seen.append(event["event_type"])
                    if len(seen) == 2:
                        break
                await running
                return seen
            self.assertEqual(asyncio.run(main()), ["MAPSessionStarted", "MAPSessionCompleted"])
        self.assertEqual(list(events), [])

    def test_what_is_no_participant_and_what_a_scenario_has_is_refused(self):
        def plain(turn):
            return turn.task
        agent = convene.agent("a")(plain)
        for participants in ([plain], ["a"], [agent, None]):
            with self.assertRaisesRegex(TypeError, "made by @convene.agent, or a dict; not a "):
                convene.Session(participants=participants, task="work")
        with self.assertRaisesRegex(TypeError, "made by @convene.agent; not a dict"):
            convene.Session(participants=[{"participant_id": "b"}], scenario={})
        for other in ({"task": "work"}, {"options": {"rounds": 2}}, {"mode": "pair"}):
            with self.assertRaisesRegex(TypeError, "a scenario has its own"):
                convene.Session(scenario={}, **other)
        with self.assertRaises(convene.ConveneError):
            convene.Session(participants=[{"behaviour": {"type": "echo"}}], task="work").start()

    def test_text_is_streamed_before_the_reply(self):
        said = []

        @convene.agent("streams")
        def streams(turn):
            said.append(turn.stream("half "))
            return "half done"

        @convene.agent("streams_too")
        async def streams_too(turn):
            said.append(turn.stream("é"))
            return "é"
        with convene.Runtime() as runtime:
            events = runtime.events(types=["none"], texts=True)
            convene.Session(participants=[streams, streams_too], task="work",
                            runtime=runtime).run_blocking(60)
            found = [next(iter(events))["text"] for _ in range(2)]
        self.assertEqual([(each["participant_id"], each["content"]) for each in found],
                         [("streams", "half "), ("streams_too", "é")])
        self.assertEqual(said, [True, True])

    def test_under_a_seed_time_is_virtual_and_results_repeat(self):
        def once():
            with convene.Runtime(seed=7) as runtime:
                slow = {"participant_id": "s", "role_id": "r",
                        "behaviour": {"type": "simulated", "latency_ms": 20_000}}
                session = convene.Session(participants=[coder, slow], task="work",
                                          runtime=runtime)
                return session.run_blocking(60)
        first = once()
        self.assertEqual(first["duration_ms"], 20_000)
        self.assertEqual(first, once())


class Ends(unittest.TestCase):
    def test_closing_cancels_what_runs_and_wakes_who_waits(self):
        asked = threading.Event()

        @convene.agent("a")
        async def waits(turn):
            asked.set()
            await asyncio.sleep(3600)
        runtime = convene.Runtime()
        running = convene.Session(participants=[waits], task="work", runtime=runtime).start()
        asked.wait()
        runtime.close()
        runtime.close()
        self.assertEqual(running.result(60)["status"], "cancelled")
        with self.assertRaises(convene.ConveneError) as raised:
            pair(runtime=runtime).start()
        self.assertEqual(raised.exception.rule, "runtime_closing")

    def test_a_session_with_the_id_of_a_running_one_leaves_that_one_alone(self):
        may_end = threading.Event()

        @convene.agent("a")
        def first(turn):
            may_end.wait(60)
            return "first"

        @convene.agent("a")
        def second(turn):
            return "second"
        scenario = {"collab": {"collab_id": "7d5c0c2e-2f8c-4b0e-9d0a-3d1a4c0f1b11", "title": "t",
                               "purpose": "p", "mode": "round_robin", "participants": [
                                   {"participant_id": "a", "role_id": "r", "kind": "agent"}]},
                    "session": {"rounds": 2}}
        with convene.Runtime() as runtime:
            session = runtime.start(scenario, [first])
            with self.assertRaises(convene.ConveneError) as raised:
                runtime.start(scenario, [second])
            self.assertEqual(raised.exception.rule, "session_id")
            may_end.set()
            result = session.result(60)
            self.assertEqual((result["status"], result["turns_failed"]), ("completed", 0))

    def test_a_forked_child_ends_and_is_told_to_be_a_process_of_its_own(self):
        program = ("import convene, os, sys\n"
                   "kept = convene.Runtime()\n"
                   "child = os.fork()\n"
                   "if child == 0:\n"
                   "    try: convene.Runtime()\n"
                   "    except convene.ConveneError as told: print(told.rule, flush=True)\n"
                   "    sys.exit(3)\n"
                   "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n")
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                             timeout=60, check=False)
        self.assertEqual((ran.returncode, ran.stdout), (3, "forked\n"), ran.stderr)

    def test_a_text_with_a_nul_is_refused(self):
        for each in (lambda: convene.validate("file.json\0.txt"),
                     lambda: convene.Runtime(log="log\0.txt")):
            with self.assertRaises(convene.ConveneError) as raised:
                each()
            self.assertIn("U+0000", raised.exception.message)

    def test_an_agents_function_cannot_close_its_runtime(self):
        raised = []

        def closes(turn):
            try:
                runtime.close()
            except convene.ConveneError as refused:
                raised.append((refused.code, refused.rule))

        async def closes_later(turn):
            closes(turn)
        for function in (closes, closes_later):
            with convene.Runtime() as runtime:
                one = convene.agent("a")(function)
                result = convene.Session(participants=[one], task="work",
                                         runtime=runtime).run_blocking(60)
                self.assertEqual(result["turns_failed"], 0)
        self.assertEqual(raised, [("not_allowed", "close_inside")] * 2)

    def test_an_agents_function_closes_another_runtime(self):
        with convene.Runtime() as runtime:
            other = convene.Runtime()
            one = convene.agent("a")(lambda turn: other.close())
            result = convene.Session(participants=[one], task="work",
                                     runtime=runtime).run_blocking(60)
            self.assertEqual(result["turns_failed"], 0)
        with self.assertRaises(convene.ConveneError):
            pair(runtime=other).start()

    def test_a_log_goes_on_with_its_agents_bound_again(self):
        asked, go = threading.Event(), threading.Event()

        @convene.agent("a")
        def waits(turn):
            asked.set()
            go.wait()
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "log.jsonl"
            left = pathlib.Path(folder) / "left.jsonl"
            with convene.Runtime(log=log) as runtime:
                running = convene.Session(participants=[waits, reviewer], task="work",
                                          runtime=runtime).start()
                asked.wait()
                while b"MAPTurnDispatched" not in log.read_bytes():
                    time.sleep(0.001)
                shutil.copy(log, left)  # what a kill leaves
                go.set()
            again = convene.agent("a")(lambda turn: "done")
            with convene.Runtime(log=left, agents=[again, reviewer]) as runtime:
                self.assertEqual([each.session_id for each in runtime.recovered],
                                 [running.session_id])
                self.assertEqual(runtime.recovered[0].result(60)["turns_total"], 2)

    def test_handles_go_with_their_objects(self):
        running = pair().start()
        running.result(60)
        del running
        gc.collect()
        self.assertEqual(pair().run_blocking(60)["status"], "completed")


if __name__ == "__main__":
    unittest.main()
