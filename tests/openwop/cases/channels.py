"""Channels: what nodes and turns write, and what a snapshot makes of it."""

from harness.check import ensure, equal, eventually, holds
from harness.runs import TURNS, Talk, turns_of


def each_turn_is_in_the_channel_once(host):
    """The channel has the turns as they were said, in their order, also those of the host."""
    talk = Talk(host.run("test-conversation"))
    talk.exchange("One.")
    talk.offer({**talk.turn("One."), "messageId": "said-1", "turnIndex": 1,
                "ts": 1_700_000_000_001}).expect(200)
    talk.exchange("Two.")
    equal("the channel", talk.run.snapshot()["channels"]["conversation"], turns_of(talk.run))
    talk.close().expect(200)
    equal("the channel at the end", talk.run.finish().snapshot()["channels"]["conversation"],
          turns_of(talk.run))


def a_write_is_an_event_after_its_turn(host):
    """channel.written carries the write, not the whole, and is caused by the turn's event."""
    run = host.done("conformance-conversation-replay")
    causes = {each["eventId"]: each for each in run.events(*TURNS)}
    writes = run.events("channel.written")
    equal("what was written", [each["payload"]["value"] for each in writes], turns_of(run))
    for each in writes:
        holds("channel.written", each["payload"], {"channel": "conversation",
                                                   "reducer": "message"})
        cause = causes.get(each.get("causationId"))
        ensure(cause, "a write is caused by an event of a conversation:", each)
        equal("the turn of the cause", cause["payload"][TURNS[cause["type"]]],
              each["payload"]["value"])


def a_message_that_is_written_twice_is_kept_once(host):
    """Two writes with one messageId are one entry."""
    run = host.done("conformance-message-reducer")
    messages = run.snapshot()["channels"]["messages"]
    ids = [each["messageId"] for each in messages]
    ensure(ids and len(set(ids)) == len(ids), "each messageId once:", messages)
    equal("entries", len(messages), 1)
    equal("writes", len(run.events("channel.written")), 2)


def entries_that_are_too_old_leave(host):
    """With ttlMs 200 and a delay of 300, the last of four writes is alone."""
    run = host.done("conformance-channel-ttl")
    entries = run.snapshot()["variables"]["events"]
    equal("entries", len(entries), 1)
    holds("the entry", entries[0], {"value": "d"})
    when = entries[0].get("_ts")
    ensure(isinstance(when, (int, float)) and not isinstance(when, bool),
           "_ts is a number:", entries)
    equal("writes", [each["payload"]["value"] for each in run.events("channel.written")],
          ["a", "b", "c", "d"])


def appended_entries_all_stay(host):
    """As many entries as writes, in the order of the log."""
    run = host.done("test-channel-append")
    writes = run.events("channel.written")
    equal("what was written", [each["payload"]["value"] for each in writes],
          [{"said": "a"}, {"said": "b"}, {"said": "c"}])
    equal("reducers", {each["payload"]["reducer"] for each in writes} == {"append"}, True)
    equal("entries", len(run.snapshot()["channels"]["log"]), 3)


def a_bounded_channel_keeps_the_last(host):
    """With maxSize 2 the first of three writes has left; the log has all three."""
    run = host.done("test-channel-bounded")
    entries = run.snapshot()["channels"]["log"]
    equal("entries", len(entries), 2)
    ensure('"a"' not in str(entries).replace("'", '"'), "the first entry has left:", entries)
    equal("writes", len(run.events("channel.written")), 3)


def a_gate_can_write_to_one_channel_alone(host):
    """Turns go to every channel of messages, or to the one that the config names."""
    run = host.done("test-conversation-channels")
    channels, turns = run.snapshot()["channels"], turns_of(run)
    equal("the channel of all gates", channels["some"], turns)
    equal("the channel of the first gate", channels["all"], turns[:len(turns) // 2])


def two_conversations_share_a_channel(host):
    """Turns of both gates are in one channel, in the order of the log."""
    run = host.run("test-two-conversations")
    Talk(run, "first").close(outcome=1).expect(200)
    eventually("the second opening", lambda: len(run.events("conversation.opened")) == 2)
    second = Talk(run, "second")
    second.close(outcome=2).expect(200)
    run.wait("completed")
    equal("the channel", run.snapshot()["channels"]["conversation"], turns_of(run))
    equal("turns", len(turns_of(run)), 4)
