#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_repair.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/text/base64.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/mcp/http_link.hpp>
#include <convene/runtime/outside/mcp/messages.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

constexpr std::int64_t parting_ms = 2000;

bool is_visible(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 0x7f;
  });
}

/// A text as a header of the protocol has it.
std::string header_text(std::string_view text) {
  const bool is_plain
    = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f; })
      && !text.empty() && text.front() != ' ' && text.back() != ' '
      && !text.starts_with("=?base64?");
  return is_plain ? std::string{text}
                  : "=?base64?" + protocol::to_base64(text) + "?=";
}

bool is_event_stream(std::string_view content_type) {
  constexpr std::string_view wanted = "text/event-stream";
  return std::ranges::equal(content_type.substr(0, wanted.size()), wanted,
                            [](char a, char b) {
                              return a == b || (a >= 'A' && a + 32 == b);
                            });
}

mcp_connection::failure failure_of(std::string code, std::string message,
                                   bool transient = false) {
  mcp_connection::failure made;
  made.code = std::move(code);
  made.message = std::move(message);
  made.transient = transient;
  return made;
}

} // namespace

struct mcp_http_link::message {
  std::string line;
  std::int64_t id = 0;
  std::string method;
  std::string name;
  std::string version;
  std::int64_t timeout_ms = parting_ms;
};

struct mcp_http_link::exchange {
  message what;
  std::uint64_t number = 0;
  std::string session; ///< that it was sent in
  std::function<void()> cancel;
  bool is_dropped = false;
  unsigned resumes = 0;
  // Of the answer so far:
  bool is_stream = false;
  std::string location;
  std::string body;
  sse_reader events{message_bytes_max};
  std::string last_id;
  std::int64_t retry_ms = 1000;
  protocol::result<bool> how_read = true;
};

std::shared_ptr<mcp_http_link>
mcp_http_link::open(std::string name, mcp_address where,
                    std::shared_ptr<http_client> by, std::int64_t timeout_ms,
                    bool is_older) {
  std::shared_ptr<mcp_http_link> made{
    new mcp_http_link{std::move(where), std::move(by)}};
  const std::weak_ptr<mcp_http_link> weak = made;
  const auto after = [weak](std::int64_t time_ms, std::function<void()> then) {
    const auto is_wanted = std::make_shared<bool>(true);
    if (const auto self = weak.lock())
      self->by_->after(std::chrono::milliseconds{time_ms},
                       [weak, is_wanted, then = std::move(then)] {
                         if (const auto still = weak.lock();
                             still && *is_wanted)
                           then();
                       });
    return [is_wanted] { *is_wanted = false; };
  };
  // The connection sends at once, so the rest has to be there.
  made->connection_ = std::make_unique<mcp_connection>(
    name,
    mcp_wire{.send =
               [weak](const mcp_outgoing& what) {
                 const auto self = weak.lock();
                 return self && self->send(what);
               },
             .after = after,
             .note =
               [name](std::string_view what) {
                 spdlog::warn("mcp {}: it {}", name, what);
               },
             .drop =
               [weak](std::int64_t id) {
                 if (const auto self = weak.lock())
                   self->drop(id);
               }},
    timeout_ms, is_older);
  return made;
}

bool mcp_http_link::send(const mcp_outgoing& what) {
  if (what.line.size() > message_bytes_max)
    return false;
  message made{.line = std::string{what.line},
               .id = what.id,
               .method = std::string{what.method},
               .name = std::string{what.name},
               .version = std::string{what.version}};
  if (what.id != 0)
    made.timeout_ms = what.timeout_ms;
  if (is_holding_) {
    waiting_.push_back(std::move(made));
    return true;
  }
  is_holding_ = what.method == "notifications/initialized";
  post(std::move(made));
  return true;
}

void mcp_http_link::drop(std::int64_t id) {
  std::erase_if(waiting_, [id](const message& each) { return each.id == id; });
  for (auto at = exchanges_.begin(); at != exchanges_.end();)
    if (at->second->what.id == id) {
      const auto which = at->second;
      which->is_dropped = true;
      at = exchanges_.erase(at);
      if (which->cancel)
        which->cancel();
    } else {
      ++at;
    }
}

http_request mcp_http_link::request_for(const exchange& what) const {
  // The connection's own timer is up before.
  constexpr std::int64_t later_ms = 1000;
  http_request made{.url = where_.url,
                    .headers = where_.headers,
                    .timeout_ms = what.what.timeout_ms + later_ms,
                    .body_bytes_max = stream_bytes_max,
                    .repeatable = false};
  const auto add = [&](const char* name, std::string value) {
    made.headers.push_back({name, std::move(value)});
  };
  if (!what.what.version.empty())
    add("MCP-Protocol-Version", what.what.version);
  if (!what.session.empty())
    add("Mcp-Session-Id", what.session);
  return made;
}

void mcp_http_link::post(message what) {
  const auto made = std::make_shared<exchange>();
  made->what = std::move(what);
  made->number = ++last_exchange_;
  if (made->what.method != "initialize")
    made->session = session_;
  version_ = made->what.version;
  auto request = request_for(*made);
  request.body = made->what.line;
  const auto add = [&](const char* name, std::string value) {
    request.headers.push_back({name, std::move(value)});
  };
  add("Content-Type", "application/json");
  add("Accept", "application/json, text/event-stream");
  if (version_ == mcp_version && !made->what.method.empty()) {
    add("Mcp-Method", made->what.method);
    if (!made->what.name.empty())
      add("Mcp-Name", header_text(made->what.name));
  }
  begin(made, std::move(request));
}

void mcp_http_link::begin(const std::shared_ptr<exchange>& what,
                          http_request request) {
  const auto self = shared_from_this();
  what->is_stream = false;
  what->location.clear();
  what->body.clear();
  what->events = sse_reader{message_bytes_max};
  what->how_read = true;
  request.on_head = [self, what](int status,
                                 const std::vector<http_header>& all) {
    for (const auto& [name, value] : all)
      if (name == "content-type")
        what->is_stream = status < 300 && is_event_stream(value);
      else if (name == "location")
        what->location = value;
      else if (name == "mcp-session-id" && what->what.method == "initialize"
               && status < 300 && is_visible(value))
        self->session_ = value;
  };
  request.on_data = [self, what](std::string_view data) {
    return self->take_data(*what, data);
  };
  exchanges_[what->number] = what;
  what->cancel = by_->start(std::move(request), [self, what](http_answer how) {
    self->take_end(what, std::move(how));
  });
}

bool mcp_http_link::take_data(exchange& what, std::string_view data) {
  if (what.is_dropped || what.what.id == 0)
    return false; // an answer to a notification has nothing for us
  if (!what.is_stream) {
    what.body += data;
    return what.body.size() <= message_bytes_max;
  }
  what.how_read = what.events.feed(data, [&](const sse_event& each) {
    if (!each.data.empty())
      connection_->take_line(each.data);
    is_older_ |= connection_->is_ready(mcp_era::initialized);
    return !what.is_dropped;
  });
  return what.how_read && *what.how_read;
}

void mcp_http_link::take_end(const std::shared_ptr<exchange>& what,
                             http_answer how) {
  exchanges_.erase(what->number);
  if (what->what.method == "notifications/initialized")
    release();
  const auto id = what->what.id;
  if (what->is_dropped || id == 0 || !connection_->is_open(id))
    return;
  if (!what->how_read)
    return connection_->fail(id, failure_of("answer_bytes_max",
                                            what->how_read.error().message));
  if (!what->is_stream && how.is_ok()) {
    take_body(*what, what->body);
    is_older_ |= connection_->is_ready(mcp_era::initialized);
    if (connection_->is_open(id))
      connection_->fail(
        id, failure_of("invalid_answer",
                       to_string(*origin_of(where_.url)) + ": the answer to "
                         + what->what.method + " is not a JSON-RPC message: "
                         + protocol::quote(protocol::shorten(what->body))));
    return;
  }
  if (what->is_stream && (how.is_ok() || how.error.code == "connection_lost")) {
    if (!what->events.last_id().empty())
      what->last_id = what->events.last_id();
    if (const auto said = what->events.retry_ms())
      what->retry_ms = std::min(*said, retry_ms_max);
    if (!what->last_id.empty() && what->what.version != mcp_version
        && ++what->resumes <= resumes_max)
      return resume(what);
    return connection_->fail(
      id, failure_of("connection_lost",
                     to_string(*origin_of(where_.url))
                       + ": the stream ended without an answer to "
                       + what->what.method,
                     true));
  }
  take_failure(what, std::move(how));
}

void mcp_http_link::take_failure(const std::shared_ptr<exchange>& what,
                                 http_answer how) {
  const auto id = what->what.id;
  if (how.status >= 300 && how.status < 400 && move(what, how.status))
    return;
  std::string lower = how.body;
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  // Some servers answer 400 to a session that they do not know.
  const bool is_lost = how.status == 404
                       || (how.status == 400
                           && lower.find("session") != lower.npos);
  if (is_lost && !what->session.empty()) {
    if (session_ == what->session)
      session_.clear();
    if (connection_->renew(id))
      return;
  }
  take_body(*what, how.body);
  if (connection_->is_open(id)) {
    auto message = std::move(how.error.message);
    if (how.status == 401 || how.status == 403)
      message += "; check the server's headers in the scenario";
    auto why = failure_of(std::move(how.error.code), std::move(message),
                          how.error.transient);
    why.retry_after_ms = how.error.retry_after_ms;
    connection_->fail(id, std::move(why));
  }
}

/// A body that is an answer; an error in it is that of this request, also if
/// the server has not read its id.
void mcp_http_link::take_body(const exchange& what, std::string_view body) {
  auto value = protocol::parse_json(body);
  if (!value)
    value = protocol::parse_json(protocol::repair_json(body).text);
  auto* message = value ? value->if_object() : nullptr;
  if (message != nullptr && message->contains("error")) {
    auto& id = (*message)["id"];
    if (id.is_null())
      id = what.what.id;
  }
  if (value && (message != nullptr || value->is_array()))
    connection_->take_line(json::serialize(*value));
}

/// Follows a redirect that keeps the method and stays with the origin.
bool mcp_http_link::move(const std::shared_ptr<exchange>& what, int status) {
  if ((status != 307 && status != 308) || what->location.empty()
      || moves_ >= moves_max)
    return false;
  auto target = redirect_target(where_.url, what->location);
  const auto there = origin_of(target);
  if (!there || *there != *origin_of(where_.url))
    return false;
  ++moves_;
  where_.url = std::move(target);
  post(std::move(what->what));
  return true;
}

/// A stream that the server has closed is taken up where it ended.
void mcp_http_link::resume(const std::shared_ptr<exchange>& what) {
  exchanges_[what->number] = what; // so that it can be dropped
  what->cancel = {};
  by_->after(std::chrono::milliseconds{what->retry_ms},
             [weak = weak_from_this(), what] {
               const auto self = weak.lock();
               if (!self || what->is_dropped)
                 return;
               auto request = self->request_for(*what);
               request.method = "GET";
               request.headers.push_back({"Accept", "text/event-stream"});
               request.headers.push_back({"Last-Event-ID", what->last_id});
               self->begin(what, std::move(request));
             });
}

void mcp_http_link::release() {
  is_holding_ = false;
  for (auto all = std::exchange(waiting_, {}); auto& each : all) {
    if (is_holding_) {
      waiting_.push_back(std::move(each));
      continue;
    }
    is_holding_ = each.method == "notifications/initialized";
    post(std::move(each));
  }
}

void mcp_http_link::leave(std::shared_ptr<void> parting) {
  connection_->end(
    failure_of("cancelled", "the MCP server is no longer needed"));
  if (session_.empty())
    return;
  exchange last;
  last.session = std::exchange(session_, {});
  last.what.version = version_;
  auto request = request_for(last);
  request.method = "DELETE";
  request.timeout_ms = parting_ms;
  by_->start(std::move(request),
             [parting = std::move(parting)](const http_answer&) {});
}

} // namespace convene::host
