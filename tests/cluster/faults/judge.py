"""Judges sessions: compares the events and answers of their clients with PostgreSQL, and runs the checker of histories."""

import json
import subprocess


def place_of(lines, said):
    """Where a text was said; 0: nowhere."""
    found = [number for number, line in enumerate(lines, 1) if json.dumps(said.text) in line]
    # An answer is once the participant's, and what others see of it later on is not in their events.
    assert len(found) <= 1, f"\"{said.text}\" is on the log {len(found)} times"
    assert found or not said.end, f"\"{said.text}\" was accepted and is not on the log"
    return found[0] if found else 0


def history_of(client, rows, grants):
    """For judge_history. A read has no times here: a node that has lost the session may still show an earlier state."""
    ids = [json.loads(line)["event_id"] for _, _, _, line in rows]
    lines = [f"history {client.session}"]
    lines += [f"grant {began} {ended} {length}" for _, length, began, ended in grants]
    placed = {place_of([row[3] for row in rows], said): said for said in client.said}
    for place, (_, epoch, began, _) in enumerate(rows, 1):
        span, outcome = f"{began} 0", "unknown"
        if place == 1:
            span, outcome = f"{client.begin} {client.created}", "acknowledged"
        elif place in placed and placed[place].end:
            span, outcome = f"{placed[place].begin} {placed[place].end}", "acknowledged"
        lines.append(f"append {span} {epoch} {outcome} {place} {ids[place - 1]}")
        lines.append(f"log {epoch} {ids[place - 1]}")
    seen = [event["event_id"] for event in client.events]
    lines.append(f"read 0 0 {len(seen)} {' '.join(seen)}")
    return "\n".join(lines) + "\n"


def judge(world, client, program):
    """Raises what is wrong."""
    assert not client.is_alive() and not client.wrong, client.wrong
    session = client.session
    micros = "(extract(epoch FROM {}) * 1000000)::bigint"
    rows = world.database.rows(f"SELECT place, epoch, {micros.format('began')}, line FROM convene_cluster.events "
                               f"WHERE session_id = '{session}' ORDER BY place", 4)
    grants = world.database.rows(f"SELECT epoch, length, {micros.format('began')}, {micros.format('ended')} "
                                 f"FROM public.grants WHERE session_id = '{session}' ORDER BY epoch", 4)
    assert [int(each[0]) for each in rows] == list(range(1, len(rows) + 1)), "places have gaps"
    assert [int(each[0]) for each in grants] == list(range(1, len(grants) + 1)), f"epochs: {grants}"
    events = [json.loads(each[3]) for each in rows]
    assert len({event["event_id"] for event in events}) == len(events), "an event is there twice"
    assert [event["event_type"] == "MAPSessionCompleted" for event in events].count(True) == 1, "one end"
    first = next((at for at, pair in enumerate(zip(client.events, events)) if pair[0] != pair[1]), None)
    assert first is None, f"event {first + 1} of the stream is not the one on the log"
    assert len(client.events) == len(events), f"{len(client.events)} events were seen, {len(events)} are on the log"
    done = subprocess.run([program], input=history_of(client, rows, grants), capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 0, f"judge_history: {done.stdout}{done.stderr}"
    return len(grants) - 1


def crc_table():
    made = []
    for number in range(256):
        for _ in range(8):
            number = (number >> 1) ^ (0x82F63B78 if number & 1 else 0)
        made.append(number)
    return made


TABLE = crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 255]
    return f"{crc ^ 0xFFFFFFFF:08x}"


def check_merged(world):
    """All sessions of the cluster, as one log."""
    folder = world.folder / "merged"
    folder.mkdir()
    previous, text = "00000000", '{"log_opened":{"format":1,"segment":1,"previous":null}}\n'
    with open(folder / "000001.jsonl", "wb") as log:
        for (session,) in world.database.rows("SELECT session_id FROM convene_cluster.owners", 1):
            data = (text + "".join(line + "\n" for line in world.database.lines(session))).encode()
            crc, text = crc32c(data), ""
            end = {"log_group": {"bytes": len(data), "crc32c": crc, "previous": previous}}
            log.write(data + json.dumps(end, separators=(",", ":")).encode() + b"\n")
            previous = crc
    done = subprocess.run([world.program, "check", folder], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"check of the merged log: {done.stdout[-2000:]}{done.stderr}"
    return done.stdout.strip().rsplit("/", 1)[-1]
