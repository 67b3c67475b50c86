"""Conversations that the host holds by itself, and those that it opens and waits in."""

from harness.check import among, ensure, equal, eventually, holds
from harness.runs import Talk, turns_of


def a_lifecycle_is_played_to_its_end(host):
    """One conversation is opened, exchanged in and closed, under one id, with nobody outside."""
    run = host.done("conformance-conversation-lifecycle")
    log = run.events("conversation.opened", "conversation.exchanged", "conversation.closed")
    equal("events of the conversation", [each["type"].split(".")[1] for each in log],
          ["opened", "exchanged", "closed"])
    equal("different ids", len({each["payload"]["conversationId"] for each in log}), 1)


def as_many_turns_are_played_as_the_config_says(host):
    """turnCount 3 gives three exchanges, and a close that has index 4."""
    run = host.done("conformance-conversation-replay")
    equal("indexes of turns", [each["turnIndex"] for each in turns_of(run)], [0, 1, 2, 3, 4])


def the_host_never_speaks_with_the_same_id_twice(host):
    """Each turn that the host makes has the id of conversation, index and role."""
    run = host.done("conformance-conversation-replay")
    which = run.event("conversation.opened")["payload"]["conversationId"]
    for turn in turns_of(run):
        equal("messageId", turn["messageId"], f"{which}:{turn['turnIndex']}:{turn['role']}")


def a_conversation_is_no_clarification(host):
    """The run has events of a conversation and none of a clarification."""
    run = host.done("conformance-conversation-vs-clarification")
    kinds = {each["type"].split(".")[0] for each in run.events()}
    ensure("conversation" in kinds and "clarification" not in kinds,
           "families of events:", sorted(kinds))


def without_a_channel_nothing_is_written(host):
    """A workflow without a channel of messages gets no channel.written."""
    run = host.done("conformance-conversation-vs-clarification")
    equal("channel.written", run.events("channel.written"), [])


def an_empty_config_opens_and_waits(host):
    """A gate without config opens a conversation, and waits until somebody closes it."""
    run = host.run("conformance-conversation-capability-negotiation")
    talk = Talk(run)
    equal("turns", len(turns_of(run)), 1)
    talk.close().expect(200)
    run.wait("completed")


def a_conversation_waits_as_the_protocol_says(host):
    """The run is waiting-approval at the node, suspended because of conversation-input."""
    run = host.run("test-conversation")
    snapshot = run.wait("waiting-approval", "waiting-input")
    holds("snapshot", snapshot, {"status": "waiting-approval", "currentNodeId": "convo"})
    holds("node.suspended", run.event("node.suspended")["payload"],
          {"nodeId": "convo", "reason": "conversation-input"})


def the_opening_tells_who_what_and_where(host):
    """Ids are made of run, node and count; turn 0 is the prompt; both requests say the same."""
    run = host.run("test-conversation")
    run.wait("waiting-approval")
    opened = run.event("conversation.opened")["payload"]
    which = f"{run.id}:convo:0"
    holds("conversation.opened", opened, {"conversationId": which,
                                          "capabilities": ["multi-turn"]})
    holds("initialTurn", opened["initialTurn"],
          {"content": "What is to be done?", "role": "system", "turnIndex": 0,
           "messageId": f"{which}:0:system"})
    requested = run.event("interrupt.requested")["payload"]
    holds("interrupt.requested", requested, {"kind": "conversation.start", "key": which})
    equal("data", requested["data"], {"conversationId": which,
                                      "initialPrompt": "What is to be done?"})


def the_schema_is_told_at_the_opening(host):
    """conversation.opened has the schema that turns are held against."""
    run = host.run("test-conversation-schema")
    run.wait("waiting-approval")
    equal("schema", run.event("conversation.opened")["payload"].get("schema"),
          host.definition("test-conversation-schema")["nodes"][0]["config"]["schema"])


def an_agent_speaks_first_in_its_own_name(host):
    """A gate with an agentId opens with that agent's turn."""
    run = host.run("test-conversation-agent")
    run.wait("waiting-approval")
    opened = run.event("conversation.opened")["payload"]
    holds("conversation.opened", opened, {"agentId": "helper"})
    holds("initialTurn", opened["initialTurn"],
          {"from": "helper", "role": "agent", "speakerId": "helper"})
    holds("agent of the turn", opened["initialTurn"].get("agent"), {"agentId": "helper"})


def a_first_turn_that_is_given_is_taken(host):
    """A gate with an initialTurn opens with it, as it is written."""
    run = host.run("test-conversation-first-turn")
    run.wait("waiting-approval")
    equal("initialTurn", run.event("conversation.opened")["payload"]["initialTurn"],
          host.definition("test-conversation-first-turn")["nodes"][0]["config"]["initialTurn"])


def a_retried_gate_is_a_second_conversation(host):
    """A time-out that is tried again opens under another id and key, for the next attempt."""
    run = host.run("test-conversation-retry").finish("failed")
    equal("ids", [each["payload"]["conversationId"] for each in run.events("conversation.opened")],
          [f"{run.id}:convo:0", f"{run.id}:convo:1"])
    equal("attempts", [each["payload"].get("attempt") for each in run.events("node.started")],
          [0, 1])
    keys = [each["payload"]["key"] for each in run.events("interrupt.requested")]
    ensure(len(set(keys)) == 2, "each attempt has a key of its own:", keys)
    equal("code", run.snapshot()["error"]["code"], "interrupt_timeout")


def a_second_gate_is_a_second_conversation(host):
    """Two gates of a run have an id each; closing the first opens the second."""
    run = host.run("test-two-conversations")
    first = Talk(run, "first")
    first.exchange("One.")
    first.close(outcome=1).expect(200)
    run.client.get(run.path).expect(200)
    eventually("the second opening", lambda: len(run.events("conversation.opened")) == 2)
    second = Talk(run, "second")
    ids = [each["payload"]["conversationId"] for each in run.events("conversation.opened")]
    equal("ids", ids, [f"{run.id}:first:0", f"{run.id}:second:0"])
    answer = first.offer(first.turn("Late."))
    among(f"{answer}: status", answer.status, (400, 404))
    second.exchange("Two.")
    second.close(outcome=2).expect(200)
    run.wait("completed")
    equal("outcomes", [each["payload"]["outcome"] for each in run.events("conversation.closed")],
          [1, 2])
