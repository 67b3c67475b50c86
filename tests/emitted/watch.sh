# CI, a tool, an editor and Git tell what they did.
mkdir inbox
cat >inbox/.told <<'END'
{"event_id":"550e8400-e29b-41d4-a716-446655440001","event_type":"ci_pipeline","event_family":"external_integration","timestamp":"2026-01-01T00:00:00Z","source":"ci-v1","payload":{"ci_provider":"ci","pipeline_id":"main","run_id":"1","status":"succeeded"}}
{"event_id":"550e8400-e29b-41d4-a716-446655440002","event_type":"tool_execution","event_family":"external_integration","timestamp":"2026-01-01T00:00:00Z","source":"ci-v1","payload":{"tool_id":"lint","tool_kind":"linter","invocation_id":"550e8400-e29b-41d4-a716-446655440012","status":"succeeded"}}
{"event_id":"550e8400-e29b-41d4-a716-446655440003","event_type":"file_update","event_family":"external_integration","timestamp":"2026-01-01T00:00:00Z","source":"an-editor-v1","payload":{"file_path":"a.txt","change_type":"modified","timestamp":"2026-01-01T00:00:00Z"}}
{"event_id":"550e8400-e29b-41d4-a716-446655440004","event_type":"git_operation","event_family":"external_integration","timestamp":"2026-01-01T00:00:00Z","source":"a-forge-v1","payload":{"repo_url":"https://example.org/a.git","commit_id":"abc","ref_name":"refs/heads/main","event_kind":"push","timestamp":"2026-01-01T00:00:00Z"}}
END
mv inbox/.told inbox/told.jsonl
"$CONVENE" watch --drop inbox --log outside.jsonl --once --quiet
"$CONVENE" gate --log outside.jsonl --quiet
