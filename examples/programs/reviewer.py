#!/usr/bin/env python3
"""A participant in Python: each line is a request, and each gets one line."""
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    if request["wanted"] != "turn":
        reply = {"status": "declined"}
    else:
        resources = request["workspace"].get("resources", [])
        long = [r["resource_id"] for r in resources
                if len(str(r["value"]).splitlines()) > 100]
        if long:
            reply = {"content": "Too long: " + ", ".join(sorted(long))}
        else:
            reply = {"content": "Looks good to me.", "end": True}
        reply["result"] = {"files_read": len(resources)}
    print(json.dumps(reply), flush=True)
