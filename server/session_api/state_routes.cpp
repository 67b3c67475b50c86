#include <convene/protocol/documents/collab.hpp>
#include <convene/runtime/data/scenario/document_files.hpp>
#include <convene/server/session_api/answers.hpp>
#include <convene/server/session_api/session_routes.hpp>
#include <convene/session/story/story_json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::uint64_t list_default = 100;
constexpr std::uint64_t list_max = 1'000;

constexpr std::size_t text_bytes_max = 400;
constexpr std::size_t key_bytes_max = 100;

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value() : json::value(text);
}

json::object to_json(const session_row& row, const session_host& host) {
  json::object made{{"session_id", row.session_id},
                    {"status", row.status},
                    {"mode", row.mode},
                    {"title", row.title},
                    {"started_at", text_or_null(row.started_at)},
                    {"last_event_at", text_or_null(row.last_event_at)},
                    {"events", row.events}};
  if (!host.node().empty())
    made["node"] = host.node();
  if (const auto places = host.places_of(row.session_id); !places.empty()) {
    json::object on;
    for (const auto& [participant, node] : places)
      on.emplace(participant, node);
    made["participants_on"] = std::move(on);
  }
  for (auto& [name, value] : row.gist.to_json())
    made.emplace(name, std::move(value));
  return made;
}

json::object to_json(const std::map<std::string, std::size_t>& counts) {
  json::object made;
  for (const auto& [word, count] : counts)
    made.emplace(word, count);
  return made;
}

json::object to_json(const session_sums& sums) {
  return {{"matching", sums.matching},
          {"completed_with_failures", sums.completed_with_failures},
          {"statuses", to_json(sums.statuses)},
          {"modes", to_json(sums.modes)},
          {"conditions", to_json(sums.conditions)}};
}

protocol::result<void> wrong(const char* parameter, const char* allowed) {
  return protocol::fail(
    {.code = protocol::errc::usage,
     .message = std::string{"`"} + parameter + "` in the query is " + allowed,
     .rule = "usage"});
}

/// The parameter, if it is `yes` or `no`; what else it is, is an error.
protocol::result<void> take_choice(const request& from, const char* parameter,
                                   const char* yes, const char* no,
                                   std::optional<bool>& into) {
  const auto given = from.parameter_of_query(parameter).value_or("");
  if (given.empty())
    return {};
  if (given != yes && given != no)
    return wrong(parameter, (std::string{yes} + " or " + no).c_str());
  into = given == yes;
  return {};
}

/// `after` is a number, or a `start_key` ("~": the first page).
protocol::result<void> take_place(const request& from, session_query& into) {
  const auto given = from.parameter_of_query("after").value_or("");
  if (given.find('~') == given.npos)
    return number_of(from, "after", 0, 0, UINT32_MAX)
      .map([&](std::uint64_t number) {
        into.after = static_cast<std::size_t>(number);
      });
  if (given.size() > key_bytes_max)
    return wrong("after", "`next` of the page before");
  into.by_start = true;
  if (given != "~")
    into.after_key = given;
  return {};
}

protocol::result<session_query> query_of(const request& from) {
  session_query made;
  const auto limit = number_of(from, "limit", list_default, 1, list_max);
  if (!limit)
    return protocol::fail(limit.error());
  made.limit = static_cast<std::size_t>(*limit);
  if (auto taken = take_place(from, made); !taken)
    return protocol::fail(std::move(taken).error());
  const auto text = [&from](const char* name) {
    return std::string{from.parameter_of_query(name).value_or("")};
  };
  made.status = text("status");
  made.mode = text("mode");
  made.condition = text("condition");
  made.text = text("text");
  if (!made.status.empty()
      && !protocol::from_word<protocol::collab_status>(made.status))
    return protocol::fail(
      wrong("status", "draft, active, suspended, completed or cancelled")
        .error());
  for (const auto* each : {&made.mode, &made.condition, &made.text})
    if (each->size() > text_bytes_max)
      return protocol::fail(
        wrong("text", "at most 400 bytes, as `mode` and `condition` are")
          .error());
  std::ranges::transform(made.text, made.text.begin(), [](char each) {
    return each >= 'A' && each <= 'Z' ? static_cast<char>(each + 32) : each;
  });
  std::optional<bool> newest;
  return take_choice(from, "order", "newest", "oldest", newest)
    .and_then([&] {
      return take_choice(from, "failures", "yes", "no", made.has_failures);
    })
    .and_then([&]() -> protocol::result<session_query> {
      made.newest_first = newest.value_or(false);
      return std::move(made);
    });
}

void list(session_host& host, const request& from, const responder& to) {
  if (!from.by.session_id.empty())
    return to(refusal(403, "forbidden", "this key answers for one person"));
  std::optional<bool> has_sums;
  const auto query
    = take_choice(from, "sums", "yes", "no", has_sums).and_then([&] {
        return query_of(from);
      });
  if (!query)
    return to(refusal(query.error(), from));
  const auto& all = host.events()->sessions();
  const auto found = all.list(*query);
  json::array sessions;
  for (const auto& row : found.rows)
    sessions.push_back(to_json(row, host));
  json::object made{{"sessions", std::move(sessions)},
                    {"next", query->by_start   ? text_or_null(found.next_key)
                             : found.next == 0 ? json::value()
                                               : json::value(found.next)}};
  if (has_sums.value_or(false))
    made["sums"] = to_json(all.sums(*query));
  to(json_response(200, made));
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
  auto made = to_json(row, host);
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
