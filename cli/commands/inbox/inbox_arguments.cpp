#include <convene/cli/commands/inbox/inbox_arguments.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <cstdlib>
#include <utility>

namespace convene::cli {
namespace {

constexpr const char* key_variable = "CONVENE_KEY";
constexpr std::size_t key_file_bytes_max = 8'192;

protocol::result<std::string> key_of(const inbox_arguments& arguments) {
  if (!arguments.key_file.empty()) {
    auto text = host::read_file(arguments.key_file, key_file_bytes_max);
    if (!text)
      return text;
    const auto end = text->find_last_not_of(" \t\r\n");
    text->resize(end == text->npos ? 0 : end + 1);
    if (text->empty())
      return protocol::fail(host::file_error(
        protocol::errc::usage, arguments.key_file,
        "has no key; convene keys new prints one", "key_invalid"));
    return text;
  }
  const auto& name = arguments.key_env;
  const auto* key = std::getenv(name.empty() ? key_variable : name.c_str());
  if (key == nullptr && !name.empty())
    return protocol::fail(
      {.code = protocol::errc::usage,
       .message = "the environment variable of --key-env is not set",
       .rule = "key_env",
       .value = name});
  return std::string{key == nullptr ? "" : key};
}

} // namespace

void add_key_options(const command_line& command, inbox_arguments& arguments) {
  const auto file = command.add("--key-file", arguments.key_file);
  command.add("--key-env", arguments.key_env).excludes(file);
  command.add("--ca", arguments.ca);
  command.add("--key-in-clear", arguments.key_in_clear);
}

void add_server_options(const command_line& command,
                        inbox_arguments& arguments) {
  command.add("--server", arguments.server);
  add_key_options(command, arguments);
  command.add("--participant", arguments.participant);
}

protocol::result<client_options>
client_options_of(const inbox_arguments& arguments) {
  auto key = key_of(arguments);
  if (!key)
    return protocol::fail(std::move(key).error());
  if (!arguments.ca.empty())
    if (auto readable = host::read_file(arguments.ca); !readable)
      return protocol::fail(std::move(readable).error());
  return client_options{.server = arguments.server,
                        .key = *std::move(key),
                        .ca_file = arguments.ca,
                        .key_in_clear = arguments.key_in_clear};
}

protocol::result<client> open_client(const inbox_arguments& arguments) {
  return client_options_of(arguments).and_then(
    [](client_options how) { return client::open(std::move(how)); });
}

inbox_wish wish_of(const inbox_arguments& arguments) {
  inbox_wish made;
  const bool names_run = !arguments.run.empty() || !arguments.kind.empty();
  const bool names_session = !arguments.participant.empty()
                             || !arguments.session.empty();
  if (!names_run)
    made.of_sessions = question_wish{.participant = arguments.participant,
                                     .session_id = arguments.session};
  if (!names_session)
    made.of_runs = interrupt_wish{.kind = arguments.kind,
                                  .run_id = arguments.run};
  return made;
}

protocol::result<inbox_found> look_into(const client& server,
                                        const inbox_wish& wish,
                                        const std::stop_token& stop) {
  const auto explained = [](protocol::error why) {
    if (why.rule == "forbidden")
      why.message
        = "the key may not answer: the inbox needs one with the scope "
          "answer (convene keys new --scope answer), and this one "
          "has not ("
          + why.message + ")";
    return protocol::fail(std::move(why));
  };
  inbox_found made;
  if (wish.of_sessions) {
    auto found = server.questions(*wish.of_sessions, stop);
    if (!found)
      return explained(std::move(found).error());
    made.of_sessions = *std::move(found);
  }
  if (wish.of_runs) {
    auto found = server.interrupts(*wish.of_runs, stop);
    if (found)
      made.of_runs = *std::move(found);
    else if (!wish.of_sessions
             || (found.error().rule != "forbidden"
                 && found.error().rule != "not_found"))
      return explained(std::move(found).error());
  }
  return made;
}

} // namespace convene::cli
