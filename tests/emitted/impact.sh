# What a change of a plan would affect.
"$CONVENE" run "$EXAMPLES/code-review/scenario.json" --seed 1 --quiet --out out
plan=$("$CONVENE" graph out --kind plan --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p')
"$CONVENE" graph out --impact "plan:$plan" --events events.jsonl --quiet
