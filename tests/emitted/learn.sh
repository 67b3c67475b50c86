# A run's log is learned from: intents, changes, outcomes.
"$CONVENE" run "$EXAMPLES/refactoring-swarm/scenario.json" --seed 1 --quiet --out out --learn samples.jsonl
