# A single agent's step fails.
cat >scenario.json <<'END'
{
  "context": {"title": "A step that fails", "status": "active"},
  "plan": {"title": "One step", "steps": [{"description": "Fail", "agent_role": "agent"}]},
  "behaviours": {"*": {"type": "script", "turns": [{"status": "failed", "content": "cannot be done"}]}}
}
END
"$CONVENE" run scenario.json --profile sa --seed 1 --quiet --out out || test $? = 1
