# Documents come in, and documents that are refused.
"$CONVENE" import "$EXAMPLES/golden/map-flow-01" --out documents --events events.jsonl
mkdir broken
echo '{"plan_id": 1}' >broken/plan.json
if "$CONVENE" import broken --out other --events events.jsonl; then
  exit 1
fi
