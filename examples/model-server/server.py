#!/usr/bin/env python3
"""A model server that answers from a script, for examples and tests.

    server.py SCRIPT.json [--port N]        0: any free port; prints the port

It speaks OpenAI's chat completions (POST /v1/chat/completions) and Anthropic's
messages (POST /v1/messages), streamed or not. The script has a list of answers
for each model's name; each call gets the next one, and the last one repeats:

    {"reviewer": [{"text": "Looks good."},
                  {"text": "...", "tools": [{"name": "f", "arguments": {...}}],
                   "delay_ms": 200, "piece_ms": 20,
                   "finish": "stop" | "length" | "refusal"},
                  {"error": 429, "message": "...", "retry_after": 1},
                  {"break": 40}]}

`delay_ms` is the time before an answer, `piece_ms` that before each event of a
streamed one. `break` ends the connection after so many bytes of the answer's
body. An answer
with "when": "text" is only given if the prompt contains the text; the first
that fits and was not yet given is taken. GET /calls says how many calls each
model got; GET /prompts the latest prompt of each; GET /keys how many calls had
each Idempotency-Key.
"""

import argparse
import collections
import http.server
import json
import sys
import threading
import time


class Script:
    """Answers by model; safe for several threads."""

    def __init__(self, answers):
        self.answers = answers
        self.given = {}   # model: indices of the answers that were given
        self.calls = {}   # model: number of calls
        self.prompts = {}
        self.keys = collections.Counter()  # calls by idempotency key
        self.lock = threading.Lock()

    def next_for(self, model, prompt, key=""):
        """The answer to this prompt of this idempotency key, if it has one."""
        with self.lock:
            self.calls[model] = self.calls.get(model, 0) + 1
            if key:
                self.keys[key] += 1
            self.prompts[model] = prompt
            listed = self.answers.get(model, self.answers.get("*"))
            if not listed:
                return {"error": 404, "message": f"no script for model '{model}'"}
            given = self.given.setdefault(model, set())
            text = json.dumps(prompt, ensure_ascii=False)
            fits = [i for i, each in enumerate(listed) if each.get("when", "") in text]
            if not fits:
                return {"error": 500, "message": f"no answer of '{model}' fits"}
            left = [i for i in fits if i not in given]
            chosen = left[0] if left else fits[-1]
            given.add(chosen)
            return listed[chosen]


def tokens_in(what):
    return max(1, len(json.dumps(what)) // 4)


def pieces(text, size=12):
    return [text[i:i + size] for i in range(0, len(text), size)] or [""]


class OpenAI:
    """Chat completions."""

    finish = {"stop": "stop", "length": "length", "tools": "tool_calls",
              "refusal": "stop", "content_filter": "content_filter"}

    @staticmethod
    def error(status, message):
        return {"error": {"message": message, "type": "server_error" if status >= 500
                          else "invalid_request_error", "param": None, "code": None}}

    def __init__(self, asked, answer, number):
        self.model, self.number, self.answer = asked["model"], number, answer
        self.prompt_tokens = tokens_in(asked["messages"])
        self.with_usage = (asked.get("stream_options") or {}).get("include_usage")

    def usage(self):
        used = tokens_in(self.answer)
        return {"prompt_tokens": self.prompt_tokens, "completion_tokens": used,
                "total_tokens": self.prompt_tokens + used}

    def calls(self):
        return [{"id": f"call_{self.number}_{i}", "type": "function",
                 "function": {"name": each["name"],
                              "arguments": json.dumps(each.get("arguments", {}))}}
                for i, each in enumerate(self.answer.get("tools", []))]

    def said(self):
        text = self.answer.get("text", "")
        if self.answer.get("finish") == "refusal":
            return {"content": None, "refusal": text}
        return {"content": text, "refusal": None}

    def reason(self):
        default = "tools" if self.answer.get("tools") else "stop"
        return self.finish[self.answer.get("finish", default)]

    def base(self, kind):
        return {"id": f"chatcmpl-{self.number}", "object": kind,
                "created": 1767225600, "model": self.model}

    def whole(self):
        message = {"role": "assistant", **self.said()}
        if self.answer.get("tools"):
            message["tool_calls"] = self.calls()
        return {**self.base("chat.completion"), "usage": self.usage(),
                "choices": [{"index": 0, "message": message, "logprobs": None,
                             "finish_reason": self.reason()}]}

    def events(self):
        def chunk(delta, reason=None):
            return None, {**self.base("chat.completion.chunk"), "choices": [
                {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}

        yield chunk({"role": "assistant", "content": ""})
        name = "refusal" if self.answer.get("finish") == "refusal" else "content"
        for piece in pieces(self.answer.get("text", "")):
            yield chunk({name: piece})
        for i, call in enumerate(self.calls()):
            yield chunk({"tool_calls": [{**call, "index": i, "function": {
                "name": call["function"]["name"], "arguments": ""}}]})
            for piece in pieces(call["function"]["arguments"]):
                yield chunk({"tool_calls": [{"index": i, "function": {"arguments": piece}}]})
        yield chunk({}, self.reason())
        if self.with_usage:
            yield None, {**self.base("chat.completion.chunk"), "choices": [],
                         "usage": self.usage()}
        yield None, "[DONE]"


class Anthropic:
    """Messages."""

    finish = {"stop": "end_turn", "length": "max_tokens", "tools": "tool_use",
              "refusal": "refusal", "content_filter": "refusal"}

    @staticmethod
    def error(status, message):
        kinds = {400: "invalid_request_error", 401: "authentication_error",
                 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
        return {"type": "error", "error": {"type": kinds.get(status, "api_error"),
                                           "message": message}}

    def __init__(self, asked, answer, number):
        self.model, self.number, self.answer = asked["model"], number, answer
        self.prompt_tokens = tokens_in(asked["messages"])

    def reason(self):
        default = "tools" if self.answer.get("tools") else "stop"
        return self.finish[self.answer.get("finish", default)]

    def blocks(self):
        if self.answer.get("text"):
            yield {"type": "text", "text": self.answer["text"]}
        for i, each in enumerate(self.answer.get("tools", [])):
            yield {"type": "tool_use", "id": f"toolu_{self.number}_{i}",
                   "name": each["name"], "input": each.get("arguments", {})}

    def message(self, content, reason, output):
        return {"id": f"msg_{self.number}", "type": "message", "role": "assistant",
                "model": self.model, "content": content, "stop_reason": reason,
                "stop_sequence": None,
                "usage": {"input_tokens": self.prompt_tokens, "output_tokens": output}}

    def whole(self):
        return self.message(list(self.blocks()), self.reason(), tokens_in(self.answer))

    def events(self):
        def event(kind, **members):
            return kind, {"type": kind, **members}

        yield event("message_start", message=self.message([], None, 1))
        yield event("ping")
        for i, block in enumerate(self.blocks()):
            is_text = block["type"] == "text"
            empty = {**block, **({"text": ""} if is_text else {"input": {}})}
            yield event("content_block_start", index=i, content_block=empty)
            for piece in pieces(block["text"] if is_text else json.dumps(block["input"])):
                delta = ({"type": "text_delta", "text": piece} if is_text else
                         {"type": "input_json_delta", "partial_json": piece})
                yield event("content_block_delta", index=i, delta=delta)
            yield event("content_block_stop", index=i)
        yield event("message_delta", delta={"stop_reason": self.reason(), "stop_sequence": None},
                    usage={"output_tokens": tokens_in(self.answer)})
        yield event("message_stop")


FORMATS = {"/v1/chat/completions": OpenAI, "/chat/completions": OpenAI,
           "/v1/messages": Anthropic}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the pieces of an answer wait for each other
    script = None

    def log_message(self, *_):
        pass  # its output is for the port alone

    def send_json(self, status, body, headers=()):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        with self.script.lock:
            known = {"/calls": dict(self.script.calls), "/prompts": dict(self.script.prompts),
                     "/keys": dict(self.script.keys)}
        if self.path in known:
            self.send_json(200, known[self.path])
        else:
            self.send_json(404, {"error": {"message": "GET /calls, /prompts or /keys"}})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        wire = FORMATS.get(self.path.split("?")[0])
        if wire is None:
            return self.send_json(404, {"error": {"message": f"nothing is at {self.path}"}})
        try:
            asked = json.loads(body)
            model, messages = asked["model"], asked["messages"]
        except (ValueError, KeyError, TypeError):
            return self.send_json(400, wire.error(400, "not a prompt: model and messages"))
        answer = self.script.next_for(model, asked, self.headers.get("Idempotency-Key", ""))
        if answer.get("delay_ms"):
            time.sleep(answer["delay_ms"] / 1000)
        if "error" in answer:
            extra = [("Retry-After", answer["retry_after"])] if "retry_after" in answer else []
            return self.send_json(answer["error"],
                                  wire.error(answer["error"], answer.get("message", "scripted")),
                                  extra)
        made = wire(asked, answer, sum(self.script.calls.values()))
        if asked.get("stream"):
            self.stream(made, answer.get("break"), answer.get("piece_ms", 0) / 1000)
        else:
            self.send_json(200, made.whole())

    def stream(self, made, limit, pause):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        sent = 0
        for name, data in made.events():
            text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
            event = (f"event: {name}\n" if name else "") + f"data: {text}\n\n"
            raw = event.encode()
            if limit is not None and sent + len(raw) > limit:
                self.close_connection = True
                return
            sent += len(raw)
            time.sleep(pause)
            self.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request, client_address):
        pass  # a client that went away


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("script", help="a JSON file with answers by model")
    parser.add_argument("--port", type=int, default=8008, help="0: any free one")
    options = parser.parse_args()
    try:
        with open(options.script, encoding="utf-8") as file:
            Handler.script = Script(json.load(file))
        server = Server(("127.0.0.1", options.port), Handler)
    except (OSError, ValueError) as error:
        sys.exit(f"server.py: {error}")
    print(server.server_address[1], flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
