#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;

namespace fs = std::filesystem;

tl::unexpected<protocol::error> refused(std::string_view text,
                                        const std::string& why) {
  return fail(errc::usage, "--allow " + protocol::shorten(text) + ": " + why,
              "allow");
}

/// Calls `take` with each item of a list with commas, which has no empty one.
template <class Take>
result<void> each_of(std::string_view whole, std::string_view list, Take take) {
  for (;;) {
    const auto comma = std::min(list.find(','), list.size());
    if (comma == 0)
      return refused(whole, "a name is missing");
    if (auto taken = take(list.substr(0, comma)); !taken)
      return taken;
    if (comma == list.size())
      return {};
    list.remove_prefix(comma + 1);
  }
}

/// Links resolved as far as the path exists. Made absolute first: of a relative
/// path, of which nothing exists, nothing is resolved.
fs::path resolved(const fs::path& path) {
  std::error_code failed;
  auto made = fs::weakly_canonical(fs::absolute(path, failed), failed);
  return failed ? fs::path{} : made;
}

result<fs::path> folder_in(std::string_view whole, std::string_view name) {
  std::error_code failed;
  auto made = fs::canonical(fs::path{name}, failed);
  if (failed || !fs::is_directory(made, failed))
    return refused(whole, "there is no such folder");
  return made;
}

bool is_in_any(const fs::path& file, const std::vector<fs::path>& folders) {
  return std::ranges::any_of(folders, [&](const fs::path& folder) {
    return is_below(file, folder);
  });
}

using needs_by_whom = std::map<std::string, std::set<std::string>>;

constexpr std::size_t named_max = 10;

std::string in_words(const std::set<std::string>& flags,
                     const needs_by_whom& by_whom) {
  std::string message = "this session reaches outside; to allow that, add";
  for (const auto& flag : flags)
    message += ' ' + flag;
  std::size_t named = 0;
  for (const auto& [who, what] : by_whom) {
    if (++named > named_max)
      return message + "; and so on";
    message += "; " + protocol::shorten(who) + " needs";
    constexpr std::string_view allow = "--allow ";
    for (const auto& flag : what)
      message.append(&flag == &*what.begin() ? " " : ", ")
        .append(flag, flag.starts_with(allow) ? allow.size() : 0);
  }
  return message;
}

std::string in_words_of_people(const needs_by_whom& by_whom) {
  std::string all;
  std::size_t named = 0;
  for (const auto& [who, what] : by_whom)
    if (++named <= named_max)
      all += (named == 1 ? "" : ", ") + protocol::shorten(who);
  if (named > named_max)
    all += " and others";
  return all
         + (named == 1 ? " is a person: add --interactive to have them answer"
                         " here"
                       : " are people: add --interactive to have them answer"
                         " here");
}

} // namespace

result<void> permissions::allow(std::string_view text) {
  const auto equals = text.find('=');
  const auto what = text.substr(0, equals);
  const bool all = equals == text.npos;
  const auto names = all ? std::string_view{} : text.substr(equals + 1);
  if (what == "run" && all) {
    any_program_ = true;
    return {};
  }
  if (what == "net" && all) {
    any_host_ = true;
    return {};
  }
  if (what == "run")
    return each_of(text, names, [&](std::string_view name) -> result<void> {
      auto program = find_program(std::string{name});
      if (program.empty())
        return refused(text, why_no_program(std::string{name}));
      programs_.insert(std::move(program));
      return {};
    });
  if (what == "net")
    return each_of(text, names, [&](std::string_view name) -> result<void> {
      auto where = read_endpoint(name);
      if (!where)
        return refused(text, where.error().message);
      hosts_.insert(*std::move(where));
      return {};
    });
  if (what == "program-net" && !all)
    return each_of(text, names, [&](std::string_view name) -> result<void> {
      auto where = read_endpoint(name);
      if (!where)
        return refused(text, where.error().message);
      if (is_this_machine(where->host))
        return refused(text, "sandboxed programs never reach this machine's "
                             "loopback");
      program_hosts_.insert(*std::move(where));
      return {};
    });
  if (what == "env" && !all)
    return each_of("env", names, [&](std::string_view name) -> result<void> {
      // It may be the value.
      const auto at = std::min(name.find('@'), name.size());
      const auto variable = name.substr(0, at);
      if (!is_variable_name(variable))
        return refused("env", "write env=NAME or env=NAME@HOST:PORT, the name "
                              "of an environment variable and not its value");
      if (at == name.size()) {
        variables_.emplace(variable);
        return {};
      }
      auto where = read_endpoint(name.substr(at + 1));
      if (!where)
        return refused("env=" + std::string{variable} + '@',
                       where.error().message);
      bound_[std::string{variable}].insert(*std::move(where));
      return {};
    });
  if ((what == "read" || what == "write") && !all) {
    auto folder = folder_in(text, names);
    if (!folder)
      return fail(std::move(folder).error());
    if (what == "write")
      writable_.push_back(*folder);
    readable_.push_back(*std::move(folder));
    return {};
  }
  constexpr std::array<std::string_view, 6> known{"run", "net",  "program-net",
                                                  "env", "read", "write"};
  return refused(text, "write run[=PROGRAM,...], net[=HOST[:PORT],...], "
                       "program-net=HOST[:PORT],..., "
                       "env=NAME[@HOST[:PORT]],..., read=DIR or write=DIR"
                         + protocol::suggest(what, known));
}

result<void> permissions::allow_all(const std::vector<std::string>& texts) {
  for (const auto& each : texts)
    if (auto done = allow(each); !done)
      return done;
  const auto hosts = distinct_hosts();
  const bool programs = any_program_ || !programs_.empty();
  if (variables_.empty() || programs || (!any_host_ && hosts.size() <= 1))
    return {};
  const auto form = "--allow env=" + *variables_.begin() + '@';
  auto forms = hosts.empty() ? form + "HOST:PORT" : form + to_string(hosts[0]);
  for (std::size_t i = 1; i < std::min(hosts.size(), named_max); ++i)
    forms += " or " + form + to_string(hosts[i]);
  return refused("env=" + *variables_.begin(),
                 "several hosts may be reached, and a scenario could send the "
                 "value to any of them; bind it to the host that it is for: "
                   + forms);
}

std::vector<endpoint> permissions::distinct_hosts() const {
  std::vector<endpoint> made;
  for (const auto& each : hosts_)
    if (each.port == 0 || !hosts_.contains({each.host, 0}))
      made.push_back(each);
  return made;
}

bool permissions::may_run(const fs::path& program) const {
  return !program.empty() && (any_program_ || programs_.contains(program));
}

bool permissions::may_reach(const endpoint& where) const {
  return any_host_ || is_named(where);
}

bool permissions::is_named(const endpoint& where) const {
  return hosts_.contains(where) || hosts_.contains({where.host, 0});
}

bool permissions::may_programs_reach(const endpoint& where) const {
  return program_hosts_.contains(where)
         || program_hosts_.contains({where.host, 0});
}

bool permissions::may_read_variable(std::string_view name) const {
  return variables_.contains(name);
}

bool permissions::may_send(std::string_view name, const endpoint& where) const {
  if (const auto found = bound_.find(name); found != bound_.end())
    if (found->second.contains(where)
        || found->second.contains({where.host, 0}))
      return true;
  return variables_.contains(name) && !any_host_ && is_named(where)
         && distinct_hosts().size() == 1;
}

bool permissions::may_read(const fs::path& file) const {
  return is_in_any(file, readable_);
}

bool permissions::may_write(const fs::path& file) const {
  return is_in_any(file, writable_);
}

bool permissions::is_met(const need& what) const {
  switch (what.what) {
    case need::kind::run:
      return may_run(what.program);
    case need::kind::net:
      return is_this_machine(what.where.host) ? is_named(what.where)
                                              : may_reach(what.where);
    case need::kind::env:
      return what.where.host.empty() ? may_read_variable(what.name)
                                     : may_send(what.name, what.where);
    case need::kind::people:
      break;
  }
  return false;
}

result<void> permissions::check(const std::vector<need>& needs) const {
  std::set<std::string> flags;
  needs_by_whom by_whom;
  bool only_people = true;
  for (const auto& each : needs) {
    if (each.what == need::kind::run && each.program.empty())
      return fail({.code = errc::activation_refused,
                   .message = why_no_program(each.name),
                   .pointer = each.pointer,
                   .rule = "program_missing",
                   .value = protocol::shorten(each.name)});
    if (is_met(each))
      continue;
    only_people = only_people && each.what == need::kind::people;
    flags.insert(flag_for(each));
    if (!each.by.empty())
      by_whom[each.by].insert(flag_for(each));
  }
  if (flags.empty())
    return {};
  return fail({.code = errc::activation_refused,
               .message = only_people && !by_whom.empty()
                            ? in_words_of_people(by_whom)
                            : in_words(flags, by_whom),
               .rule = "permission_needed"});
}

bool is_below(const fs::path& file, const fs::path& folder) {
  const auto inner = resolved(file);
  const auto outer = resolved(folder);
  if (inner.empty() || outer.empty())
    return false;
  const auto [in, out] = std::ranges::mismatch(inner, outer);
  return out == outer.end();
}

} // namespace convene::host
