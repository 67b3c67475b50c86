# A mode is chosen.
"$CONVENE" recommend --participants 4 --control --events events.jsonl
