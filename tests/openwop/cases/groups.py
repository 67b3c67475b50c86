"""Turns of a group: a key of other groups does not see what they say, wherever they are read."""

from harness.check import ensure, equal, eventually
from harness.client import Client
from harness.runs import Run, Talk, turns_of

SECRET = "only for the second group"


def _member(host, groups):
    made = Client(host, host.new_key("read,run,answer", "--group", groups)["key"])
    eventually("the new key", lambda: made.get("/v1/runs?limit=1").status == 200)
    return made


def _talk(host):
    talk = Talk(host.run("test-conversation"))
    talk.exchange("for all")
    talk.exchange("for the first", groupId="g1")
    talk.exchange(SECRET, groupId="g2")
    return talk


def _contents(turns):
    return [each["content"] for each in turns if each["role"] == "user"]


def turns_of_other_groups_are_hidden_from_a_key_of_groups(host):
    """In events, polls, streams, snapshots and the list of interrupts; the turn keeps its place."""
    member = _member(host, "g1,g3")
    talk = _talk(host)
    run = Run(member, talk.run.id)
    seen = ["for all", "for the first", None]
    listed = member.get(f"/v1/interrupts?run={run.id}").expect(200).json["interrupts"][0]
    for what, turns in (("events", turns_of(run)), ("the list", listed["turns"]),
                        ("the channel", run.snapshot()["channels"]["conversation"])):
        equal(f"what {what} have", _contents(turns), seen)
        hidden = turns[3]
        ensure(hidden["isHidden"] is True and hidden["groupId"] == "g2" and hidden["turnIndex"] == 3,
               "the hidden turn has no place:", hidden)
    equal("what others see", _contents(turns_of(talk.run)), [*seen[:2], SECRET])
    talk.close().expect(200)
    run.wait("completed")
    fork = member.post(f"{run.path}:fork", {"mode": "replay"}).expect(201).json["runId"]
    for path in (run.path, f"/v1/runs/{fork}"):
        for way in ("", "/events", "/events/poll?timeout=1", "/events?streamMode=debug",
                    "/events?streamMode=values", "/events?streamMode=debug&bufferMs=10"):
            accept = "text/event-stream" if "streamMode" in way else "application/json"
            for client, expected in ((member, False), (host.client, True)):
                body = client.get(path + way, {"Accept": accept}).expect(200).body.decode()
                ensure((SECRET in body) == expected, f"{way} of {path} as {expected}:", body)


def a_key_of_groups_speaks_in_them_alone(host):
    """A turn of another group is forbidden; there are no tokens by which all turns could be read."""
    member = _member(host, "g1")
    talk = _talk(host)
    own = talk.turn("mine", groupId="g1")
    other = talk.turn("theirs", groupId="g2")
    talk.run.unchanged_by(lambda: talk.offer(other, client=member).refused(403, "forbidden"),
                          "a turn of another group")
    talk.offer(own, client=member).expect(200)
    ensure("interruptToken" not in str(Run(member, talk.run.id).snapshot()), "a token is shown")
    ensure("interruptToken" in str(talk.run.snapshot()), "no token for others")
    talk.run.cancel().expect(200)
