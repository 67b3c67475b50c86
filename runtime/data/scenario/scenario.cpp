#include <convene/protocol/documents/protocol_version.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/strict/accept.hpp>
#include <convene/runtime/data/scenario/check_scenario.hpp>
#include <convene/runtime/data/scenario/commands.hpp>
#include <convene/runtime/data/scenario/extensions.hpp>
#include <convene/runtime/data/scenario/fill.hpp>
#include <convene/runtime/data/scenario/guards.hpp>
#include <convene/runtime/data/scenario/includes.hpp>
#include <convene/runtime/data/scenario/named_files.hpp>
#include <convene/runtime/data/scenario/overrides.hpp>
#include <convene/runtime/data/scenario/reusable_scenario.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/data/scenario/seeded_ids.hpp>
#include <convene/runtime/data/scenario/variables.hpp>
#include <convene/session/single_agent/arrangement.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace convene::host {

/// A scenario with its documents, before anything is filled in.
struct reusable_scenario::parts {
  /// An override that has been carried out, and the value that is its doing.
  struct applied {
    std::string text;
    std::string pointer;
  };

  scenario_sources sources;
  std::vector<applied> overrides;
};

namespace {

using namespace convene::protocol;
using whole_scenario = reusable_scenario::parts;
using applied = whole_scenario::applied;

/// Carries out the overrides of what other members are made of, if `first`, or
/// else of the others.
result<std::vector<applied>>
override_members(scenario_sources& sources,
                 const std::vector<std::string>& overrides, bool first) {
  std::vector<applied> done;
  for (const auto& text : overrides) {
    const auto parsed = parse_override(text);
    if (!parsed)
      return fail(parsed.error());
    const auto& member = parsed->path.front();
    if ((member == "variables" || member == "include") != first
        || (parsed->only_if_there && !is_there(*parsed, sources.scenario)))
      continue;
    // A path may lead into a document that is only named so far.
    if (parsed->path.size() > 1)
      if (auto embedded = embed_documents(sources); !embedded)
        return fail(std::move(embedded).error());
    auto pointer = apply(*parsed, sources.scenario);
    if (!pointer)
      return fail(std::move(pointer).error());
    done.push_back({text, std::move(*pointer)});
  }
  return done;
}

/// Adds to `session.assign`. What is not an object there stays for the decoder
/// to refuse.
void assign_roles(json::object& scenario,
                  const std::map<std::string, std::string>& assign) {
  if (assign.empty())
    return;
  json::object* at = &scenario;
  for (const auto* name : {"session", "assign"}) {
    auto& member = (*at)[name];
    if (member.is_null())
      member.emplace_object();
    at = member.if_object();
    if (at == nullptr)
      return;
  }
  for (const auto& [role, participant] : assign)
    (*at)[role] = participant;
}

/// An override for a message: the value of a member that is not allowed may be
/// a secret.
std::string shown(const std::string& text, const error& why) {
  return why.rule == "additionalProperties" ? text.substr(0, text.find('='))
                                            : text;
}

/// An error in a value that came from the command line is the command line's.
error blamed(error what, const std::vector<applied>& overrides,
             const scenario_sources& sources) {
  for (const auto& [text, pointer] : overrides)
    if (what.file.empty()
        && (what.pointer == pointer || what.pointer.starts_with(pointer + '/')))
      return {.code = errc::usage,
              .message = "--set " + shown(text, what) + ": " + what.message,
              .pointer = what.pointer,
              .rule = what.rule,
              .value = what.value};
  return located(std::move(what), sources);
}

/// Documents in the form of the protocol's first descriptions.
result<void> accept(scenario_sources& sources, const load_options& options) {
  if (options.strict)
    return {};
  reading_notes found;
  auto aliases = accept_scenario(sources.scenario, found);
  if (!aliases)
    return fail(std::move(aliases).error());
  if (options.aliases != nullptr)
    *options.aliases = std::move(*aliases);
  if (options.notes == nullptr)
    return {};
  for (auto& one : found.first) {
    auto place = located({.pointer = std::move(one.pointer)}, sources);
    options.notes->push_back({std::move(place.file), std::move(place.pointer),
                              std::move(one.message), place.line,
                              place.column});
  }
  return {};
}

result<void> check_assigned(const session::spec& spec,
                            const std::map<std::string, std::string>& assign) {
  for (const auto& [role, participant] : assign)
    if (std::ranges::find(spec.collab.participants, participant,
                          &protocol::participant::participant_id)
        == spec.collab.participants.end())
      return fail(errc::usage,
                  "--roles " + role + '=' + participant
                    + ": no participant has this id",
                  "roles");
  return {};
}

/// Adds what other files have, and the values of variables.
result<void> complete(scenario_sources& sources,
                      const std::vector<applied>& overrides) {
  auto done = include_files(sources).and_then(
    [&] { return replace_variables(sources.scenario); });
  return done ? done
              : fail(blamed(std::move(done).error(), overrides, sources));
}

/// The ids of a scenario as it was written: before its defaults are filled in
/// and before what depends on its folder.
uuid_source ids_of(const json::object& scenario, const load_options& options) {
  auto written = scenario;
  written.erase("$schema"); // for editors
  return seeded_ids(*options.seed, {{"scenario", std::move(written)},
                                    {"single_agent", options.single_agent},
                                    {"besides", options.besides}});
}

result<whole_scenario> read_whole(scenario_sources&& sources,
                                  const load_options& options) {
  sources.allow = options.allow;
  auto overrides = override_members(sources, options.overrides, true)
                     .and_then([&](std::vector<applied> first) {
                       return complete(sources, first).and_then([&] {
                         return override_members(sources, options.overrides,
                                                 false);
                       });
                     });
  if (!overrides) // one that cannot be carried out has no place in a file
    return fail(overrides.error().code == errc::usage
                  ? overrides.error()
                  : located(overrides.error(), sources));
  assign_roles(sources.scenario, options.assign);
  if (auto whole = embed_documents(sources); !whole)
    return fail(blamed(options.single_agent
                         ? session::as_written(std::move(whole).error())
                         : std::move(whole).error(),
                       *overrides, sources));
  return whole_scenario{std::move(sources), *std::move(overrides)};
}

result<whole_scenario> read_whole(const std::filesystem::path& path,
                                  const load_options& options) {
  return read_sources(path, options.single_agent, options.notes)
    .and_then([&](scenario_sources&& sources) {
      return read_whole(std::move(sources), options);
    });
}

result<whole_scenario> read_whole(json::object scenario,
                                  const load_options& options) {
  scenario.erase("$schema"); // for editors
  if (auto whole = check_names_no_file(scenario); !whole)
    return fail(std::move(whole).error());
  return read_whole(scenario_sources{.scenario = std::move(scenario),
                                     .has_folder = false},
                    options);
}

result<session::spec> load(whole_scenario&& whole,
                           const load_options& options) {
  auto& sources = whole.sources;
  sources.allow = options.allow;
  if (options.seed)
    sources.scenario["seed"] = *options.seed;
  // As people wrote it; what the decoder has to say is said better.
  result<void> valid;
  if (options.seed)
    options.ids = ids_of(sources.scenario, options);
  place_commands(sources.scenario, sources.folder);
  auto spec
    = use_extensions(sources.scenario)
        .and_then([&] { return place_recordings(sources); })
        .and_then([&] {
          return options.single_agent ? session::arrange(sources.scenario)
                                      : check_is_scenario(sources.scenario);
        })
        .and_then([&] { return accept(sources, options); })
        .and_then([&] { return check_scenario_versions(sources.scenario); })
        .and_then([&] {
          drop_null_roles(sources.scenario);
          if (options.validate)
            valid = validate_scenario(sources.scenario);
          add_guards(sources.scenario, options.single_agent);
          return fill(sources.scenario, options.ids, options.now);
        })
        .and_then([&] { return session::decode_spec(sources.scenario); });
  if (spec && !valid)
    spec = fail(std::move(valid).error());
  if (!spec)
    return fail(blamed(options.single_agent
                         ? session::as_written(std::move(spec).error())
                         : std::move(spec).error(),
                       whole.overrides, sources));
  if (auto known = check_assigned(*spec, options.assign); !known)
    return fail(std::move(known).error());
  return spec;
}

} // namespace

result<session::spec> load_scenario(const std::filesystem::path& path,
                                    const load_options& options) {
  return read_whole(path, options).and_then([&](whole_scenario&& whole) {
    return load(std::move(whole), options);
  });
}

result<session::spec> load_scenario(json::object scenario,
                                    const load_options& options) {
  return read_whole(std::move(scenario), options)
    .and_then(
      [&](whole_scenario&& whole) { return load(std::move(whole), options); });
}

result<reusable_scenario>
reusable_scenario::from(const std::filesystem::path& path,
                        const load_options& options) {
  return read_whole(path, options).map([](whole_scenario&& whole) {
    return reusable_scenario{std::make_shared<const parts>(std::move(whole))};
  });
}

result<reusable_scenario> reusable_scenario::from(json::object scenario,
                                                  const load_options& options) {
  return read_whole(std::move(scenario), options)
    .map([](whole_scenario&& whole) {
      return reusable_scenario{std::make_shared<const parts>(std::move(whole))};
    });
}

result<session::spec>
reusable_scenario::load(const load_options& options) const {
  return host::load(parts{*parts_}, options);
}

error reusable_scenario::located(error what) const {
  return blamed(std::move(what), parts_->overrides, parts_->sources);
}

} // namespace convene::host
