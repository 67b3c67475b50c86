#include <convene/runtime/outside/processes/sandbox.hpp>

#include <future>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::host {

namespace {

/// Whether an argument is a path in a folder that confined programs have of
/// their own, like a script of a scenario in /tmp.
bool is_hidden(std::string_view argument) {
  return argument.starts_with("/tmp/") || argument.starts_with("/run/");
}

} // namespace

program confine(program what, const sandbox& by) {
  std::vector<std::string> all{
    "bwrap",
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
    "--tmpfs",
    "/run",
  };
  const auto add = [&all](auto... words) {
    (all.emplace_back(std::move(words)), ...);
  };
  if (by.network) {
    add("--share-net");
    // Where names are looked up on many systems.
    add("--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve");
  }
  // They may be in a folder that it does not see otherwise.
  add("--ro-bind", what.path, what.path);
  for (std::size_t i = 1; i < what.arguments.size(); ++i)
    if (const auto& each = what.arguments[i]; is_hidden(each))
      add("--ro-bind-try", each, each);
  add("--bind", what.working_folder, what.working_folder);
  add("--chdir", what.working_folder, "--", what.path);
  for (std::size_t i = 1; i < what.arguments.size(); ++i)
    add(std::move(what.arguments[i]));
  what.shown = what.path + " (under bwrap)";
  what.path = by.bwrap;
  what.arguments = std::move(all);
  what.working_folder = "/";
  return what;
}

protocol::result<void> check_sandbox(const sandbox& by, processes& on) {
  const auto refuse = [](std::string_view why) {
    return protocol::fail(
      protocol::errc::activation_refused,
      "programs cannot be confined here: " + std::string{why}
        + "; install bubblewrap and allow it to make namespaces, or run "
          "without --sandbox",
      "sandbox_missing");
  };
  if (by.bwrap.empty())
    return refuse("there is no program bwrap");
  program nothing{.path = "/bin/true",
                  .arguments = {"true"},
                  .working_folder = "/tmp"};
  nothing.limits.time_ms = 30'000;
  auto told = std::make_shared<std::promise<program_end>>();
  auto end = told->get_future();
  on.run_once(confine(std::move(nothing), by), {}, {},
              [told](program_result how) {
                told->set_value(std::move(how.end));
              });
  if (const auto how = end.get(); !how.code.empty())
    return refuse(how.message);
  return {};
}

} // namespace convene::host
