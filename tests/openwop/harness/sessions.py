"""Sessions in which somebody is asked for a short time."""

import time

from harness.check import ensure

FACTORS = (1, 4, 16, 64)


def asked_in_time(host, scenario, participant=None):
    """A session's id and what is asked in it, seen before its time is over: on a slow machine it
    gets more, by the factor that `scenario` is called with."""
    for factor in FACTORS:
        made = host.client.post("/v1/sessions", {"scenario": scenario(factor)}).expect(201)
        session = made.json["session_id"]
        path = f"/v1/requests?session={session}"
        if participant:
            path += f"&participant={participant}"
        while True:
            ended = host.client.get(f"/v1/sessions/{session}").json["status"] in (
                "completed", "cancelled")
            found = host.client.get(path).expect(200).json["requests"]
            if found:
                return session, found[0]
            if ended:
                break
            time.sleep(0.015)
    ensure(False, "nobody was asked in time, in the last session", session)
