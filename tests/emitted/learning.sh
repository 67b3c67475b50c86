# Samples of a session, and of what a user asked for and changed.
"$CONVENE" run "$EXAMPLES/code-review/scenario.json" --seed 1 --quiet --out out --learn session.jsonl
cat >dialog.json <<'END'
{
  "meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"},
  "dialog_id": "550e8400-e29b-41d4-a716-446655440001",
  "context_id": "550e8400-e29b-41d4-a716-446655440002",
  "status": "active",
  "messages": []
}
END
"$CONVENE" dialog append dialog.json "Into French." --events events.jsonl
"$CONVENE" dialog append dialog.json "Into Latin." --changes 1 --events events.jsonl
"$CONVENE" export events.jsonl --format learning >dialog.jsonl
