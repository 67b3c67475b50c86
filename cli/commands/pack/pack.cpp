#include <convene/cli/commands/validate/verdicts.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/evidence_pack.hpp>
#include <fmt/format.h>

#include <memory>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct pack_arguments {
  std::filesystem::path folder;
  std::filesystem::path out;
  bool verify = false;
};

json::object to_json(const host::pack_verdict& what,
                     const std::filesystem::path& pack) {
  json::array faults;
  for (const auto& each : what.faults)
    faults.push_back({{"file", sanitize_utf8(each.file)},
                      {"pointer", each.pointer},
                      {"rule", each.rule},
                      {"message", sanitize_utf8(each.message)}});
  return {{"pack", sanitize_utf8(pack.string())},
          {"artifacts", what.artifacts},
          {"events", what.events},
          {"verdict_hash", what.hashes.verdict},
          {"pack_root_hash", what.hashes.root},
          {"faults", std::move(faults)}};
}

void print_text(const pack_arguments& arguments, const host::pack_verdict& what,
                bool quiet) {
  for (const auto& each : what.faults)
    print(neutral(fmt::format("{}:{}{} {} [{}]", each.file,
                              each.pointer.empty() ? "" : " ", each.pointer,
                              each.message, each.rule))
          + '\n');
  if (quiet)
    return;
  if (!what.faults.empty())
    print(arguments.verify ? "The pack is not as it was made\n"
                           : "Nothing is packed\n");
  else
    print(fmt::format("{} and {}\nverdict hash {}\npack root hash {}\n",
                      plural(what.artifacts, "artifact"),
                      plural(what.events, "event"), what.hashes.verdict,
                      what.hashes.root));
}

int pack(const pack_arguments& arguments, const common_options& common) {
  if (arguments.verify == !arguments.out.empty())
    return report({.code = errc::usage,
                   .message = "name the new pack with --out, or a pack and "
                              "--verify"},
                  common.json);
  const auto rules = choose_rules({});
  if (!rules)
    return report(rules.error(), common.json);
  const auto done = arguments.verify
                      ? host::verify_pack(arguments.folder, *rules)
                      : host::write_pack(arguments.folder, arguments.out,
                                         *rules);
  if (!done)
    return report(done.error(), common.json);
  if (common.json)
    print_json(
      to_json(*done, arguments.verify ? arguments.folder : arguments.out));
  else
    print_text(arguments, *done, common.quiet);
  return done->faults.empty() ? exit_good : exit_no;
}

} // namespace

void add_pack(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "pack", "Packs what a run left as evidence, or verifies such a pack");
  auto arguments = std::make_shared<pack_arguments>();
  command
    .add_option("DIR", arguments->folder,
                "The folder of a session, or of a single agent's run; with "
                "--verify, a pack")
    ->required();
  command.add_option("--out", arguments->out, "A new folder for the pack")
    ->option_text("DIR");
  command.add_flag("--verify", arguments->verify,
                   "Whether the pack is as it was made, and valid");
  add_common(command, common);
  command.footer("Example: convene pack convene-out/review --out evidence\n"
                 "A pack has the documents, the events, a manifest and "
                 "checksums that sha256sum -c reads. Keep the pack root hash "
                 "elsewhere: it stands for all of it.\n"
                 "Exit codes: 0 packed or verified, 1 a fault was found.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return pack(*arguments, common); };
  });
}

} // namespace convene::cli
