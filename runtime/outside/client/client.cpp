#include <boost/json/serialize.hpp>
#include <convene/protocol/base/percent.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/text/format.hpp>
#include <convene/runtime/outside/client/client_link.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/participants/request_reading.hpp>

#include <algorithm>
#include <utility>

namespace convene {
namespace {

namespace json = boost::json;

using protocol::errc;
using protocol::fail;
using protocol::percent_encoded;
using protocol::text_of;

constexpr std::size_t key_bytes_max = 4'096;

bool is_loopback_host(std::string_view host) {
  // Not any name that begins so: another machine can have it.
  return host == "localhost" || host == "[::1]"
         || (protocol::validation::is_ipv4(host) && host.starts_with("127."));
}

protocol::result<void> check_key(const client_options& options,
                                 const host::url_origin& to) {
  const bool is_clean = std::ranges::all_of(options.key, [](char c) {
    return c > ' ' && c <= '~';
  });
  if (!is_clean || options.key.size() > key_bytes_max)
    return fail(
      errc::usage,
      "this is not an API key: it has other characters than printable "
      "ones of ASCII, or more than "
        + std::to_string(key_bytes_max),
      "key_invalid");
  if (!options.key.empty() && to.scheme == "http" && !is_loopback_host(to.host)
      && !options.key_in_clear)
    return fail(errc::usage,
                to_string(to)
                  + " is another machine, and without TLS anyone on the way "
                    "can read the key: use https",
                "key_in_clear");
  return {};
}

/// Nothing: it does not say which one it is.
std::optional<run_interrupt> read_interrupt(const json::value& from) {
  const auto* const members = from.if_object();
  if (members == nullptr)
    return std::nullopt;
  const auto text = [members](const char* name) {
    return std::string{text_of(*members, name)};
  };
  const auto maybe = [members](const char* name) {
    const auto* const found = members->if_contains(name);
    return found != nullptr && found->is_object()
             ? std::optional{found->get_object()}
             : std::nullopt;
  };
  run_interrupt made{.run_id = text("runId"),
                     .workflow_id = text("workflowId"),
                     .node_id = text("nodeId"),
                     .interrupt_id = text("interruptId"),
                     .kind = text("kind"),
                     .deadline = text("deadline"),
                     .data = protocol::object_of(*members, "data"),
                     .resume_schema = maybe("resumeSchema"),
                     .schema = maybe("schema")};
  if (const auto* turns = members->if_contains("turns");
      turns != nullptr && turns->is_array())
    made.turns = turns->get_array();
  made.turn_count = protocol::integer_of(*members, "turnCount").value_or(0);
  if (made.run_id.empty() || made.node_id.empty() || made.interrupt_id.empty())
    return std::nullopt;
  return made;
}

/// A text that an answer must have.
protocol::result<std::string> needed_text(const json::object& from,
                                          std::string_view name) {
  std::string text{text_of(from, name)};
  if (text.empty())
    return fail(host::unreadable_answer("it has no " + std::string{name}));
  return text;
}

} // namespace

client::client(std::unique_ptr<link> to) : link_{std::move(to)} {}
client::client(client&&) noexcept = default;
client& client::operator=(client&&) noexcept = default;
client::~client() = default;

protocol::result<client> client::open(client_options options) {
  const auto to = host::origin_of(options.server);
  if (!to)
    return fail(errc::usage, to.error().message, to.error().rule);
  if (options.server.find_first_of("?#") != std::string::npos)
    return fail(errc::usage,
                "a server's URL has neither a query nor a fragment",
                "url_invalid");
  if (auto good = check_key(options, *to); !good)
    return fail(std::move(good).error());
  while (options.server.ends_with('/'))
    options.server.pop_back();
  return client{std::make_unique<link>(std::move(options))};
}

protocol::result<std::string>
client::start_session(const json::value& scenario,
                      std::string_view idempotency_key, const node_wish& where,
                      const std::stop_token& stop) const {
  std::string path{"/v1/sessions"};
  for (const auto& [name, value] :
       {std::pair{"node", &where.node}, std::pair{"label", &where.label}})
    if (!value->empty())
      path.append(path.find('?') == path.npos ? "?" : "&")
        .append(name)
        .append("=")
        .append(percent_encoded(*value));
  const auto made
    = link_->post(path, json::serialize(json::object{{"scenario", scenario}}),
                  idempotency_key, stop);
  if (!made)
    return fail(made.error());
  return needed_text(*made, "session_id");
}

protocol::result<std::string>
client::start_run(const json::object& what,
                  std::string_view idempotency_key) const {
  const auto made = link_->post("/v1/runs", json::serialize(what),
                                idempotency_key);
  if (!made)
    return fail(made.error());
  return needed_text(*made, "runId");
}

protocol::result<json::object> client::session(std::string_view id) const {
  return link_->get("/v1/sessions/" + percent_encoded(id));
}

protocol::result<json::object> client::run(std::string_view id) const {
  return link_->get("/v1/runs/" + percent_encoded(id));
}

protocol::result<open_questions>
client::questions(const question_wish& whose,
                  const std::stop_token& stop) const {
  auto path = "/v1/requests?limit=" + std::to_string(whose.limit)
              + "&wait_ms=" + std::to_string(whose.wait_ms);
  if (!whose.participant.empty())
    path += "&participant=" + percent_encoded(whose.participant);
  if (!whose.session_id.empty())
    path += "&session=" + percent_encoded(whose.session_id);
  auto asked = link_->request("GET", path);
  asked.timeout_ms += whose.wait_ms;
  const auto got = link_->wait_for(std::move(asked), stop);
  if (!got)
    return open_questions{};
  const auto body = host::read_answer(*got);
  if (!body)
    return fail(body.error());
  const auto* list = body->if_contains("requests");
  if (list == nullptr || !list->is_array())
    return fail(host::unreadable_answer("it has no requests"));
  if (list->get_array().size() > whose.limit)
    return fail(
      host::unreadable_answer("it has more requests than were asked for"));
  open_questions made;
  const auto* more = body->if_contains("more");
  made.more = more != nullptr && *more == true;
  for (const auto& each : list->get_array()) {
    auto read = host::read_request(each);
    if (!read)
      return fail(host::unreadable_answer(to_string(read.error())));
    made.all.push_back(*std::move(read));
  }
  return made;
}

protocol::result<open_run_interrupts>
client::interrupts(const interrupt_wish& which,
                   const std::stop_token& stop) const {
  auto path = "/v1/interrupts?limit=" + std::to_string(which.limit);
  if (!which.kind.empty())
    path += "&kind=" + percent_encoded(which.kind);
  if (!which.run_id.empty())
    path += "&run=" + percent_encoded(which.run_id);
  const auto got = link_->wait_for(link_->request("GET", path), stop);
  if (!got)
    return open_run_interrupts{};
  const auto body = host::read_answer(*got);
  if (!body)
    return fail(body.error());
  const auto* list = body->if_contains("interrupts");
  if (list == nullptr || !list->is_array()
      || list->get_array().size() > which.limit)
    return fail(host::unreadable_answer(
      "it has no interrupts, or more than were asked for"));
  open_run_interrupts made;
  const auto* more = body->if_contains("more");
  made.more = more != nullptr && *more == true;
  for (const auto& each : list->get_array()) {
    auto read = read_interrupt(each);
    if (!read)
      return fail(host::unreadable_answer("an interrupt has no ids"));
    made.all.push_back(*std::move(read));
  }
  return made;
}

protocol::result<accepted_answer>
client::answer(std::string_view token, std::string_view participant,
               const protocol::reply& what) const {
  auto path = "/v1/requests/" + percent_encoded(token) + "/reply";
  if (!participant.empty())
    path += "?participant=" + percent_encoded(participant);
  const auto body = link_->post(path, json::serialize(encode(what)));
  if (!body)
    return fail(body.error());
  const auto* again = body->if_contains("duplicate");
  return accepted_answer{
    .session_id = std::string{text_of(*body, "session_id")},
    .participant = std::string{text_of(*body, "participant_id")},
    .duplicate = again != nullptr && *again == true};
}

protocol::result<json::object> client::resolve(std::string_view run_id,
                                               std::string_view node_id,
                                               const json::object& body) const {
  return link_->post("/v1/runs/" + percent_encoded(run_id) + "/interrupts/"
                       + percent_encoded(node_id),
                     json::serialize(body));
}

} // namespace convene
