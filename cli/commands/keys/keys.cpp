#include <convene/cli/common/now.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/server/keys/key_file.hpp>
#include <convene/server/keys/scopes.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct keys_arguments {
  std::string file;
  std::vector<std::string> scopes;
  std::string session;
  std::string participant;
  std::vector<std::string> groups;
  std::string id;
};

json::array words_in(const server::scope_set& scopes) {
  json::array out;
  for (const auto& one : scopes)
    out.emplace_back(one);
  return out;
}

std::string list_of(const server::scope_set& scopes) {
  return fmt::format("{}", fmt::join(scopes, ", "));
}

/// Takes back a key that nobody has seen: who has none is not to find one that
/// opens something.
int forget_key(const keys_arguments& asked, const std::string& id) {
  const auto gone = server::remove_key(asked.file, id);
  print_note(gone ? "the key could not be written to standard output; it was "
                    "taken back"
                  : fmt::format("the key could not be written to standard "
                                "output, nor taken back: convene keys revoke "
                                "--file {} {} ({})",
                                asked.file, id, line_of(gone.error())));
  return exit_fault;
}

result<int> make_key(const keys_arguments& asked,
                     const common_options& common) {
  const auto scopes = server::read_scopes(asked.scopes);
  if (!scopes)
    return fail(scopes.error());
  if (asked.session.empty() != asked.participant.empty())
    return fail({.code = errc::usage,
                 .message = "a key for one person names both --session and "
                            "--participant"});
  if (std::ranges::count(asked.groups, "") > 0)
    return fail({.code = errc::usage, .message = "a group has a name"});
  const auto made = server::add_key(
    asked.file, {.scopes = *scopes,
                 .session_id = asked.session,
                 .participant_id = asked.participant,
                 .groups = {asked.groups.begin(), asked.groups.end()},
                 .created_at = format_timestamp(now_ms())});
  if (!made)
    return fail(made.error());
  if (common.json)
    print_json(json::object{{"id", made->stored.id},
                            {"key", made->text},
                            {"scopes", words_in(made->stored.scopes)}});
  else
    print(made->text + '\n');
  if (!output_written())
    return forget_key(asked, made->stored.id);
  if (!common.json && !common.quiet)
    print_note(fmt::format("{} may: {}. This is the only time that the key is "
                           "shown; {} has its hash. A server that runs with "
                           "the file takes the key within seconds",
                           made->stored.id, list_of(made->stored.scopes),
                           asked.file));
  return exit_good;
}

result<int> list_keys(const keys_arguments& asked,
                      const common_options& common) {
  const auto keys = server::read_keys(asked.file);
  if (!keys)
    return fail(keys.error());
  json::array all;
  for (const auto& one : *keys) {
    json::object key{{"id", one.id},
                     {"scopes", words_in(one.scopes)},
                     {"created_at", one.created_at}};
    auto line = fmt::format("{}  {}  {}", one.id, one.created_at,
                            list_of(one.scopes));
    if (!one.session_id.empty()) {
      key["session_id"] = one.session_id;
      key["participant_id"] = one.participant_id;
      line += fmt::format("  as {} in {}", one.participant_id, one.session_id);
    }
    if (!one.groups.empty()) {
      key["groups"] = json::array(one.groups.begin(), one.groups.end());
      line += fmt::format("  groups {}", fmt::join(one.groups, ", "));
    }
    all.push_back(std::move(key));
    if (!common.json)
      print_line(line);
  }
  if (common.json)
    print_json(json::object{{"keys", std::move(all)}});
  return exit_good;
}

result<int> revoke_key(const keys_arguments& asked,
                       const common_options& common) {
  if (auto gone = server::remove_key(asked.file, asked.id); !gone)
    return fail(gone.error());
  if (common.json)
    print_json(json::object{{"id", asked.id}, {"revoked", true}});
  else if (!common.quiet)
    print_note(fmt::format("{} is revoked; a server that runs with the file "
                           "refuses it within seconds",
                           asked.id));
  return exit_good;
}

void add_file(const command_line& command, keys_arguments& arguments) {
  command.add("--file", arguments.file).required();
}

} // namespace

void add_keys(const command_line& program) {
  const auto command = program.add_group("keys");
  command.require_command();
  command.add<keys_arguments>(
    "new", make_key, [](const command_line& makes, keys_arguments& arguments) {
      add_file(makes, arguments);
      makes.add("--scope", arguments.scopes).required().with_commas();
      makes.add("--session", arguments.session);
      makes.add("--participant", arguments.participant);
      makes.add("--group", arguments.groups).with_commas();
    });
  command.add<keys_arguments>("list", list_keys, add_file);
  command.add<keys_arguments>("revoke", revoke_key,
                              [](const command_line& revokes,
                                 keys_arguments& arguments) {
                                add_file(revokes, arguments);
                                revokes.add("ID", arguments.id).required();
                              });
}

} // namespace convene::cli
