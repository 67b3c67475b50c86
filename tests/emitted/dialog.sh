# A user asks for something, and then for something else instead.
cat >dialog.json <<'END'
{
  "meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"},
  "dialog_id": "550e8400-e29b-41d4-a716-446655440001",
  "context_id": "550e8400-e29b-41d4-a716-446655440002",
  "status": "active",
  "messages": [{"role": "user", "content": "Translate it.", "timestamp": "2025-12-07T00:00:00.000Z"}]
}
END
"$CONVENE" dialog append dialog.json "Into French." --events events.jsonl
"$CONVENE" dialog append dialog.json "Into Latin." --changes 2 --events events.jsonl
"$CONVENE" dialog complete dialog.json --events events.jsonl
