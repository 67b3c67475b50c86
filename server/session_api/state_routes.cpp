#include <convene/protocol/documents/collab.hpp>
#include <convene/runtime/data/scenario/document_files.hpp>
#include <convene/server/session_api/answers.hpp>
#include <convene/server/session_api/session_routes.hpp>
#include <convene/session/story/story_json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::uint64_t list_default = 100;
constexpr std::uint64_t list_max = 1'000;

json::object to_json(const session_row& row) {
  return {{"session_id", row.session_id},
          {"status", row.status},
          {"mode", row.mode},
          {"title", row.title},
          {"started_at", row.started_at.empty() ? json::value()
                                                : json::value(row.started_at)},
          {"events", row.events}};
}

void list(session_host& host, const request& from, const responder& to) {
  if (!from.by.session_id.empty())
    return to(refusal(403, "forbidden", "this key answers for one person"));
  const auto after = number_of(from, "after", 0, 0, UINT32_MAX);
  const auto limit = number_of(from, "limit", list_default, 1, list_max);
  for (const auto* each : {&after, &limit})
    if (!*each)
      return to(refusal(each->error(), from));
  const auto status = from.parameter_of_query("status").value_or("");
  if (!status.empty() && !protocol::from_word<protocol::collab_status>(status))
    return to(refusal(400, "usage",
                      "`status` in the query is draft, active, suspended, "
                      "completed or cancelled"));
  const auto found = host.events()->sessions().list(
    static_cast<std::size_t>(*after), static_cast<std::size_t>(*limit), status);
  json::array sessions;
  for (const auto& row : found.rows)
    sessions.push_back(to_json(row));
  to(json_response(200, {{"sessions", std::move(sessions)},
                         {"next", found.next == 0 ? json::value()
                                                  : json::value(found.next)}}));
}

template <class View>
using shown = std::function<response(const session_row&, const View&)>;

/// Answers with what `make` shows of the session, which `look` looks at.
template <class View, class Look>
void show_by(const Look& look, session_host& host, const request& from,
             const responder& to, shown<View> make) {
  const auto row = session_of(from, host);
  if (!row)
    return to(refusal(row.error(), from));
  const bool begun = look(row->session_id,
                          [to, from = std::make_shared<const request>(from),
                           &host, id = row->session_id, make = std::move(make)](
                            protocol::result<void> done, const View* view) {
                            const auto now = host.events()->sessions().find(id);
                            if (!done)
                              return to(refusal(done.error(), *from));
                            if (!now)
                              return to(refusal(session_unknown(), *from));
                            to(make(*now, *view));
                          });
  if (!begun)
    to(overloaded());
}

void show(session_host& host, const request& from, const responder& to,
          shown<session_view> make) {
  show_by<session_view>(
    [&host](const std::string& id, auto then) {
      return host.look(id, std::move(then));
    },
    host, from, to, std::move(make));
}

/// What `convene explain --json` has of the session.
void story(session_host& host, const request& from, const responder& to) {
  show_by<story_view>(
    [&host](const std::string& id, auto then) {
      return host.look_at_story(id, std::move(then));
    },
    host, from, to,
    [](const session_row&, const story_view& view) {
      return json_response(200, session::story_json(view.story()));
    });
}

json::object fault_in(const protocol::error& why) {
  return {{"code", why.rule}, {"message", why.message}};
}

response state(session_host& host, const session_row& row,
               const session_view& view) {
  auto made = to_json(row);
  made["turn_state"] = view.turn_state();
  if (const auto why = view.fault())
    made["error"] = fault_in(*why);
  else if (const auto stopped = host.fault_of(row.session_id))
    made["error"] = fault_in(*stopped);
  if (const auto* left = view.documents())
    made["result"] = left->result;
  return json_response(200, made);
}

/// Whether some session leaves a document of this name when it ends.
bool is_left_at_end(std::string_view name) {
  constexpr std::array<std::string_view, 8> names{"result", "collab", "context",
                                                  "plan",   "trace",  "confirm",
                                                  "core",   "network"};
  return std::ranges::find(names, name) != names.end()
         || name.starts_with("extension-");
}

response no_such_document(json::array names) {
  return refusal(404, "document_unknown", "the session has no such document",
                 {{"names", std::move(names)}});
}

/// Of a session that has not ended.
response document_so_far(std::string_view name, const session_view& view) {
  if (name == "collab")
    return json_response(200, view.collab());
  if (name == "context")
    return json_response(200, view.context());
  if (name == "plan")
    if (const auto plan = view.plan())
      return json_response(200, *plan);
  if (!is_left_at_end(name))
    return no_such_document(
      {"scenario", "workspace", "dialog", "collab", "context"});
  return refusal(409, "session_not_ended",
                 "while the session runs, it has `scenario`, `workspace`, "
                 "`dialog`, `collab`, `context` and its `plan`; the others "
                 "are made when it ends");
}

/// A document of the session by name, with or without `.json`.
response document(session_host& host, const session_row& row,
                  const std::string& wanted, const session_view& view) {
  const auto name
    = wanted.ends_with(".json") ? wanted.substr(0, wanted.size() - 5) : wanted;
  if (view.events() == 0) {
    const auto draft = host.draft_of(row.session_id);
    if (draft && name == "scenario")
      return json_response(200, *draft);
    return refusal(409, "session_not_started",
                   "until the session is started, it has `scenario` alone");
  }
  if (name == "scenario")
    return json_response(200, view.scenario());
  if (const auto why = view.fault())
    return refusal(409, why->rule, why->message);
  if (name == "workspace")
    return json_response(200, view.workspace());
  if (name == "dialog")
    return json_response(200, view.dialog());
  const auto* left = view.documents();
  if (left == nullptr)
    return document_so_far(name, view);
  if (name == "result")
    return json_response(200, left->result);
  json::array names{"scenario", "result"};
  for (const auto& file : host::document_files(*left)) {
    const auto stem = file.name.substr(0, file.name.find('.'));
    if (stem == name)
      return json_response(200, file.object());
    names.emplace_back(stem);
  }
  return no_such_document(std::move(names));
}

route get(const char* pattern, handler call) {
  return {.method = "GET",
          .pattern = pattern,
          .scope = "runs:read",
          .call = std::move(call),
          .for_one_person = true};
}

} // namespace

routes state_routes(session_host& host) {
  return {
    get("/v1/sessions", [&host](const request& from,
                                const responder& to) { list(host, from, to); }),
    get("/v1/sessions/{id}",
        [&host](const request& from, const responder& to) {
          show(host, from, to,
               [&host](const session_row& row, const session_view& view) {
                 return state(host, row, view);
               });
        }),
    get("/v1/sessions/{id}/workspace",
        [&host](const request& from, const responder& to) {
          show(host, from, to,
               [&host](const session_row& row, const session_view& view) {
                 return document(host, row, "workspace", view);
               });
        }),
    get("/v1/sessions/{id}/dialog",
        [&host](const request& from, const responder& to) {
          show(host, from, to,
               [&host](const session_row& row, const session_view& view) {
                 return document(host, row, "dialog", view);
               });
        }),
    get("/v1/sessions/{id}/story",
        [&host](const request& from, const responder& to) {
          story(host, from, to);
        }),
    get("/v1/sessions/{id}/documents/{name}", [&host](const request& from,
                                                      const responder& to) {
      const auto name = from.parameters.find("name");
      show(host, from, to,
           [&host, wanted = name == from.parameters.end() ? "" : name->second](
             const session_row& row, const session_view& view) {
             return document(host, row, wanted, view);
           });
    })};
}

} // namespace convene::server
