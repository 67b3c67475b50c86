# What a single agent did is undone.
cat >scenario.json <<'END'
{
  "context": {"title": "A release that is withdrawn", "status": "active"},
  "plan": {"title": "One step", "steps": [{"description": "Publish it", "agent_role": "publisher"}]},
  "behaviours": {"publisher": {"type": "script", "turns": [{"content": "published"}]}},
  "compensations": {"publisher": {"type": "script", "turns": [{"content": "withdrawn"}]}}
}
END
"$CONVENE" run scenario.json --profile sa --seed 1 --quiet --out out
"$CONVENE" rollback out --quiet
