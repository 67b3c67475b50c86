#include <convene/bindings/c/open_settings.hpp>
#include <convene/bindings/c/read_as.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <utility>

namespace convene::c_api {
namespace {

using protocol::errc;

/// The members of the options, as they are written.
struct open_members {
  std::int64_t threads = 0;
  std::string log;
  convene::durability durability = convene::durability::group;
  std::optional<std::uint64_t> seed;
  std::int64_t sessions_max = 1'000'000;
  std::vector<std::string> allow;
  std::string work_folder;
  bool sandbox = false;
  std::vector<std::string> participants;
  bool resume_suspended = false;
  bool accept_loss = false;
};

CONVENE_DESCRIBE(open_members, DEFAULTED(threads, protocol::between(0, 1024)),
                 DEFAULTED(log), DEFAULTED(durability), MEMBER(seed),
                 DEFAULTED(sessions_max, protocol::between(1, 1'000'000)),
                 DEFAULTED(allow), DEFAULTED(work_folder), DEFAULTED(sandbox),
                 DEFAULTED(participants, protocol::not_empty),
                 DEFAULTED(resume_suspended), DEFAULTED(accept_loss));

struct filter_members {
  std::string session_id;
  std::vector<std::string> types;
  std::vector<std::string> families;
  std::vector<std::string> participants;
  bool texts = false;
};

CONVENE_DESCRIBE(filter_members, DEFAULTED(session_id), DEFAULTED(types),
                 DEFAULTED(families), DEFAULTED(participants),
                 DEFAULTED(texts));

} // namespace

result<open_settings> read_open_settings(std::string_view text) {
  auto from = read_text_as<open_members>(text);
  if (!from)
    return protocol::fail(std::move(from).error());
  open_settings made{.participants = std::move(from->participants),
                     .resume_suspended = from->resume_suspended,
                     .accept_loss = from->accept_loss};
  auto& how = made.runtime;
  how.threads = static_cast<std::size_t>(from->threads);
  if (from->log.find('\0') != from->log.npos)
    return protocol::fail({.code = errc::usage,
                           .message = "a path contains the character U+0000",
                           .pointer = "/log",
                           .rule = "log"});
  how.log = std::move(from->log);
  how.durability = from->durability;
  how.seed = from->seed;
  how.sessions_max = static_cast<std::size_t>(from->sessions_max);
  how.work_folder = std::move(from->work_folder);
  how.sandbox = from->sandbox;
  if (auto allowed = how.allow.allow_all(from->allow); !allowed)
    return protocol::fail(std::move(allowed).error());
  return made;
}

result<subscription_settings> read_subscription(std::string_view text) {
  auto from = read_text_as<filter_members>(text);
  if (!from)
    return protocol::fail(std::move(from).error());
  subscription_settings made{.texts = from->texts};
  auto& filter = made.how.filter;
  if (!from->session_id.empty()) {
    filter.session = protocol::parse_uuid(from->session_id);
    if (!filter.session)
      return protocol::fail({.code = errc::invalid_document,
                             .message = "a session's id is a UUID",
                             .pointer = "/session_id",
                             .rule = "format",
                             .value = protocol::shorten(from->session_id)});
  }
  filter.types = std::move(from->types);
  filter.families = std::move(from->families);
  filter.participants = std::move(from->participants);
  return made;
}

result<std::vector<std::string>> read_participants(std::string_view text) {
  return read_text_as<std::vector<std::string>>(text);
}

} // namespace convene::c_api
