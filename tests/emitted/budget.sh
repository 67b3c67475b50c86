# Models use up what their session may cost.
"$EXAMPLES/agents/run" code-review "$CONVENE" --quiet --out out --set session.budget.tokens=1 || test $? = 1
