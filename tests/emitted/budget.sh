# Models use up what their session may cost, of which an export warns.
"$EXAMPLES/agents/run" code-review "$CONVENE" --quiet --out out --set session.budget.tokens=1 || test $? = 1
"$CONVENE" export out --strict --out strict
