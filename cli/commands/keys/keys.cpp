#include <convene/cli/common/now.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/server/keys/key_file.hpp>
#include <convene/server/keys/scopes.hpp>
#include <fmt/format.h>

#include <memory>
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
                                asked.file, id, to_string(gone.error())));
  return exit_fault;
}

int make_key(const keys_arguments& asked, const common_options& common) {
  const auto scopes = server::read_scopes(asked.scopes);
  if (!scopes)
    return report(scopes.error(), common.json);
  if (asked.session.empty() != asked.participant.empty())
    return report({.code = errc::usage,
                   .message = "a key for one person names both --session and "
                              "--participant"},
                  common.json);
  const auto made = server::add_key(asked.file,
                                    {.scopes = *scopes,
                                     .session_id = asked.session,
                                     .participant_id = asked.participant,
                                     .created_at = format_timestamp(now_ms())});
  if (!made)
    return report(made.error(), common.json);
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

int list_keys(const keys_arguments& asked, const common_options& common) {
  const auto keys = server::read_keys(asked.file);
  if (!keys)
    return report(keys.error(), common.json);
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
    all.push_back(std::move(key));
    if (!common.json)
      print(neutral(line) + '\n');
  }
  if (common.json)
    print_json(json::object{{"keys", std::move(all)}});
  return exit_good;
}

int revoke_key(const keys_arguments& asked, const common_options& common) {
  if (auto gone = server::remove_key(asked.file, asked.id); !gone)
    return report(gone.error(), common.json);
  if (common.json)
    print_json(json::object{{"id", asked.id}, {"revoked", true}});
  else if (!common.quiet)
    print_note(fmt::format("{} is revoked; a server that runs with the file "
                           "refuses it within seconds",
                           asked.id));
  return exit_good;
}

} // namespace

void add_keys(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand("keys", "API keys of convene serve");
  command.require_subcommand(1);
  auto arguments = std::make_shared<keys_arguments>();
  const auto add = [&](const char* name, const char* about, auto run) {
    auto& made = *command.add_subcommand(name, about);
    made.add_option("--file", arguments->file, "The file of the keys' hashes")
      ->required()
      ->option_text("FILE");
    add_common(made, common);
    made.callback([arguments, &common, &chosen, run] {
      chosen = [arguments, &common, run] { return run(*arguments, common); };
    });
    return &made;
  };
  auto& make = *add("new", "Makes a key and prints it, once", make_key);
  make
    .add_option("--scope", arguments->scopes,
                "What it allows: read, run, answer, admin, or single scopes "
                "like runs:read")
    ->required()
    ->delimiter(',')
    ->option_text("SCOPE,...");
  make
    .add_option("--session", arguments->session,
                "For one person: it answers in this session only")
    ->option_text("ID");
  make
    .add_option("--participant", arguments->participant,
                "For one person: as this participant")
    ->option_text("ID");
  make.footer("Example: convene keys new --file keys.json --scope "
              "read,run,answer");
  add("list", "The keys of a file, without what is secret", list_keys)
    ->footer("Example: convene keys list --file keys.json");
  auto& revoke = *add("revoke", "Takes a key out of a file", revoke_key);
  revoke.add_option("ID", arguments->id, "The key's id, as list shows it")
    ->required()
    ->option_text(" ");
  revoke.footer("Example: convene keys revoke --file keys.json key-1a2b3c4d");
  command.footer("Example: convene keys new --file keys.json --scope "
                 "read,run,answer");
}

} // namespace convene::cli
