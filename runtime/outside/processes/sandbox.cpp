#include <convene/runtime/outside/processes/call_filter.hpp>
#include <convene/runtime/outside/processes/confined_user.hpp>
#include <convene/runtime/outside/processes/sandbox.hpp>
#include <convene/runtime/outside/processes/sandbox_view.hpp>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace convene::host {

namespace {

namespace fs = std::filesystem;

using protocol::errc;
using protocol::fail;
using protocol::result;

bool is_below_or_same(const fs::path& file, const fs::path& folder) {
  return std::ranges::mismatch(file, folder).in2 == folder.end();
}

/// The file or folder that an argument names, links resolved, if the program
/// may read it; else empty. Sockets and devices are never shown.
fs::path readable_argument(const std::string& argument, const sandbox& by) {
  if (!argument.starts_with('/'))
    return {};
  std::error_code failed;
  auto real = fs::canonical(argument, failed);
  if (failed
      || !(fs::is_regular_file(real, failed) || fs::is_directory(real, failed))
      || std::ranges::none_of(by.readable, [&](const fs::path& folder) {
           return is_below_or_same(real, folder);
         }))
    return {};
  return real;
}

/// What has to be shown of a program so that it finds its own files: if it is
/// in a folder that the confined user may not enter, such as root's home, all
/// that is beside it there in the same folder, like ~/.pyenv.
fs::path installation_of(const fs::path& program) {
  auto found = program;
  for (auto inner = program, outer = program.parent_path(); inner != outer;
       inner = outer, outer = outer.parent_path())
    if (!lets(confined_user(), outer, X_OK))
      found = inner;
  return found;
}

/// The file or folder itself that a path leads to; the path if to none.
fs::path without_links(const fs::path& path) {
  std::error_code failed;
  auto real = fs::canonical(path, failed);
  return failed ? path : real;
}

sandbox_view view_of(const program& what, const sandbox& by) {
  std::vector<std::pair<fs::path, fs::path>> shown{
    {without_links(what.path), what.path}};
  for (const auto& folder : by.readable)
    shown.emplace_back(folder, folder);
  for (std::size_t i = 1; i < what.arguments.size(); ++i)
    if (auto file = readable_argument(what.arguments[i], by); !file.empty())
      shown.emplace_back(std::move(file),
                         fs::path{what.arguments[i]}.lexically_normal());
  sandbox_view made;
  if (is_root()) {
    const auto installation = installation_of(what.path);
    shown.emplace_back(without_links(installation), installation);
    made.open_way_to(what.working_folder);
    for (const auto& [file, as] : shown)
      made.open_way_to(as);
  }
  // What is in its own folder need not be shown apart, where the program could
  // replace it before the next start.
  made.show_writable(what.working_folder);
  // Those above first: what they show need not be shown again.
  std::ranges::sort(shown, {}, [](const auto& each) { return each.second; });
  for (const auto& [file, as] : shown)
    made.show(file, as);
  return made;
}

tl::unexpected<protocol::error> refuse_rights(std::string why,
                                              const std::string& file) {
  return fail({.code = errc::activation_refused,
               .message = std::move(why),
               .file = file,
               .rule = "sandbox_rights"});
}

/// A folder that would bring the system's own files back, writable.
result<void> check_folder(const std::string& folder) {
  for (const fs::path system : {"/proc", "/sys", "/dev"})
    if (is_below_or_same(folder, system) || is_below_or_same(system, folder))
      return refuse_rights("sandboxed programs cannot work in this folder, "
                           "which is the system's; name another one",
                           folder);
  return {};
}

/// Notes what the sandbox is built from, to be checked at each start.
result<void> note_places(const sandbox_view& from,
                         std::vector<checked_place>& to) {
  for (const auto& source : from.sources()) {
    auto found = place_at(source.string());
    if (!found)
      return fail({.code = errc::activation_refused,
                   .message = "is not there, or a link leads to it",
                   .file = source.string(),
                   .rule = "sandbox_rights"});
    to.push_back(*std::move(found));
  }
  return {};
}

/// Whether the user of confined programs has the rights that this one needs.
result<void> check_rights(const program& what) {
  const auto user = std::to_string(confined_user());
  if (!lets(confined_user(), what.path, X_OK))
    return refuse_rights(
      "as root, convene runs sandboxed programs as user " + user
        + ", who may not execute this one; run: chmod o+rx " + what.path,
      what.path);
  if (!lets(confined_user(), what.working_folder, R_OK | W_OK | X_OK))
    return refuse_rights(
      "as root, convene runs sandboxed programs as user " + user
        + ", who may not write in this folder; run: chown -R " + user + ':'
        + user + ' ' + what.working_folder
        + ", or run convene as the folder's owner",
      what.working_folder);
  return {};
}

/// What becomes of namespaces and privileges. Root makes no user namespace: in
/// one, the program would still be root to the kernel's own files.
std::vector<std::string> separation(bool has_network) {
  std::vector<std::string> all{"bwrap"};
  // One with a network is in its own already.
  if (is_root())
    all.insert(all.end(), {"--unshare-ipc", "--unshare-pid", "--unshare-uts",
                           "--unshare-cgroup-try"});
  else
    all.emplace_back("--unshare-all");
  if (is_root() && !has_network)
    all.emplace_back("--unshare-net");
  if (!is_root() && has_network)
    all.emplace_back("--share-net");
  all.insert(all.end(), {"--die-with-parent", "--new-session", "--cap-drop",
                         "ALL", "--seccomp", "4"});
  if (is_root())
    all.insert(all.end(), {"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID",
                           "--cap-add", "CAP_SETPCAP"});
  all.insert(all.end(),
             {"--ro-bind", "/", "/", "--dev", "/dev", "--perms", "1777",
              "--size", "268435456", "--tmpfs", "/dev/shm", "--remount-ro",
              "/dev", "--proc", "/proc", "--remount-ro", "/proc"});
  return all;
}

/// Gives up all privileges of root, in the sandbox.
std::vector<std::string> step_down(const sandbox& by) {
  const auto user = std::to_string(confined_user());
  return {by.setpriv,
          "--reuid",
          user,
          "--regid",
          user,
          "--clear-groups",
          "--no-new-privs",
          "--inh-caps=-all",
          "--ambient-caps=-all",
          "--bounding-set=-all",
          "--"};
}

void add_proxy_variables(std::vector<std::string>& to) {
  const auto proxy = "http://127.0.0.1:" + std::to_string(network_door_port);
  for (const auto* name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
                           "http_proxy", "https_proxy", "all_proxy"})
    to.push_back(std::string{name} + '=' + proxy);
  to.emplace_back("NO_PROXY=localhost,127.0.0.1,::1");
  to.emplace_back("no_proxy=localhost,127.0.0.1,::1");
  to.emplace_back("NODE_USE_ENV_PROXY=1");
}

} // namespace

result<program> confine(program what, const sandbox& by) {
  what.working_folder = without_links(what.working_folder).string();
  what.places.clear();
  if (auto may = check_folder(what.working_folder); !may)
    return fail(std::move(may).error());
  if (is_root())
    if (auto may = check_rights(what); !may)
      return fail(std::move(may).error());
  auto all = separation(by.network != nullptr);
  const auto add = [&all](std::vector<std::string> words) {
    std::ranges::move(words, std::back_inserter(all));
  };
  const auto view = view_of(what, by);
  if (auto noted = note_places(view, what.places); !noted)
    return fail(std::move(noted).error());
  add(view.arguments());
  add({"--chdir", what.working_folder, "--"});
  if (is_root())
    add(step_down(by));
  all.push_back(what.path);
  if (!what.arguments.empty())
    std::move(what.arguments.begin() + 1, what.arguments.end(),
              std::back_inserter(all));
  what.shown = what.path + " (under bwrap)";
  what.path = by.bwrap;
  what.arguments = std::move(all);
  what.working_folder = "/";
  what.call_filter = call_filter();
  what.network = by.network;
  if (what.network)
    add_proxy_variables(what.environment);
  return what;
}

result<void> check_sandbox(const sandbox& by, processes& on) {
  const auto refuse = [](std::string_view why) {
    return fail(errc::activation_refused,
                "programs cannot be sandboxed here: " + std::string{why}
                  + "; install bubblewrap and allow it to make namespaces, "
                  + (is_root() ? "run convene as another user (runuser -u USER "
                                 "-- convene ...), "
                               : "")
                  + "or run without --sandbox",
                "sandbox_missing");
  };
  if (by.bwrap.empty())
    return refuse("bubblewrap (bwrap) is not installed");
  if (is_root() && by.setpriv.empty())
    return refuse("setpriv, of util-linux, is not installed");
  if (call_filter().empty())
    return refuse("libseccomp cannot make a filter of system calls");
  program nothing{.path = "/bin/true",
                  .arguments = {"true"},
                  .working_folder = "/tmp"};
  nothing.limits.time_ms = 30'000;
  auto trial = confine(std::move(nothing), by);
  if (!trial)
    return refuse(trial.error().message);
  auto told = std::make_shared<std::promise<program_end>>();
  auto end = told->get_future();
  on.run_once(*std::move(trial), {}, {}, [told](program_result how) {
    told->set_value(std::move(how.end));
  });
  if (const auto how = end.get(); !how.code.empty())
    return refuse(how.message);
  return {};
}

} // namespace convene::host
