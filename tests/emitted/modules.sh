# Extensions are activated and act: a program and a service.
cat >service.py <<'END'
import http.server


class Answer(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"content": "fine"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *ignored):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Answer)
print(server.server_address[1], flush=True)
server.serve_forever()
END
mkfifo port
python3 service.py >port &
service=$!
trap 'kill "$service"' EXIT
read -r port <port
cat >scenario.json <<END
{
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "writer"}, {"participant_id": "ben", "role_id": "checker"}]},
  "extensions": [
    {"name": "writing", "extension_type": "capability",
     "config": {"type": "process", "command": ["sh", "-c", "cat >/dev/null; echo '{\"content\": \"hi\"}'"]}},
    {"name": "checking", "extension_type": "integration",
     "config": {"type": "http", "url": "http://127.0.0.1:$port/check"}}
  ],
  "network": {"name": "here", "nodes": [{"name": "ann"}, {"name": "ben"}]},
  "behaviours": {"ann": {"type": "extension", "extension": "writing"},
                 "ben": {"type": "extension", "extension": "checking"}},
  "task": "Write and check.",
  "session": {"rounds": 1}
}
END
"$CONVENE" run scenario.json --quiet --out ../out --allow run=sh --allow "net=127.0.0.1:$port"
"$CONVENE" export ../out --strict --out strict
