#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/audit/validation.hpp>
#include <convene/runtime/data/documents/evidence_pack.hpp>
#include <fmt/format.h>

#include <stop_token>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct pack_arguments {
  std::filesystem::path folder;
  std::filesystem::path out;
  bool verify = false;
};

void add_options(const command_line& command, pack_arguments& arguments) {
  command.add("DIR", arguments.folder).required();
  command.add("--out", arguments.out);
  command.add("--verify", arguments.verify);
}

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
    print_line(fmt::format("{}:{}{} {} [{}]", each.file,
                           each.pointer.empty() ? "" : " ", each.pointer,
                           each.message, each.rule));
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

result<int> pack(const pack_arguments& arguments,
                 const common_options& common) {
  if (arguments.verify == !arguments.out.empty())
    return fail({.code = errc::usage,
                 .message = "name the new pack with --out, or a pack and "
                            "--verify"});
  const auto rules = host::choose_rules({});
  if (!rules)
    return fail(rules.error());
  std::stop_source stop;
  const signal_watch signals{[&stop] { stop.request_stop(); }};
  const auto done = arguments.verify
                      ? host::verify_pack(arguments.folder, *rules)
                      : host::write_pack(arguments.folder, arguments.out,
                                         *rules, stop.get_token());
  if (!done && signals.caught() != 0)
    return signals.exit_code(exit_fault);
  if (!done)
    return fail(done.error());
  if (common.json)
    print_json(
      to_json(*done, arguments.verify ? arguments.folder : arguments.out));
  else
    print_text(arguments, *done, common.quiet);
  return done->faults.empty() ? exit_good : exit_no;
}

} // namespace

void add_pack(const command_line& program) {
  program.add<pack_arguments>("pack", pack, add_options);
}

} // namespace convene::cli
