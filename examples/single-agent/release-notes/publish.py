"""Publishes what the writer said last: here, as a shared file."""
import json
import sys

request = json.load(sys.stdin)
notes = [entry["content"] for entry in request["dialog"]
         if entry.get("participant", "").startswith("writer")]
print(json.dumps({
    "content": "published",
    "writes": [{"resource_type": "file", "resource_id": "NOTES.md", "base_version": 0,
                "value": notes[-1]}]}))
