# A participant's actor dies, and with it the connection to its node. Then the
# process is killed, and whoever resumes the session brings the participant back.
cat >scenario.json <<'END'
{
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "writer"}, {"participant_id": "ben", "role_id": "reader"}]},
  "network": {"name": "here", "nodes": [{"name": "ann"}, {"name": "ben"}]},
  "behaviours": {"*": {"type": "echo"}},
  "task": "Talk.",
  "session": {"rounds": 2}
}
END
"$CONVENE" simulate scenario.json --seeds 1 --quiet --out out --keep all \
  --faults '{"script": [{"fault": "crash", "at": 1}, {"fault": "kill", "at": 3}]}'
"$CONVENE" export out/seeds/1 --strict --out strict
