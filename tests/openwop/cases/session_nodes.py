"""Nodes that run a collaboration session."""

from harness.check import ensure, equal, eventually, holds


def _outputs(run):
    made = run.event("node.completed")["payload"].get("outputs", {})
    ensure(isinstance(made.get("sessionId"), str) and isinstance(made.get("result"), dict),
           "outputs of a session's node have sessionId and result:", made)
    return made


def a_node_completes_with_its_session(host):
    """Its outputs are the session's id and result."""
    outputs = _outputs(host.done("test-session"))
    holds("result", outputs["result"], {"session_id": outputs["sessionId"],
                                        "status": "completed"})


def its_session_can_be_read(host):
    """The session API shows it under the id that the node tells."""
    session_id = _outputs(host.done("test-session"))["sessionId"]
    holds("the session", host.client.get(f"/v1/sessions/{session_id}").expect(200).json,
          {"session_id": session_id, "status": "completed"})


def a_replay_starts_no_session(host):
    """It ends with the session that was recorded."""
    source = host.done("test-session")
    fork = source.forked("replay").finish()
    equal("outputs", _outputs(fork), _outputs(source))


def cancelling_the_run_cancels_its_session(host):
    """The run is cancelled while the session goes on, and the session ends, too."""
    for run in host.longer_and_longer("test-session-slow"):
        started = run.event("node.started")["payload"]
        cancelled = run.cancel().expect(200).json["status"]
        if cancelled != "completed":
            break
    run.wait("cancelled")
    equal("last events", [each["type"] for each in run.events()][-2:],
          ["node.cancelled", "run.cancelled"])
    if "sessionId" in started:
        path = f"/v1/sessions/{started['sessionId']}"
        eventually("the session is cancelled", lambda: host.client.get(path).status == 200
                   and host.client.get(path).json["status"] == "cancelled")


def a_session_goes_on_after_a_kill(host):
    """Killed in the middle, the run completes with one session, under one id."""
    run = host.run("test-session-slow")
    eventually("node.started", lambda: run.events("node.started"))
    host.restart()
    run.wait("completed")
    outputs = _outputs(run)
    equal("ids of sessions", {each["payload"].get("sessionId", outputs["sessionId"])
                              for each in run.events("node.started")} == {outputs["sessionId"]},
          True)


def a_session_ends_with_its_run_over_a_kill(host):
    """Killed as soon as the run is cancelled: nobody is asked for a run that is over."""
    run = host.run("test-session-person")
    started = eventually("node.started", lambda: run.events("node.started"))[0]["payload"]
    session = started["sessionId"]
    eventually("somebody is asked", lambda: host.client.get(
        f"/v1/requests?session={session}").expect(200).json["requests"])
    run.cancel().expect(200)
    host.restart()
    equal("the run", run.snapshot()["status"], "cancelled")
    eventually("the session is cancelled",
               lambda: host.client.get(f"/v1/sessions/{session}").json["status"] == "cancelled")
