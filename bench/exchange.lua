-- For wrk, by bench/server: each request takes a turn in a conversation that
-- waits, of those whose runs are in the file named after `--`.
local runs, first, last, turns = {}, 1, 0, {}
local refused = 0
local turn = '{"resumeValue": {"operation": "exchange", "turn": {"messageId": "m%d", "from": "ben", '
  .. '"role": "user", "turnIndex": %d, "ts": 1790000000000, "content": "That failed requests are tried again."}}}'

local function give_back(run)
  last = last + 1
  runs[last] = run
end

function init(arguments)
  wrk.headers["Content-Type"] = "application/json"
  for run in io.lines(arguments[1]) do
    turns[run] = 0
    give_back(run)
  end
end

function request()
  if first > last then -- before init
    return wrk.format("GET", "/healthz")
  end
  local run = runs[first]
  runs[first] = nil
  first = first + 1
  turns[run] = turns[run] + 1
  return wrk.format("POST", "/v1/runs/" .. run .. "/interrupts/talk", wrk.headers,
                    turn:format(turns[run], turns[run]))
end

function response(status, _, body)
  local run = body:match('"runId":"([^"]+)"')
  if status == 200 and run then
    give_back(run)
  elseif refused == 0 then
    refused = 1
    io.stderr:write("refused: ", status, " ", body, "\n")
  end
end
