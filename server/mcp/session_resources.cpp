#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/mcp/session_events.hpp>
#include <convene/server/mcp/session_resources.hpp>

#include <array>
#include <charconv>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using answered = tl::expected<json::object, rpc_fault>;

constexpr std::string_view scheme = "convene://sessions/";
constexpr std::size_t sessions_in_page = 50;
constexpr std::size_t events_at_once_max = 10'000;
constexpr const char* lines_type = "application/x-ndjson";

tl::unexpected<rpc_fault> invalid(std::string message, json::object data = {}) {
  return tl::unexpected{rpc_fault{.code = rpc_code::invalid_params,
                                  .message = std::move(message),
                                  .data = std::move(data)}};
}

/// As the protocol has it for a resource that is not there.
tl::unexpected<rpc_fault> unknown(const std::string& uri, std::string message) {
  return invalid(std::move(message), {{"uri", uri}});
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t made = 0;
  const auto* const end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, made);
  if (failed != std::errc{} || at != end)
    return std::nullopt;
  return made;
}

void add_resource(json::array& to, const session_row& row,
                  const std::string& path, const std::string& what,
                  const char* type) {
  to.push_back({{"uri", std::string{scheme} + row.session_id + '/' + path},
                {"name", what + " of " + row.session_id},
                {"title", row.title + ": " + what},
                {"mimeType", type}});
}

answered contents(const std::string& uri, const char* type, std::string text,
                  json::object meta = {}) {
  json::object one{{"uri", uri}, {"mimeType", type}, {"text", std::move(text)}};
  if (!meta.empty())
    one.emplace("_meta", std::move(meta));
  return json::object{{"contents", json::array{std::move(one)}}};
}

} // namespace

answered session_resources::list(const json::object& params) const {
  std::uint64_t after = 0;
  if (params.contains("cursor")) {
    const auto given = number_in(protocol::text_of(params, "cursor"));
    if (!given)
      return invalid("`cursor` must be the nextCursor of a page");
    after = *given;
  }
  const auto page = with_->host.events()->sessions().list(
    {.after = after, .limit = sessions_in_page});
  json::array all;
  for (const auto& row : page.rows) {
    if (row.status == session_row::draft)
      continue;
    add_resource(all, row, "events", "events", lines_type);
    for (const auto* name : {"scenario", "workspace", "dialog"})
      add_resource(all, row, std::string{"documents/"} + name, name,
                   "application/json");
    if (row.ended)
      for (const auto* name : {"result", "collab", "context", "trace"})
        add_resource(all, row, std::string{"documents/"} + name, name,
                     "application/json");
  }
  json::object made{{"resources", std::move(all)}};
  if (page.next != 0)
    made.emplace("nextCursor", std::to_string(page.next));
  return made;
}

json::object session_resources::templates() {
  return {
    {"resourceTemplates",
     json::array{
       json::object{
         {"uriTemplate", "convene://sessions/{session_id}/events{?after}"},
         {"name", "events"},
         {"title", "Event log of a session"},
         {"description",
          "The events behind `after`, one a line; _meta.next is the `after` of "
          "the next page, and _meta.ended says whether the log is complete"},
         {"mimeType", lines_type}},
       json::object{
         {"uriTemplate", "convene://sessions/{session_id}/documents/{name}"},
         {"name", "documents"},
         {"title", "Document of a session"},
         {"description",
          "scenario, collab, context, plan, workspace or dialog; once the "
          "session has ended also result, trace, confirm and others that it "
          "leaves"},
         {"mimeType", "application/json"}}}}};
}

answered session_resources::read(const json::object& params) const {
  const std::string uri{protocol::text_of(params, "uri")};
  if (!uri.starts_with(scheme))
    return unknown(uri, "resources of this server begin with "
                          + std::string{scheme} + ": see resources/list");
  const auto rest = std::string_view{uri}.substr(scheme.size());
  const auto slash = rest.find('/');
  const std::string id{rest.substr(0, slash)};
  const auto path = slash == rest.npos ? std::string_view{}
                                       : rest.substr(slash + 1);
  constexpr std::string_view events = "events";
  constexpr std::string_view after = "events?after=";
  constexpr std::string_view documents = "documents/";
  if (path == events)
    return read_events(uri, id, "0");
  if (path.starts_with(after))
    return read_events(uri, id, path.substr(after.size()));
  if (path.starts_with(documents))
    return read_document(uri, id, std::string{path.substr(documents.size())});
  return unknown(uri, "a session has the resources events and documents/NAME");
}

answered session_resources::read_events(const std::string& uri,
                                        const std::string& session_id,
                                        std::string_view after) const {
  const auto number = number_in(after);
  if (!number)
    return invalid("`after` in the URI must be a whole number");
  const auto page = events_after(with_->host, session_id, *number,
                                 {.events = events_at_once_max,
                                  .bytes = with_->limits.answer_bytes_max});
  if (!page)
    return unknown(uri, page.error().message);
  std::string text;
  for (const auto& line : page->events)
    text.append(line).append(1, '\n');
  return contents(uri, lines_type, std::move(text),
                  {{"next", *number + page->events.size()},
                   {"ended", page->is_end}});
}

answered session_resources::read_document(const std::string& uri,
                                          const std::string& session_id,
                                          const std::string& name) const {
  const auto made = with_->api.call(
    {.method = "GET",
     .path = {"v1", "sessions", session_id, "documents", name}});
  constexpr unsigned first_error = 400;
  if (made.status >= first_error)
    return unknown(uri, std::string{protocol::text_of(
                          protocol::object_of(made.body, "error"), "message")});
  return contents(uri, "application/json", json::serialize(made.body));
}

} // namespace convene::server
