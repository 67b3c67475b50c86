"""Tests the shared median.py; a failed test is an answer, not a failure."""
import json
import sys

request = json.load(sys.stdin)
files = {r["resource_id"]: r["value"] for r in request["workspace"]["resources"]}
space = {}
exec(files["median.py"], space)
wrong = [str(v) for v, m in (([3, 1, 2], 2), ([1, 2], 1.5))
         if space["median"](v) != m]
print(json.dumps({"content": "wrong for " + ", ".join(wrong) if wrong
                  else "all tests pass", "result": {"passed": not wrong}}))
