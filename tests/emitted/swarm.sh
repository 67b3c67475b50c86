# Participants give reasons, hold claims, and write what others have claimed.
cat >scenario.json <<'END'
{
  "collab": {
    "mode": "swarm",
    "participants": [
      {"participant_id": "ada", "role_id": "writer", "kind": "agent"},
      {"participant_id": "ben", "role_id": "writer", "kind": "agent"}
    ]
  },
  "task": "Write the list.",
  "tasks": [{"title": "Begin", "role": "ada"}, {"title": "Go on", "role": "ben"}, {"title": "End", "role": "ada"}],
  "workspace": [{"resource_type": "file", "resource_id": "list.md", "value": ""}],
  "behaviours": {
    "ada": {"type": "script", "turns": [
      {"content": "Mine for now.", "reasoning": ["Two of us would collide."],
       "claim": [{"resource_type": "file", "resource_id": "list.md"}, {"resource_type": "file", "resource_id": "notes.md"}],
       "writes": [{"resource_type": "file", "resource_id": "missing.md", "op": "delete", "base_version": 7}]},
      {"content": "Yours.", "claim": [{"resource_type": "file", "resource_id": "list.md", "to": "ben"},
                                    {"resource_type": "file", "resource_id": "notes.md", "release": true},
                                    {"resource_type": "file", "resource_id": "never.md", "release": true}]}
    ]},
    "ben": {"type": "script", "turns": [
      {"content": "Not mine to release.", "claim": [{"resource_type": "file", "resource_id": "list.md", "release": true}]}
    ]}
  }
}
END
"$CONVENE" run scenario.json --seed 1 --quiet --out out || test $? = 1
