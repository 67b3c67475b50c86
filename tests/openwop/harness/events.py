"""What every event, every log of a run and every snapshot must be."""

import re
from datetime import datetime

from harness.check import Failed, ensure, show

# As of the first version, which closes the list and the envelope.
TYPES = {
    f"{family}.{name}"
    for family, names in {
        "run": "started completed failed cancelled resuming paused resumed restored-from-snapshot",
        # The last one is of later versions, which have child runs' variables (RFC 0022).
        "node": "started completed failed suspended suspend-failed resumed retried skipped "
                "cancelled dispatched",
        "approval": "requested received",
        "clarification": "requested resolved",
        "interrupt": "requested resolved",
        "channel": "written",
        "artifact": "created",
        "output": "chunk",
        "variable": "changed",
        "log": "appended",
        "version": "pinned",
        "workflow": "restored loopback-limit stalled",
        "cap": "breached",
        "lease": "acquired renewed lost handed-off",
        "replay": "diverged",
        "agent": "reasoned toolCalled toolReturned handoff decided",
        "runOrchestrator": "decided",
        "conversation": "opened exchanged closed",
    }.items()
    for name in names.split()
}
TERMINAL = {"run.completed", "run.failed", "run.cancelled"}
STATUSES = {"pending", "running", "paused", "waiting-approval", "waiting-input",
            "waiting-external", "completed", "failed", "cancelled"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def text(least=0, most=None):
    return lambda v: isinstance(v, str) and least <= len(v) and (most is None or len(v) <= most)


def count(least):
    return lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= least


def word(*words):
    return lambda v: v in words


def date_time(value):
    return isinstance(value, str) and TIME.fullmatch(value) is not None


def milliseconds(value):
    """A date-time as milliseconds since 1970."""
    return round(datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp() * 1000)


def is_object(value):
    return isinstance(value, dict)


def is_array(value):
    return isinstance(value, list)


def anything(_):
    return True


def error(value):
    return is_object(value) and isinstance(value.get("code"), str) and value["code"] != "" \
        and isinstance(value.get("message"), str)


def turn(value):
    rules = {"messageId": text(1, 256), "from": text(1, 256), "content": anything, "ts": count(0),
             "role": word("user", "agent", "system"), "turnIndex": count(0)}
    optional = {"to": text(0, 256), "groupId": text(0, 256), "agent": is_object,
                "speakerId": text(1, 256)}
    return is_object(value) and all(n in value and ok(value[n]) for n, ok in rules.items()) \
        and all(ok(value[n]) for n, ok in optional.items() if n in value)


NAME = text(1, 128)
ENVELOPE = {"eventId": NAME, "runId": NAME, "type": lambda v: v in TYPES, "payload": anything,
            "timestamp": date_time, "sequence": count(0)}
ENVELOPE_OPTIONAL = {"nodeId": NAME, "causationId": NAME, "schemaVersion": count(0),
                     "engineVersion": text()}

# By type: required members, optional ones, and whether there are no others.
PAYLOADS = {
    "run.started": ({"workflowId": NAME},
                    {"inputs": is_object, "transport": word("rest", "mcp", "a2a", "ui"),
                     "engineVersion": text(), "tags": is_array, "metadata": is_object}, False),
    "run.completed": ({}, {"durationMs": count(0)}, False),
    "run.failed": ({"error": error}, {"failedNodeId": NAME, "durationMs": count(0)}, False),
    "run.cancelled": ({}, {"reason": text(), "cancelledBy": text(), "durationMs": count(0)},
                      False),
    "run.paused": ({}, {"reason": text()}, False),
    "run.resumed": ({}, {"reason": text()}, False),
    "node.started": ({"nodeId": NAME, "typeId": NAME}, {"attempt": count(0)}, False),
    "node.completed": ({"nodeId": NAME}, {"durationMs": count(0)}, False),
    "node.failed": ({"nodeId": NAME, "error": error}, {"attempts": count(1)}, False),
    "node.suspended": ({"nodeId": NAME, "interruptId": text(1)}, {"key": text(1, 256)}, False),
    "node.resumed": ({"nodeId": NAME}, {"interruptId": text(1)}, False),
    "node.retried": ({"nodeId": NAME}, {}, False),
    "node.suspend-failed": ({"nodeId": NAME}, {}, False),
    "node.cancelled": ({"nodeId": NAME}, {"reason": text()}, False),
    "node.skipped": ({"nodeId": NAME}, {"reason": text()}, False),
    "interrupt.requested": ({"runId": NAME, "nodeId": NAME, "interruptId": text(1),
                             "kind": word("approval", "clarification", "external-event", "custom",
                                          "conversation.start", "low-confidence"),
                             "key": text(1, 256), "data": is_object, "requestedAt": date_time},
                            {"timeoutMs": count(0), "resumeSchema": is_object}, True),
    "interrupt.resolved": ({"nodeId": NAME, "interruptId": text(1)},
                           {"kind": text(1), "runId": NAME, "resolvedAt": date_time,
                            "resolvedBy": text(1)}, False),
    "clarification.requested": ({"nodeId": NAME, "questions": is_array}, {}, False),
    "clarification.resolved": ({"nodeId": NAME, "answers": is_object}, {}, False),
    "approval.requested": ({"nodeId": NAME, "artifactId": text(), "artifactType": text(),
                            "actions": is_array}, {}, False),
    "approval.received": ({"nodeId": NAME, "action": text(1), "decidedBy": text(1)}, {}, False),
    "channel.written": ({"channel": text(1), "value": anything, "reducer": text(1),
                         "writtenAt": date_time},
                        {"nodeId": NAME, "schemaVersion": anything, "sourceEngineId": text(),
                         "sourceRunId": text()}, True),
    "cap.breached": ({"kind": word("clarification", "schema", "envelopes", "node-executions"),
                      "limit": count(0), "observed": count(0)}, {"nodeId": NAME}, False),
    "replay.diverged": ({"sourceRunId": NAME, "atSequence": count(0)},
                        {"originalEventId": NAME, "replayEventId": NAME, "divergencePoint": text(),
                         "divergenceKind": word("output", "missing", "extra", "type-mismatch")},
                        False),
    "conversation.opened": ({"conversationId": text(1, 256), "initialTurn": turn},
                            {"agentId": text(), "schema": is_object,
                             "capabilities": lambda v: is_array(v) and set(v) <= {
                                 "multi-turn", "streaming"}}, True),
    "conversation.exchanged": ({"conversationId": text(1, 256), "turnIndex": count(1),
                                "turn": turn}, {}, True),
    "conversation.closed": ({"conversationId": text(1, 256), "turnIndex": count(0),
                             "finalTurn": turn}, {"outcome": anything}, True),
}


def check_members(what, value, required, optional, closed):
    ensure(is_object(value), f"{what}: expected an object:", value)
    for name, is_good in {**required, **optional}.items():
        if name in value:
            ensure(is_good(value[name]), f"{what}: the member {name} is wrong:", value)
        else:
            ensure(name in optional, f"{what}: the member {name} is missing:", value)
    more = set(value) - set(required) - set(optional)
    ensure(not closed or not more, f"{what}: members {sorted(more)} do not belong there:", value)


def check_event(event, run_id):
    """The envelope and, by the type, the payload of one event."""
    check_members("an event", event, ENVELOPE, ENVELOPE_OPTIONAL, True)
    kind, payload = event["type"], event["payload"]
    what = f"event {event['sequence']} {kind}"
    ensure(event["runId"] == run_id, f"{what}: of the run {event['runId']} instead of {run_id}")
    if kind in PAYLOADS:
        check_members(f"payload of {what}", payload, *PAYLOADS[kind])
    if kind.split(".")[0] in ("node", "interrupt", "conversation"):
        ensure("nodeId" in event, f"{what}: nodeId is missing in the envelope:", event)
        ensure(payload.get("nodeId", event["nodeId"]) == event["nodeId"],
               f"{what}: the payload is of another node:", event)


def check_conversation(event, last_index):
    """Turn indexes follow each other, and nothing follows the end."""
    kind, payload = event["type"], event["payload"]
    if not kind.startswith("conversation."):
        return
    which, index = payload["conversationId"], payload.get("turnIndex", 0)
    said = payload.get("initialTurn") or payload.get("turn") or payload.get("finalTurn")
    opens = kind.endswith("opened")
    ensure(not opens or which not in last_index, "a conversationId is opened twice:", event)
    wanted = 0 if opens else last_index.get(which)
    ensure(wanted is not None, "an event of a conversation that is not open:", event)
    ensure(index == wanted and said["turnIndex"] == wanted,
           f"expected the turn index {wanted}, in the payload and in the turn:", event)
    last_index[which] = None if kind.endswith("closed") else wanted + 1


def check_log(log, run_id):
    """All events of a run, from its first."""
    seen, last_index = set(), {}
    for place, event in enumerate(log):
        check_event(event, run_id)
        ensure(event["sequence"] == place, f"event {place} of the log has another sequence:", event)
        ensure(event["eventId"] not in seen, "an eventId occurs twice:", event)
        ensure("causationId" not in event or event["causationId"] in seen,
               "the causationId is of no earlier event:", event)
        ensure(event["type"] not in TERMINAL or place == len(log) - 1,
               "events follow the end of the run:", [each["type"] for each in log])
        check_conversation(event, last_index)
        seen.add(event["eventId"])


def check_snapshot(value):
    check_members("a snapshot", value,
                  {"runId": NAME, "workflowId": NAME, "status": lambda v: v in STATUSES},
                  {"currentNodeId": NAME, "startedAt": date_time, "completedAt": date_time,
                   "variables": is_object, "channels": is_object, "error": error,
                   "tags": is_array, "metadata": is_object, "configurable": is_object}, False)
    if value["status"] == "failed" and "error" not in value:
        raise Failed(f"a run that failed has an error: {show(value)}")
    ensure(set(value.get("error", {})) <= {"code", "message", "details"},
           "error of a snapshot has code, message, details alone:", value)
