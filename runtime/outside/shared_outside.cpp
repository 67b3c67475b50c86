#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/percent.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <convene/runtime/log/files/temporary_folder.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/processes/confined_user.hpp>
#include <convene/runtime/outside/program_net/program_proxy.hpp>
#include <convene/runtime/outside/shared_outside.hpp>
#include <convene/runtime/outside/visited_places.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

namespace fs = std::filesystem;

using protocol::errc;
using protocol::fail;
using protocol::result;

/// A name from a scenario as the name of one folder: ids can contain anything.
std::string folder_name(const std::string& from) {
  constexpr std::size_t bytes_max = 70; // three times as long when encoded
  const auto made = protocol::percent_encoded(from.substr(0, bytes_max), "-_",
                                              "0123456789abcdef");
  if (from.size() > bytes_max)
    return made + '%' + short_digest(from);
  return made.empty() ? "%" : made;
}

/// Whether a variable that a program gets is a key, by its name.
bool names_key(std::string_view name) {
  constexpr std::array words{"KEY", "TOKEN", "SECRET", "PASSWORD",
                             "CREDENTIAL"};
  std::string upper{name};
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return protocol::is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return std::ranges::any_of(words, [&](std::string_view word) {
    return upper.find(word) != std::string::npos;
  });
}

/// Each has up to six descriptors of ours.
std::size_t programs_that_fit() {
  constexpr std::size_t least = 8;
  constexpr std::size_t most = 1024;
  return std::clamp(descriptor_limit() / 32, least, most);
}

std::size_t calls_that_fit() {
  return std::min(http_options{}.calls_max, descriptor_limit() / 4);
}

std::string variable(const char* name, const std::string& otherwise = {}) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

} // namespace

std::string short_digest(std::string_view of) {
  constexpr std::size_t digits = 32;
  return protocol::hex_of(protocol::sha256(of)).substr(0, digits);
}

sandbox sandbox_of(const permissions& allow) {
  sandbox made{.bwrap = find_program("bwrap").string(),
               .setpriv = find_program("setpriv").string(),
               .readable = allow.readable_folders()};
  if (allow.programs_reach_any())
    made.network = [allow](descriptor listener) {
      return serve_proxy(std::move(listener),
                         {.may_reach =
                            [allow](const std::string& host,
                                    std::uint16_t port) {
                              return allow.may_programs_reach({host, port});
                            },
                          .may_connect = is_beyond_this_machine});
    };
  return made;
}

shared_outside::~shared_outside() {
  partings_->wait(how_.parting_longest);
  if (programs_)
    programs_->end();
  // Calls that wait end with the first one. What is under way keeps the second,
  // and would outlive all else.
  http_.reset();
  if (client_)
    client_->end();
  std::error_code ignored;
  if (!temporary_.empty())
    fs::remove_all(temporary_, ignored);
}

std::shared_ptr<http_client> shared_outside::client() {
  const std::lock_guard held{mutex_};
  if (!client_)
    client_ = std::make_shared<http_client>(
      http_options{.may_connect =
                     [allow = how_.allow](const http_peer& to) {
                       const auto where = endpoint_of(to.host, to.port);
                       return to.is_public ? allow.may_reach(where)
                                           : allow.is_named(where);
                     },
                   .ca_file = {},
                   .calls_max = calls_that_fit()});
  return client_;
}

std::shared_ptr<paced_client> shared_outside::http() {
  auto by = client();
  const std::lock_guard held{mutex_};
  if (!http_)
    http_ = std::make_shared<paced_client>(std::move(by));
  return http_;
}

std::shared_ptr<session_models>
shared_outside::models_of(const std::string& session_id) {
  const std::lock_guard held{mutex_};
  if (models_.size() >= models_max_) {
    std::erase_if(models_,
                  [](const auto& each) { return each.second.expired(); });
    models_max_ = 2 * models_.size() + 64;
  }
  auto& known = models_[session_id];
  auto found = known.lock();
  if (!found)
    known = found = std::make_shared<session_models>();
  return found;
}

void shared_outside::note_key(std::string_view value) {
  const std::lock_guard held{mutex_};
  auto all = keys_ ? *keys_ : protocol::known_secrets{};
  if (all.add(value)) {
    longest_key_ = std::max(longest_key_, value.size());
    keys_ = std::make_shared<const protocol::known_secrets>(std::move(all));
  }
}

void shared_outside::add_secrets(program& to) const {
  const std::lock_guard held{mutex_};
  to.secrets = keys_;
  to.longest_secret = longest_key_;
}

std::shared_ptr<const protocol::known_secrets> shared_outside::keys() const {
  const std::lock_guard held{mutex_};
  return keys_;
}

std::shared_ptr<processes> shared_outside::programs() {
  const std::lock_guard held{mutex_};
  if (!programs_)
    programs_ = std::make_shared<processes>(programs_that_fit());
  return programs_;
}

result<std::string>
shared_outside::allowed_program(const std::string& name) const {
  auto file = find_program(name);
  if (auto may = how_.allow.check(
        {{.what = need::kind::run, .name = name, .program = file}});
      !may)
    return fail(std::move(may).error());
  return file.string();
}

result<std::string>
shared_outside::folder_for(const std::string& named,
                           const std::vector<std::string>& own) {
  if (!named.empty()) {
    std::error_code failed;
    const auto real = fs::canonical(named, failed);
    if (failed || !how_.allow.may_write(real))
      return fail({.code = errc::activation_refused,
                   .message = "is not there, or is not allowed; add --allow "
                              "write="
                              + named,
                   .file = named,
                   .rule = "permission_needed"});
    if (auto apart = check_apart(how_, real); !apart)
      return fail(std::move(apart).error());
    return real.string();
  }
  const std::lock_guard held{mutex_};
  auto folder = how_.work_folder;
  if (folder.empty() && temporary_.empty()) {
    std::string made = temporary_folder() / "convene-work-XXXXXX";
    if (::mkdtemp(made.data()) == nullptr)
      return fail(
        errc::io_failed,
        "no folder can be made for programs: set TMPDIR to another one",
        "work_folder");
    temporary_ = made;
  }
  if (folder.empty())
    folder = temporary_;
  for (const auto& name : own)
    folder /= folder_name(name);
  std::error_code failed;
  fs::create_directories(folder, failed);
  const auto real = failed ? fs::path{} : fs::canonical(folder, failed);
  if (failed)
    return fail({.code = errc::io_failed,
                 .message = "cannot be made: " + failed.message(),
                 .file = folder.string(),
                 .rule = "work_folder"});
  if (how_.sandbox)
    if (auto given = give_to_confined_user(real); !given)
      return fail(std::move(given).error());
  return real.string();
}

std::vector<std::string>
shared_outside::environment(const std::vector<std::string>& names,
                            const std::string& folder) {
  std::vector<std::string> all{
    "PATH=" + variable("PATH", "/usr/local/bin:/usr/bin:/bin"), "LANG=C.UTF-8",
    "HOME=" + folder};
  for (const auto& name : names)
    if (const char* value = std::getenv(name.c_str())) {
      all.push_back(name + '=' + value);
      if (names_key(name))
        note_key(value);
    }
  return all;
}

void shared_outside::fill_values(std::map<std::string, std::string>& values) {
  for (auto& [name, value] : values) {
    std::string_view before;
    const std::string variable{variable_in(value, before)};
    if (variable.empty())
      continue;
    std::string made{before};
    if (const char* known = how_.allow.may_read_variable(variable)
                              ? std::getenv(variable.c_str())
                              : nullptr) {
      made += known;
      if (names_key(variable) || names_key(name))
        note_key(known);
    }
    value = std::move(made);
  }
}

result<program> shared_outside::confined(program what) {
  if (!how_.sandbox)
    return what;
  const auto folder = what.working_folder;
  std::error_code failed;
  std::vector<fs::path> used{fs::canonical(what.path, failed)};
  auto made = confine(std::move(what), sandbox_of(how_.allow));
  if (!made)
    return made;
  for (const auto& each : made->places)
    used.emplace_back(each.path);
  auto claim = claims_.claim(folder, std::move(used));
  if (!claim)
    return fail(std::move(claim).error());
  made->claim = *std::move(claim);
  return made;
}

} // namespace convene::host
