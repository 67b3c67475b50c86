"""Tests of the fixtures for pytest."""
import importlib.metadata
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

TEST = """
import convene

def slow(runtime):
    behaviour = {"type": "simulated", "latency_ms": {"lognormal": {"median": 800, "p99": 6000}}}
    one = {"participant_id": "s", "role_id": "r", "behaviour": behaviour}
    session = convene.Session(participants=[one], task="work", runtime=runtime)
    return session.run_blocking(60)["duration_ms"]

def test_time_is_virtual(convene_runtime):
    print("took", slow(convene_runtime))

def test_fails(convene_runtime):
    assert slow(convene_runtime) < 0
"""


def is_installed():
    """Whether pytest finds the entry point; in the source tree, -p names the plugin."""
    try:
        return bool(importlib.metadata.distribution("convene").entry_points)
    except importlib.metadata.PackageNotFoundError:
        return False


@unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
class Plugin(unittest.TestCase):
    def run_tests(self, *arguments):
        plugin = [] if is_installed() else ["-p", "convene.pytest_plugin"]
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "test_it.py").write_text(TEST)
            run = subprocess.run(
                [sys.executable, "-m", "pytest", "-rP", "-p", "no:cacheprovider", *plugin,
                 *arguments], cwd=folder, capture_output=True, text=True, timeout=120)
        return run.stdout

    def test_a_failure_shows_the_seed_that_repeats_it(self):
        shown = self.run_tests()
        self.assertIn("1 failed, 1 passed", shown)
        seed = shown.split("--convene-seed=")[1].split()[0]
        first, again, other = (
            [line for line in self.run_tests(f"--convene-seed={each}").splitlines()
             if line.startswith("took")] for each in (seed, seed, int(seed) + 1))
        self.assertTrue(first)
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


if __name__ == "__main__":
    unittest.main()
