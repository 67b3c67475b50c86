# A participant is an Extension on a node; its export says so in the words of
# the modules.
cat >scenario.json <<'END'
{
  "collab": {"mode": "round_robin", "participants": [{"participant_id": "ann", "role_id": "writer"}]},
  "extensions": [{"name": "talker", "extension_type": "capability",
    "config": {"type": "process", "command": ["sh", "-c", "cat >/dev/null; echo '{\"content\": \"hi\"}'"]}}],
  "network": {"name": "here", "nodes": [{"name": "ann"}]},
  "behaviours": {"ann": {"type": "extension", "extension": "talker"}},
  "session": {"rounds": 1}, "task": "Say something."
}
END
"$CONVENE" run scenario.json --quiet --out ../out --allow run=sh
"$CONVENE" export ../out --strict --out strict
