"""What changed in 1.4."""
import json
import pathlib
import sys

json.load(sys.stdin)
lines = (pathlib.Path(__file__).parent / "changes.txt").read_text().splitlines()
changes = [line.removeprefix("1.4 ") for line in lines if line.startswith("1.4 ")]
print(json.dumps({"content": "\n".join(changes), "result": {"changes": len(changes)}}))
