#!/bin/sh
# A participant in shell: the request is JSON on standard input, and the reply
# JSON on standard output. Standard error goes to convene's diagnostic log.
request=$(cat)

case $request in
  *'"wanted":"turn"'*) ;;
  *)
    echo '{"status": "declined"}'
    exit ;;
esac

case $request in
  *'tests pass'*)
    echo '{"content": "The tests pass: approved.", "end": true}' ;;
  *)
    echo 'somebody forgot the tests' >&2
    echo '{"content": "Run the tests first, please."}' ;;
esac
