#include <convene/cli/common/inbox_arguments.hpp>
#include <convene/runtime/files/files.hpp>

#include <cstdlib>

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

void add_server_options(CLI::App& command, inbox_arguments& arguments) {
  command
    .add_option("--server", arguments.server,
                "Where convene serve listens; default http://127.0.0.1:8080")
    ->option_text("URL");
  auto* file = command
                 .add_option("--key-file", arguments.key_file,
                             "A file that holds an API key of the server. "
                             "Without it, the environment variable CONVENE_KEY "
                             "may hold one")
                 ->option_text("FILE");
  command
    .add_option("--key-env", arguments.key_env,
                "Another environment variable that holds the key")
    ->option_text("NAME")
    ->excludes(file);
  command
    .add_option("--ca", arguments.ca,
                "Certificates to trust, in PEM, instead of the system's")
    ->option_text("FILE");
  command.add_flag("--key-in-clear", arguments.key_in_clear,
                   "Send the key to another machine without TLS");
  command
    .add_option("--participant", arguments.participant,
                "Only what this participant is asked")
    ->option_text("ID");
}

protocol::result<client> open_client(const inbox_arguments& arguments) {
  auto key = key_of(arguments);
  if (!key)
    return protocol::fail(std::move(key).error());
  if (!arguments.ca.empty())
    if (auto readable = host::read_file(arguments.ca); !readable)
      return protocol::fail(std::move(readable).error());
  return client::open({.server = arguments.server,
                       .key = *std::move(key),
                       .ca_file = arguments.ca,
                       .key_in_clear = arguments.key_in_clear});
}

question_wish wish_of(const inbox_arguments& arguments) {
  return {.participant = arguments.participant,
          .session_id = arguments.session};
}

} // namespace convene::cli
