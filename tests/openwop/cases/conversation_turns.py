"""Turns of people: their order, what is taken, and that a refusal changes nothing."""

import concurrent.futures
import json
import re

from harness.check import ensure, equal, holds
from harness.runs import Talk, taken, turns_of


def _talk(host, workflow="test-conversation"):
    return Talk(host.run(workflow))


def a_conversation_has_the_log_of_the_protocol(host):
    """Three exchanges and a close: the events in their order, each with its cause."""
    talk = _talk(host)
    for said in ("One.", "Two.", "Three."):
        talk.exchange(said)
    talk.close(turn=talk.turn("Enough."), outcome={"done": True}).expect(200)
    # Whether the last write comes before or after node.resumed is left open.
    log = [each for each in talk.run.finish().events() if each["type"] != "channel.written"]
    equal("types, without channel.written", [each["type"] for each in log],
          ["run.started", "node.started", "node.suspended", "interrupt.requested",
           "conversation.opened", *["conversation.exchanged"] * 3, "conversation.closed",
           "interrupt.resolved", "node.resumed", "node.completed", "run.completed"])
    for event, cause in {3: 2, 4: 2, 5: 4, 6: 5, 7: 6, 8: 7, 9: 8, 10: 8, 11: 10}.items():
        equal(f"cause of {log[event]['type']}, which is {log[cause]['type']}",
              log[event].get("causationId"), log[cause]["eventId"])
    equal("writes", len(talk.run.events("channel.written")), 5)


def turns_count_from_one_and_the_close_is_the_last(host):
    """Indexes are 0 for the opening, 1 to n for exchanges, n + 1 for the close."""
    for exchanges in (0, 1, 4):
        talk = _talk(host)
        for _ in range(exchanges):
            talk.exchange()
        talk.close(turn=talk.turn("Enough.")).expect(200)
        equal("indexes", [each["turnIndex"] for each in turns_of(talk.run)],
              list(range(exchanges + 2)))
        closed = talk.run.event("conversation.closed")["payload"]
        equal("index of the close", closed["turnIndex"], exchanges + 1)


def an_exchange_leaves_the_node_suspended(host):
    """Only the turn and its channel entry are appended; the run waits as before."""
    talk = _talk(host)
    before = talk.run.events()
    talk.exchange("One.")
    equal("events of an exchange", [each["type"] for each in talk.run.events()[len(before):]],
          ["conversation.exchanged", "channel.written"])
    holds("snapshot", talk.run.snapshot(), {"status": "waiting-approval",
                                            "currentNodeId": "convo"})


def the_answer_tells_which_turn_was_taken(host):
    """200 with run, node, status, and the turn's conversation, index and message."""
    talk = _talk(host)
    answer = talk.exchange("One.")
    holds("the answer", answer.json, {"runId": talk.run.id, "nodeId": "convo",
                                      "status": "waiting-approval"})
    holds("the turn that was taken", taken(answer),
          {"conversationId": f"{talk.run.id}:convo:0", "turnIndex": 1, "messageId": "said-1",
           "duplicate": False})


def a_turn_is_kept_as_it_was_said(host):
    """Content of any shape, ts, addressee, group and further members come back unchanged."""
    talk = _talk(host)
    for content in (None, "", {"a": [1, 2.5, "ä"]}, [], False, 0):
        talk.exchange(content)
    talk.exchange("x", to="helper", groupId="g1", role="agent", **{"from": "reviewer"},
                  agent={"agentId": "reviewer", "agentSharing": "shared:%shared%"},
                  speakerId="reviewer", mood="good")
    talk.index = 1
    wanted = []
    for content in (None, "", {"a": [1, 2.5, "ä"]}, [], False, 0):
        wanted.append(talk.turn(content))
        talk.index += 1
    got = turns_of(talk.run)[1:]
    equal("turns", got[:-1], wanted)
    holds("the last turn", got[-1], {"to": "helper", "groupId": "g1", "role": "agent",
                                     "from": "reviewer", "mood": "good", "ts": 1_700_000_000_007})


def a_group_is_kept_in_events_and_channel(host):
    """The groupId of a turn is on its event and in the channel's entry."""
    talk = _talk(host)
    talk.exchange("For the group.", groupId="g1")
    talk.exchange("For all.")
    for what, turns in (("events", turns_of(talk.run)),
                        ("channel", talk.run.snapshot()["channels"]["conversation"])):
        equal(f"groups of turns in {what}", [each.get("groupId") for each in turns],
              [None, "g1", None])


def an_index_that_is_not_the_next_is_refused(host):
    """Earlier, the same and later indexes are 400, and nothing is appended."""
    talk = _talk(host)
    talk.exchange()
    for index in (0, 1, 3, 1000):
        turn = {**talk.turn(), "turnIndex": index}
        talk.refuses({"operation": "exchange", "turn": turn}, f"an exchange with index {index}")
        talk.refuses({"operation": "close", "turn": turn}, f"a close with index {index}")
    talk.exchange()


def a_turn_lacks_nothing_and_has_right_types(host):
    """Each member that is missing or wrong is 400, and details name it."""
    talk = _talk(host)
    wrong = {"messageId": ("", 1, "m" * 257), "from": ("", None, "f" * 257),
             "ts": (-1, "now", 1.5, None), "role": ("tool", "", 1),
             "turnIndex": (-1, "1", 1.5, None), "to": (1, "t" * 257), "groupId": (1, "g" * 257),
             "agent": ("helper",)}
    for name in ("messageId", "from", "content", "ts", "role", "turnIndex"):
        turn = talk.turn()
        del turn[name]
        error = talk.refuses({"operation": "exchange", "turn": turn}, f"a turn without {name}")
        ensure(name in str(error), f"expected {name} in the error:", error)
    for name, values in wrong.items():
        for value in values:
            turn = {**talk.turn(), name: value}
            error = talk.refuses({"operation": "exchange", "turn": turn}, f"{name} {value!r:.20}")
            ensure(re.search(rf"\b{name}\b", str(error.get("details"))),
                   f"expected {name} in details:", error)
    talk.exchange()


def an_operation_is_exchange_or_close(host):
    """No operation, an unknown one, start, no turn, no object: 400, and nothing is appended."""
    talk = _talk(host)
    for value in ({"turn": talk.turn()}, {"operation": "start", "turn": talk.turn()},
                  {"operation": "Exchange", "turn": talk.turn()}, {"operation": 1},
                  {"operation": None, "turn": talk.turn()}, {"operation": "exchange"},
                  {"operation": "exchange", "turn": "Yes."}, {"operation": "close", "turn": []},
                  {"action": "accept"}, {}, [], "close", None):
        talk.refuses(value, f"resuming with {str(value):.60}")


def nobody_outside_speaks_for_the_host(host):
    """Turns of the system, and ids that the host makes for others, are refused."""
    talk = _talk(host)
    for others in ({"role": "system"}, {"messageId": f"{talk.run.id}:convo:0:9:user"}):
        talk.refuses({"operation": "exchange", "turn": talk.turn("x", **others)}, f"{others}")


def a_turn_is_not_boundless(host):
    """More than 64 KiB, or very deep nesting, is refused; what is below it is taken."""
    talk = _talk(host)
    for content in ("x" * 66_000, json.loads("[" * 300 + "]" * 300)):
        talk.run.unchanged_by(lambda content=content: talk.offer(talk.turn(content)).refused(
            (400, 413)), "a turn beyond the bounds")
    talk.exchange("x" * 60_000)
    talk.exchange(json.loads("[" * 60 + "]" * 60))


def what_breaks_the_schema_is_refused(host):
    """Nothing is appended and the node waits; details name the place; the right answer is taken."""
    talk = _talk(host, "test-conversation-schema")
    for content in ({}, {"amount": 0}, {"amount": "5"}, {"amount": 5, "more": 1}, "five", None):
        for operation in ("exchange", "close"):
            error = talk.refuses({"operation": operation, "turn": talk.turn(content)},
                                 f"{operation} with the content {content}")
            ensure("content" in str(error.get("details")), "expected the place in details:", error)
    talk.exchange({"amount": 5})
    talk.close(turn=talk.turn({"amount": 6}), outcome="anything").expect(200)
    talk.run.wait("completed")


def the_hosts_last_turn_is_not_held_against_the_schema(host):
    """A close without a turn is taken where turns have a schema."""
    talk = _talk(host, "test-conversation-schema")
    talk.close(outcome={"amount": 1}).expect(200)
    talk.run.wait("completed")


def the_same_turn_again_gets_the_same_answer(host):
    """A repeated messageId with the same turn is 200, marked as duplicate, and appends nothing."""
    talk = _talk(host)
    first = talk.turn("One.")
    answer = talk.exchange("One.")
    talk.exchange("Two.")
    for turn in (first, dict(reversed(first.items()))):
        again = talk.run.unchanged_by(lambda turn=turn: talk.offer(turn), "the same turn")
        equal("the answer again", taken(again), {**taken(answer), "duplicate": True})
    equal("entries of the channel", len(talk.run.snapshot()["channels"]["conversation"]), 3)


def another_turn_under_a_used_id_is_refused(host):
    """The same messageId with other content, at any index, is 400 and appends nothing."""
    talk = _talk(host)
    first = talk.turn("One.")
    talk.exchange("One.")
    for turn in ({**first, "content": "Two."}, {**first, "content": "Two.", "turnIndex": 2}):
        talk.refuses({"operation": "exchange", "turn": turn}, "another turn under a used id")
    talk.refuses({"operation": "close", "turn": {**first, "turnIndex": 2}},
                 "a close under a used id")


def of_many_turns_for_one_place_one_is_taken(host):
    """Eight people speak at once with the same index: one 200, the others 400."""
    for _ in range(3):
        talk = _talk(host)
        turns = [talk.turn(f"{n}", messageId=f"from-{n}") for n in range(8)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(talk.offer, turns))
        equal("turns that were taken", [each.status for each in answers].count(200), 1)
        for each in answers:
            each.expect(200, 400)
        equal("turns", len(turns_of(talk.run)), 2)


def speaking_wants_the_scope(host):
    """Without approvals:respond 403, without a key 401, and nothing is appended."""
    talk = _talk(host)
    for name in ("runs:read", "runs:create", "runs:cancel", "manifest:read", "read"):
        client = host.as_key(name)
        talk.run.unchanged_by(lambda client=client: talk.offer(
            talk.turn(), client=client).refused(403, "forbidden"), f"a turn with {name}")
    talk.run.unchanged_by(lambda: talk.offer(talk.turn(), client=host.nobody).refused(
        401, "unauthenticated"), "a turn without a key")
    talk.offer(talk.turn(), client=host.as_key("approvals:respond")).expect(200)


def a_node_that_holds_no_conversation_is_not_found(host):
    """A turn for another node is 404 interrupt_not_found."""
    talk = _talk(host)
    talk.run.unchanged_by(lambda: talk.run.resolve("other", {
        "operation": "exchange", "turn": talk.turn()}).refused(404, "interrupt_not_found"),
        "a turn for another node")


def the_form_of_the_rfc_does_the_same(host):
    """POST /v1/runs/{runId}:resolveInterrupt takes a turn and closes."""
    talk = _talk(host)
    path = f"{talk.run.path}:resolveInterrupt"
    for body in ({}, {"operation": "exchange"}, {"operation": "close", "nodeId": 1},
                 {"operation": "close", "resumeValue": {"operation": "close"}}):
        talk.run.unchanged_by(lambda body=body: host.client.post(path, body).refused(
            400, "validation_error"), f"sending {body}")
    turns = []
    for text in ("One.", "Two.", "Three."):
        turns.append({"operation": "exchange", "turn": talk.turn(text)})
        talk.index += 1
    host.client.post(path, {"nodeId": "convo", "resumeValue": turns[0]}).expect(200)
    host.client.post(path, {"nodeId": "convo", **turns[1]}).expect(200)
    holds("a turn without its node", host.client.post(path, turns[2]).expect(200).json,
          {"nodeId": "convo", "runId": talk.run.id})
    host.client.post(path, {"operation": "close"}).expect(200)
    talk.run.wait("completed")
    equal("turns", len(turns_of(talk.run)), 5)
    host.client.post(path, {"operation": "close"}).refused(400, "validation_error")
