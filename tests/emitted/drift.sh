# A file is edited behind the program's back, and put right again.
mkdir project
echo one >project/a.txt
"$CONVENE" drift --files project --record base.json
echo two >project/a.txt
"$CONVENE" drift base.json --log events.jsonl || test $? = 1
echo one >project/a.txt
"$CONVENE" drift base.json --log events.jsonl
