"""Writes the shared mean.cpp into the Git repository, compiles it there with the test, runs that, and commits it."""
import json
import pathlib
import subprocess
import sys

request = json.load(sys.stdin)
folder = pathlib.Path(sys.argv[1])


def run(*command):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=50)


for each in request["workspace"]["resources"]:
    if each["resource_id"] == "mean.cpp":
        (folder / "mean.cpp").write_text(each["value"])
built = run("c++", "-std=c++17", "-Wall", "-Werror", "-o", "build/test", "mean.cpp", "test.cpp")
if built.returncode != 0:
    content = next(line for line in built.stderr.splitlines() if "error:" in line)
elif run("build/test").returncode != 0:
    content = "it compiles, and the test of an empty list fails"
else:
    run("git", "add", "mean.cpp")
    run("git", "commit", "-q", "-m", "mean of integers")
    content = "it compiles, the test passes: commit " + run("git", "rev-parse", "--short", "HEAD").stdout.strip()
print(json.dumps({"content": content}))
