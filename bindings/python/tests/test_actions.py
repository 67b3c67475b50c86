"""Tests of actions: Turn.act and Turn.act_async."""
import asyncio
import pathlib
import shutil
import tempfile
import threading
import time
import unittest

import convene


def run(function, options=None, **more):
    """Runs a session of one agent: its result, and the ends of its actions."""
    runtime = convene.Runtime(**more)
    events = runtime.events(types=["action_started", "action_ended"])
    seen = []
    reading = threading.Thread(target=lambda: seen.extend(
        (event["event_type"], event["payload"]) for event in events))
    reading.start()
    result = convene.Session(participants=[convene.agent("a")(function)], task="work",
                             options=options or {}, runtime=runtime).run_blocking(60)
    runtime.close()
    reading.join()
    return result, seen


class Actions(unittest.TestCase):
    def both(self, check, **more):
        """Checks an action of a function and of a coroutine."""
        def blocking(turn):
            self.out = turn.act("search", {"q": "x", "n": 1}, self.search, repeatable=True,
                                kind="http", usage=lambda _: {"prompt_tokens": 3})

        async def later(turn):
            async def search(attempt):
                await asyncio.sleep(0)
                return self.search(attempt)
            self.out = await turn.act_async("search", {"n": 1, "q": "x"}, search, kind="http",
                                            usage=lambda _: {"prompt_tokens": 3})
        for function in (blocking, later):
            for seed in (None, 7):
                with self.subTest(function=function.__name__, seed=seed):
                    check(*run(function, **({} if seed is None else {"seed": seed})))

    def search(self, attempt):
        self.attempt = attempt
        return {"found": (1, None)}

    def test_an_action_is_on_the_log(self):
        positions = set()

        def check(result, seen):
            self.assertEqual(result["errors"], [])
            self.assertEqual(self.out, {"found": [1, None]})
            self.assertEqual((self.attempt.number, self.attempt.timeout_ms > 0), (1, True))
            (began, what), (ended, how) = seen
            self.assertEqual((began, ended), ("action_started", "action_ended"))
            self.assertEqual((what["name"], what["kind"]), ("search", "http"))
            self.assertEqual(how["result"]["output"], {"found": [1, None]})
            self.assertEqual(result["usage"]["tokens"], 3)
            positions.add(what["position"])
        self.both(check)
        self.assertEqual(len(positions), 1)

    def test_what_an_action_raises_comes_back_and_is_on_the_log(self):
        raised = []

        def one(turn):
            for position, function in enumerate((self.raises, lambda _: {1})):
                try:
                    turn.act("f", position, function)
                except Exception as found:
                    raised.append(found)

        async def later(turn):
            async def raises(attempt):
                self.raises(attempt)
            try:
                await turn.act_async("f", 0, raises)
            except Exception as found:
                raised.append(found)
        result, seen = run(one)
        self.assertEqual(result["errors"], [])
        self.assertEqual(seen[1][1]["result"]["error"],
                         {"code": "attempt_threw", "message": "ZeroDivisionError: no idea"})
        run(later)
        self.assertEqual([type(each) for each in raised],
                         [ZeroDivisionError, TypeError, ZeroDivisionError])

    def test_an_exception_of_any_text_comes_back_and_the_log_has_its_beginning(self):
        for text, logged in (("bad \udcff", "bad ?"), ("x" * 3000, "x" * 1988)):
            thrown, found = ValueError(text), []

            def one(turn):
                def raises(attempt):
                    raise thrown
                try:
                    turn.act("f", 1, raises)
                except Exception as raised:
                    found.append(raised)
            _, seen = run(one)
            self.assertEqual(found, [thrown])
            self.assertEqual(seen[1][1]["result"]["error"],
                             {"code": "attempt_threw", "message": f"ValueError: {logged}"})

    def test_an_exception_of_any_text_fails_the_turn_with_its_text(self):
        def one(turn):
            raise ValueError("bad \udcff")
        result, _ = run(one)
        self.assertEqual(result["errors"][0]["message"].count("ValueError: bad ?"), 1)

    def raises(self, attempt):
        raise ZeroDivisionError("no idea")

    def test_an_action_ends_with_its_turn(self):
        codes = []

        def one(turn):
            def waits(attempt):
                while not turn.is_over:
                    time.sleep(0.001)
            for number in (1, 2):
                try:
                    turn.act("f", number, waits)
                except convene.ConveneError as over:
                    codes.append(over.code)
        result, _ = run(one, {"turn_timeout_ms": 1000, "retries": 0})
        self.assertEqual(result["turns_timed_out"], 1)
        while len(codes) < 2:
            time.sleep(0.001)
        self.assertEqual(codes, ["turn_over", "turn_over"])

    def test_after_a_crash_recorded_actions_are_not_repeated(self):
        with tempfile.TemporaryDirectory() as folder:
            log, left = pathlib.Path(folder) / "log.jsonl", pathlib.Path(folder) / "left.jsonl"
            ran, seen = [], []

            def of(name, then=lambda: None):
                def function(_):
                    ran.append(name)
                    then()
                    return {"of": name}
                return function

            @convene.agent("a")
            def one(turn):
                found = [turn.act("search", {}, of("search"))]
                try:  # a kill leaves the log as it is now
                    turn.act("pay", {}, of("pay", lambda: shutil.copy(log, left)))
                except convene.ConveneError as unknown:
                    found.append(unknown.code)
                found.append(turn.act("search", {}, of("again")))
                seen.append(found)
            runtime = convene.Runtime(log=str(log))
            convene.Session(participants=[one], task="work", runtime=runtime).run_blocking(60)
            runtime.close()
            again = convene.Runtime(log=str(left), agents=[one])
            self.assertEqual(again.recovered[0].result(60)["errors"], [])
            again.close()
            self.assertEqual(ran, ["search", "pay", "again", "again"])
            self.assertEqual(seen[1], [{"of": "search"}, "outcome_unknown", {"of": "again"}])


if __name__ == "__main__":
    unittest.main()
