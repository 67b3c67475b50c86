#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// A host and a port, as a permission or a need has them.
struct endpoint {
  /// A name or address as `plain_host` has it, without brackets.
  std::string host;
  std::uint16_t port = 0; ///< 0: any

  auto operator<=>(const endpoint&) const = default;
};

/// Something outside of its session that a participant needs.
struct need {
  enum class kind : std::uint8_t {
    run,
    net,
    env,
    people, ///< a place where people are asked, which is not there
  };

  kind what = kind::run;
  /// run: the program as the scenario names it; env: the variable's name.
  std::string name;
  std::filesystem::path program; ///< run: the resolved file; empty: not found
  /// net: what is reached; env: what the value is sent to, a program gets it
  /// if there is no host.
  endpoint where;
  std::string pointer = {}; ///< run: where the scenario names the program
  std::string by = {};      ///< the participant's id, or *; empty: unknown

  auto operator<=>(const need&) const = default;
};

/// What scenarios may reach outside of their sessions. A scenario is data and
/// may come from a stranger, so there is nothing in here by default. Comes from
/// the command line or the application, never from a scenario, a log or
/// run.json. A value; safe to read from many threads.
class permissions {
public:
  /// Adds what one `--allow` says; errors have the code `usage`:
  ///
  ///     run            any program
  ///     run=A,B        these: names, found by PATH, or paths
  ///     net            any public address
  ///     net=H,H:PORT   these hosts, also if their addresses are private;
  ///                    [::1]:80 for addresses of IPv6
  ///     program-net=H  these hosts, as for net, but for sandboxed programs;
  ///                    never this machine's loopback
  ///     env=A@H:P,B@H  the value of A may be sent to this host, of B to that
  ///     env=A,B        the values of these environment variables may be given
  ///                    to programs, and sent to the host that may be reached
  ///                    if there is exactly one
  ///     read=DIR       the files in and below the folder
  ///     write=DIR      the same, and programs may work in there
  [[nodiscard]] CONVENE_API protocol::result<void> allow(std::string_view text);

  /// Adds all that a command line has. Refused is also (`usage`) a variable
  /// without a host that nothing could be given, since several hosts may be
  /// reached: whoever writes a scenario could choose among them.
  [[nodiscard]] CONVENE_API protocol::result<void>
  allow_all(const std::vector<std::string>& texts);

  /// `program` is what `find_program` returned.
  [[nodiscard]] CONVENE_API bool
  may_run(const std::filesystem::path& program) const;
  /// Whether the host may be reached if its address is public.
  [[nodiscard]] CONVENE_API bool may_reach(const endpoint& where) const;
  /// Whether sandboxed programs may reach the host.
  [[nodiscard]] CONVENE_API bool
  may_programs_reach(const endpoint& where) const;
  /// Whether they may reach any host.
  [[nodiscard]] bool programs_reach_any() const noexcept {
    return !program_hosts_.empty();
  }
  /// Whether any host may be reached.
  [[nodiscard]] bool reaches_any() const noexcept {
    return any_host_ || !hosts_.empty();
  }
  /// Whether it was named, so that its address may be a private one.
  [[nodiscard]] CONVENE_API bool is_named(const endpoint& where) const;
  /// Whether programs may be given a variable's value.
  [[nodiscard]] CONVENE_API bool may_read_variable(std::string_view name) const;
  /// Whether a variable's value, or a signature made with it, may be sent
  /// there.
  [[nodiscard]] CONVENE_API bool may_send(std::string_view name,
                                          const endpoint& where) const;
  /// Whether a file or folder, links resolved, is in a folder of `read` or
  /// `write`; it need not exist.
  [[nodiscard]] CONVENE_API bool
  may_read(const std::filesystem::path& file) const;
  [[nodiscard]] CONVENE_API bool
  may_write(const std::filesystem::path& file) const;

  /// The folders of `read` and `write`, links resolved.
  [[nodiscard]] const std::vector<std::filesystem::path>&
  readable_folders() const noexcept {
    return readable_;
  }

  /// Success if all `needs` are allowed; else `activation_refused`,
  /// permission_needed, with the flags that would allow what is missing and
  /// who needs them.
  [[nodiscard]] CONVENE_API protocol::result<void>
  check(const std::vector<need>& needs) const;

private:
  [[nodiscard]] bool is_met(const need& what) const;
  /// The hosts that were named, without ports of those whose every port was.
  [[nodiscard]] std::vector<endpoint> distinct_hosts() const;

  bool any_program_ = false;
  std::set<std::filesystem::path> programs_;
  bool any_host_ = false;
  std::set<endpoint> hosts_;
  std::set<endpoint> program_hosts_;
  std::set<std::string, std::less<>> variables_; ///< without a host
  std::map<std::string, std::set<endpoint>, std::less<>> bound_;
  std::vector<std::filesystem::path> readable_;
  std::vector<std::filesystem::path> writable_;
};

/// The file that running `name` executes: a path as it is, a bare name by PATH;
/// links resolved. Empty: there is none that can be executed.
[[nodiscard]] CONVENE_API std::filesystem::path
find_program(const std::string& name);

/// Why `find_program` finds none, and what to do.
[[nodiscard]] CONVENE_API std::string why_no_program(const std::string& name);

/// Whether a host is this machine by its name, like localhost and 127.0.0.1:
/// one that has to be named to be reached.
[[nodiscard]] CONVENE_API bool is_this_machine(std::string_view host);

/// Whether it can be the name of an environment variable: letters, digits and
/// _, and no digit first.
[[nodiscard]] CONVENE_API bool is_variable_name(std::string_view text);

/// A host's name or address (of IPv6 without brackets) in the one way in which
/// it is compared: in lower case, without a dot at the end, addresses of IPv6
/// in their shortest form.
[[nodiscard]] CONVENE_API std::string plain_host(std::string_view host);

/// "example.org:443", "[::1]:80"; without a port if any is meant.
[[nodiscard]] CONVENE_API std::string to_string(const endpoint& where);

/// Reads HOST, HOST:PORT or [ADDRESS]:PORT.
[[nodiscard]] CONVENE_API protocol::result<endpoint>
read_endpoint(std::string_view text);

/// The endpoint of a URL's host, which has IPv6 addresses in brackets.
[[nodiscard]] CONVENE_API endpoint endpoint_of(std::string_view host,
                                               std::uint16_t port);

/// The flag that allows it, like "--allow net=localhost:8000".
[[nodiscard]] CONVENE_API std::string flag_for(const need& what);

/// Whether a file, links resolved, is in or below a folder.
[[nodiscard]] CONVENE_API bool is_below(const std::filesystem::path& file,
                                        const std::filesystem::path& folder);

} // namespace convene::host
