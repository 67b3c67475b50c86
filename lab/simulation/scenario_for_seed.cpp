#include <convene/lab/simulation/scenario_for_seed.hpp>
#include <convene/runtime/data/scenario/extension_approval.hpp>

#include <string_view>
#include <utility>

namespace convene::host {

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

  load_options options{.ids = ids_};

  protocol::result<void> allow_all_files() {
    return host::allow_all_files(allowed_);
  }

  protocol::result<seeded_scenario>
  finish(protocol::result<session::spec> loaded) {
    if (!loaded)
      return protocol::fail(without_flag(std::move(loaded).error()));
    made_.spec = *std::move(loaded);
    approve_extensions(made_.spec, ids_, options.now);
    return std::move(made_);
  }

private:
  permissions allowed_;
  protocol::uuid_source ids_;
  seeded_scenario made_;
};

} // namespace

protocol::result<seeded_scenario>
scenario_for_seed(const scenario_input& from, std::uint64_t seed,
                  std::vector<source_note>* notes) {
  seed_reading how{seed, from.strict};
  how.options.overrides = from.overrides;
  how.options.notes = notes;
  return how.finish(from.given ? load_scenario(*from.given, how.options)
                               : load_scenario(from.path, how.options));
}

protocol::result<reusable_scenario> read_once(const scenario_input& from) {
  seed_reading how{0, from.strict};
  how.options.overrides = from.overrides;
  return from.given ? reusable_scenario::from(*from.given, how.options)
                    : reusable_scenario::from(from.path, how.options);
}

protocol::result<seeded_scenario>
scenario_for_seed(const reusable_scenario& from, std::uint64_t seed,
                  bool strict) {
  seed_reading how{seed, strict};
  return how.finish(from.load(how.options));
}

protocol::result<seeded_scenario>
scenario_for_seed(const boost::json::object& resolved, std::uint64_t seed,
                  bool strict) {
  seed_reading how{seed, strict};
  return how.allow_all_files().and_then(
    [&] { return how.finish(load_scenario(resolved, how.options)); });
}

} // namespace convene::host
