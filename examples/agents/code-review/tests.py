"""Runs the shared parse.py as it stands and replies with what came of it."""
import json
import sys

request = json.load(sys.stdin)
source = {r["resource_id"]: r["value"]
          for r in request["workspace"]["resources"]}["parse.py"]
space = {}
exec(source, space)
assert space["parse"]("1,2,3") == [1, 2, 3]
try:
    space["parse"]("1," * 2000 + "1")
    bounded = False
except ValueError:
    bounded = True
print(json.dumps({"content": f"tests pass; bounded: {bounded}",
                  "result": {"bounded": bounded}}))
