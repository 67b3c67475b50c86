#include <convene/cli/commands/run/approval.hpp>
#include <convene/cli/commands/run/scenario_for_seed.hpp>

#include <string_view>
#include <utility>

namespace convene::cli {

namespace {

/// Of an error that names a flag of `convene run`: what runs under seeds takes
/// none of these.
protocol::error without_flag(protocol::error why) {
  constexpr std::string_view hint = "; to allow that, add --allow ";
  if (const auto at = why.message.find(hint); at != why.message.npos)
    why.message.replace(at, why.message.npos,
                        ": copy it into that folder (only convene run and "
                        "resume take --allow)");
  return why;
}

/// How a seed's scenario is read, wherever it comes from.
class seed_reading {
public:
  seed_reading(std::uint64_t seed, bool strict) : ids_(ids_for_seed(seed)) {
    options.now = runtime_options{}.virtual_start;
    options.seed = seed;
    options.strict = strict;
    options.allow = &allowed_;
    options.aliases = &made_.aliases;
  }

  host::load_options options{.ids = ids_};

  protocol::result<void> allow_all_files() {
    return cli::allow_all_files(allowed_);
  }

  protocol::result<host::seeded_scenario>
  finish(protocol::result<session::spec> loaded) {
    if (!loaded)
      return protocol::fail(without_flag(std::move(loaded).error()));
    made_.spec = *std::move(loaded);
    approve_extensions(made_.spec, ids_, options.now);
    return std::move(made_);
  }

private:
  host::permissions allowed_;
  protocol::uuid_source ids_;
  host::seeded_scenario made_;
};

} // namespace

protocol::result<host::seeded_scenario>
scenario_for_seed(const scenario_file& from, std::uint64_t seed,
                  std::vector<host::source_note>* notes) {
  seed_reading how{seed, from.strict};
  how.options.overrides = from.overrides;
  how.options.notes = notes;
  return how.finish(host::load_scenario(from.path, how.options));
}

protocol::result<host::reusable_scenario> read_once(const scenario_file& from) {
  seed_reading how{0, from.strict};
  how.options.overrides = from.overrides;
  return host::reusable_scenario::from(from.path, how.options);
}

protocol::result<host::seeded_scenario>
scenario_for_seed(const host::reusable_scenario& from, std::uint64_t seed,
                  bool strict) {
  seed_reading how{seed, strict};
  return how.finish(from.load(how.options));
}

protocol::result<host::seeded_scenario>
scenario_for_seed(const boost::json::object& resolved, std::uint64_t seed,
                  bool strict) {
  seed_reading how{seed, strict};
  return how.allow_all_files().and_then(
    [&] { return how.finish(host::load_scenario(resolved, how.options)); });
}

} // namespace convene::cli
