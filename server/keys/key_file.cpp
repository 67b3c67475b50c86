#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/keys/key_file.hpp>
#include <convene/server/keys/random_hex.hpp>
#include <convene/server/keys/secret_file.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

namespace convene::server {
namespace {

using namespace protocol;
namespace fs = std::filesystem;

constexpr std::string_view format = "convene_keys";
constexpr std::size_t file_bytes_max = 4 << 20;

error bad_file(const fs::path& file, std::string pointer, std::string what) {
  return {.code = errc::invalid_document,
          .message = std::move(what),
          .file = file.string(),
          .pointer = std::move(pointer),
          .rule = "key_file"};
}

std::optional<std::array<std::uint8_t, 32>> read_hash(std::string_view text) {
  std::array<std::uint8_t, 32> out{};
  if (text.size() != 2 * out.size())
    return std::nullopt;
  for (std::size_t at = 0; at < out.size(); ++at) {
    const auto byte = parse_hex(text.substr(2 * at, 2));
    if (!byte)
      return std::nullopt;
    out[at] = static_cast<std::uint8_t>(*byte);
  }
  return out;
}

json::object to_json(const stored_key& key) {
  json::array scopes;
  for (const auto& one : key.scopes)
    scopes.emplace_back(one);
  json::object out{{"id", key.id},
                   {"sha256", hex_of(key.hash)},
                   {"scopes", std::move(scopes)},
                   {"created_at", key.created_at}};
  if (!key.session_id.empty()) {
    out["session_id"] = key.session_id;
    out["participant_id"] = key.participant_id;
  }
  if (!key.groups.empty())
    out["groups"] = json::array(key.groups.begin(), key.groups.end());
  return out;
}

result<stored_key> read_key(const json::value& from, const fs::path& file,
                            const std::string& pointer) {
  const auto* const members = from.if_object();
  if (members == nullptr)
    return fail(bad_file(file, pointer, "a key is an object"));
  const auto hash = read_hash(text_of(*members, "sha256"));
  stored_key out{.id = std::string{text_of(*members, "id")},
                 .session_id = std::string{text_of(*members, "session_id")},
                 .participant_id
                 = std::string{text_of(*members, "participant_id")},
                 .created_at = std::string{text_of(*members, "created_at")}};
  if (out.id.empty() || !hash)
    return fail(bad_file(file, pointer,
                         "a key has an id, and the SHA-256 of its text in 64 "
                         "hexadecimal digits"));
  out.hash = *hash;
  // A key for one person must never become one for everything.
  for (const auto* const name : {"session_id", "participant_id"})
    if (members->contains(name) && text_of(*members, name).empty())
      return fail(bad_file(file, pointer + '/' + name, "has to be a text"));
  if (out.session_id.empty() != out.participant_id.empty())
    return fail(bad_file(file, pointer,
                         "a key for a person has session_id and "
                         "participant_id, any other has neither"));
  // Nor one of a group one of all.
  if (const auto* const groups = members->if_contains("groups")) {
    const auto* const list = groups->if_array();
    for (const auto& one : list ? *list : json::array{})
      out.groups.emplace(one.is_string() ? one.get_string().c_str() : "");
    if (out.groups.empty() || out.groups.contains(""))
      return fail(bad_file(file, pointer + "/groups",
                           "has to be a list of texts that are not empty"));
  }
  for (const auto scope : texts_of(*members, "scopes")) {
    if (!known_scopes().contains(scope))
      return fail(bad_file(file, pointer + "/scopes",
                           "there is no scope " + quote(scope)));
    out.scopes.emplace(scope);
  }
  return out;
}

/// Holds a file for those who change it: the unfinished one beside it is
/// locked, which the change turns into the file.
class change_lock {
public:
  explicit change_lock(const fs::path& file) : path_{file} {
    path_ += host::unfinished_ending;
  }
  change_lock(const change_lock&) = delete;
  change_lock& operator=(const change_lock&) = delete;
  ~change_lock() {
    if (descriptor_ != -1)
      ::close(descriptor_);
  }

  [[nodiscard]] result<void> take() {
    for (;;) {
      descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      if (descriptor_ == -1 || ::fchmod(descriptor_, 0600) != 0
          || ::flock(descriptor_, LOCK_EX) != 0)
        return fail(host::file_error(
          errc::usage, path_,
          "cannot be written: " + std::generic_category().message(errno)));
      struct stat mine {};
      struct stat there {};
      if (::fstat(descriptor_, &mine) == 0 && ::stat(path_.c_str(), &there) == 0
          && mine.st_ino == there.st_ino)
        return {};
      ::close(descriptor_); // somebody has finished it meanwhile
    }
  }

  /// Leaves no unfinished file where nothing was changed.
  void give_up() const {
    ::unlink(path_.c_str());
  }

private:
  fs::path path_;
  int descriptor_ = -1;
};

result<void> write_keys(const fs::path& file,
                        const std::vector<stored_key>& keys) {
  json::array all;
  for (const auto& one : keys)
    all.push_back(to_json(one));
  return host::write_file(
    file, pretty(json::object{{format, "1"}, {"keys", std::move(all)}}) + '\n',
    host::synced::yes);
}

/// Changes the keys of a file, none if it is not there.
template <class Change>
result<void> change_keys(const fs::path& file, Change change) {
  change_lock lock{file};
  if (auto taken = lock.take(); !taken)
    return taken;
  std::error_code failed;
  std::vector<stored_key> keys;
  if (fs::exists(file, failed)) {
    auto read = read_keys(file);
    if (!read) {
      lock.give_up();
      return fail(std::move(read).error());
    }
    keys = *std::move(read);
  }
  if (result<void> changed = change(keys); !changed) {
    lock.give_up();
    return changed;
  }
  return write_keys(file, keys);
}

} // namespace

result<std::vector<stored_key>> read_keys(const fs::path& file) {
  if (auto may = check_private(file); !may)
    return fail(std::move(may).error());
  const auto text = host::read_file(file, file_bytes_max);
  if (!text)
    return fail(text.error());
  auto parsed = parse_json(*text);
  if (!parsed) {
    auto why = std::move(parsed).error();
    why.file = file.string();
    return fail(std::move(why));
  }
  const auto* const root = parsed->if_object();
  const auto* const list = root == nullptr || text_of(*root, format) != "1"
                             ? nullptr
                             : root->if_contains("keys");
  if (list == nullptr || !list->is_array())
    return fail(bad_file(file, "",
                         "is not a file of keys; make one with convene keys "
                         "new --file"));
  std::vector<stored_key> out;
  for (const auto& one : list->get_array()) {
    const auto pointer = "/keys/" + std::to_string(out.size());
    if (out.size() == keys_max)
      return fail({.code = errc::limit_reached,
                   .message = "has more than " + std::to_string(keys_max)
                              + " keys; remove some",
                   .file = file.string(),
                   .rule = "keys_max"});
    auto key = read_key(one, file, pointer);
    if (!key)
      return fail(std::move(key).error());
    if (std::ranges::find(out, key->id, &stored_key::id) != out.end())
      return fail(bad_file(file, pointer + "/id", "two keys have this id"));
    out.push_back(*std::move(key));
  }
  return out;
}

result<new_key> add_key(const fs::path& file, const key_order& order) {
  const auto secret = random_hex(32);
  const auto number = random_hex(4);
  if (secret.empty() || number.empty())
    return fail(errc::internal, "the system has no random numbers");
  new_key made{.text = "convene_" + secret};
  made.stored = {.id = "key-" + number,
                 .hash = host::digest_of(made.text),
                 .scopes = order.scopes,
                 .session_id = order.session_id,
                 .participant_id = order.participant_id,
                 .groups = order.groups,
                 .created_at = order.created_at};
  auto changed = change_keys(file, [&](auto& keys) -> result<void> {
    if (keys.size() == keys_max)
      return fail(errc::limit_reached,
                  "the file has " + std::to_string(keys_max)
                    + " keys, and takes no more; remove some",
                  "keys_max");
    keys.push_back(made.stored);
    return {};
  });
  if (!changed)
    return fail(std::move(changed).error());
  return made;
}

result<void> remove_key(const fs::path& file, std::string_view id) {
  return change_keys(file, [&](auto& keys) -> result<void> {
    if (std::erase_if(keys, [id](const auto& one) { return one.id == id; })
        == 0)
      return fail({.code = errc::usage,
                   .message = "has no key " + quote(id),
                   .file = file.string(),
                   .rule = "key_id"});
    return {};
  });
}

} // namespace convene::server
