// What permissions and needs name: programs, hosts, URLs.

#include <arpa/inet.h>
#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <system_error>

namespace convene::host {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;

namespace fs = std::filesystem;

tl::unexpected<protocol::error> bad_host(const char* why) {
  return fail(errc::usage, why, "host");
}

/// The program's file, if it is one that can be executed.
fs::path executable(const fs::path& file) {
  std::error_code failed;
  auto real = fs::canonical(file, failed);
  if (failed || !fs::is_regular_file(real, failed)
      || access(real.c_str(), X_OK) != 0)
    return {};
  return real;
}

std::optional<std::uint16_t> read_port(std::string_view digits) {
  if (digits.empty() || digits.size() > 5
      || !std::ranges::all_of(digits, protocol::is_digit))
    return std::nullopt;
  unsigned port = 0;
  for (const char c : digits)
    port = port * 10 + static_cast<unsigned>(c - '0');
  if (port == 0 || port > 65535)
    return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

bool is_host(std::string_view name, bool brackets) {
  return !name.empty() && name.size() <= 253
         && std::ranges::all_of(name, [brackets](char c) {
              return protocol::is_digit(c) || (c >= 'a' && c <= 'z') || c == '.'
                     || c == '-' || c == '_' || (brackets && c == ':');
            });
}

} // namespace

fs::path find_program(const std::string& name) {
  if (name.empty() || name.find('\0') != name.npos)
    return {};
  if (name.find('/') != name.npos)
    return executable(name);
  const char* const set = std::getenv("PATH");
  std::string_view folders = set != nullptr ? set : "/usr/bin:/bin";
  while (!folders.empty()) {
    const auto colon = std::min(folders.find(':'), folders.size());
    // An empty one means the current folder, which nobody has named.
    if (colon > 0)
      if (auto found = executable(fs::path{folders.substr(0, colon)} / name);
          !found.empty())
        return found;
    folders.remove_prefix(std::min(colon + 1, folders.size()));
  }
  return {};
}

std::string why_no_program(const std::string& name) {
  if (name.find('/') == name.npos)
    return "there is no program of this name in the folders of PATH";
  std::error_code failed;
  const auto what = fs::status(name, failed);
  if (fs::is_directory(what))
    return "this is a folder; name a program in it";
  if (fs::exists(what))
    return "this file cannot be executed; make it executable (chmod +x)";
  return "there is no such file";
}

std::string plain_host(std::string_view host) {
  std::string made{host};
  std::ranges::transform(made, made.begin(), [](char c) {
    return protocol::is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  });
  in6_addr address{};
  std::array<char, INET6_ADDRSTRLEN> shortest{};
  if (::inet_pton(AF_INET6, made.c_str(), &address) == 1
      && ::inet_ntop(AF_INET6, &address, shortest.data(), shortest.size())
           != nullptr)
    return shortest.data();
  if (made.size() > 1 && made.ends_with('.'))
    made.pop_back();
  return made;
}

std::string to_string(const endpoint& where) {
  const bool brackets = where.host.find(':') != std::string::npos;
  auto text = brackets ? '[' + where.host + ']' : where.host;
  if (where.port != 0)
    text += ':' + std::to_string(where.port);
  return text;
}

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost")
         || host.starts_with("127.") || host == "::1";
}

bool is_variable_name(std::string_view text) {
  return !text.empty() && !protocol::is_digit(text.front())
         && std::ranges::all_of(text, [](char c) {
              return c == '_' || protocol::is_alnum(c);
            });
}

result<endpoint> read_endpoint(std::string_view text) {
  endpoint made;
  if (const auto scheme = text.find("://"); scheme != text.npos) {
    const auto rest = text.substr(scheme + 3);
    const auto host = rest.substr(0, rest.find_first_of("/?#"));
    // Nothing before an @, which may be a password.
    return fail(errc::usage,
                "write the host alone: net="
                  + std::string{host.substr(host.rfind('@') + 1)},
                "host");
  }
  std::string_view port;
  bool has_port = false;
  const bool brackets = text.starts_with('[');
  if (brackets) {
    const auto end = text.find(']');
    if (end == text.npos)
      return bad_host("a bracket is not closed");
    made.host = text.substr(1, end - 1);
    const auto rest = text.substr(end + 1);
    if (!rest.empty() && rest.front() != ':')
      return bad_host("after ] only a colon and a port may follow");
    has_port = !rest.empty();
    port = has_port ? rest.substr(1) : rest;
  } else {
    const auto colon = text.find(':');
    made.host = text.substr(0, colon);
    has_port = colon != text.npos;
    port = has_port ? text.substr(colon + 1) : std::string_view{};
  }
  made.host = plain_host(made.host);
  if (!is_host(made.host, brackets))
    return bad_host("write HOST, HOST:PORT or [ADDRESS]:PORT");
  if (has_port) {
    const auto number = read_port(port);
    if (!number)
      return bad_host("a port is a number from 1 to 65535");
    made.port = *number;
  }
  return made;
}

endpoint endpoint_of(std::string_view host, std::uint16_t port) {
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  return {plain_host(host), port};
}

std::string flag_for(const need& what) {
  switch (what.what) {
    case need::kind::run:
      return "--allow run=" + what.name;
    case need::kind::env:
      return "--allow env=" + what.name
             + (what.where.host.empty() ? "" : '@' + to_string(what.where));
    case need::kind::people:
      return "--interactive";
    case need::kind::net:
      break;
  }
  return "--allow net=" + to_string(what.where);
}

} // namespace convene::host
