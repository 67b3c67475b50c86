#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/pack_files.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <array>
#include <fstream>
#include <system_error>

namespace convene::host::pack {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;

constexpr std::size_t hex_length = 64;

/// Whether a name can only lead to something below a folder.
bool is_below(const std::string& name) {
  const fs::path path{name};
  return valid_utf8(name) && path.is_relative()
         && path.lexically_normal() == path && path.has_filename()
         && *path.begin() != "..";
}

} // namespace

std::string to_text(const checksums& all) {
  std::string text;
  for (const auto& [file, sum] : all)
    text.append(sum).append("  ").append(file).append("\n");
  return text;
}

std::string root_of(const checksums& all) {
  auto text = to_text(all);
  if (!text.empty())
    text.pop_back();
  return hex_digest_of(text);
}

result<checksums> read_checksums(std::string_view text) {
  checksums all;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto refuse = [number](const char* why) {
      return fail({.code = errc::invalid_document,
                   .message = "line " + std::to_string(number) + " " + why,
                   .rule = "pack_sums"});
    };
    const auto end = text.find('\n');
    if (end == text.npos)
      return refuse("has no end: the file is cut off");
    const auto line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.size() < hex_length + 3 || line.substr(hex_length, 2) != "  "
        || !is_lower_hex(line.substr(0, hex_length), hex_length))
      return refuse("is not a SHA-256 in hexadecimal, two spaces and a name");
    std::string name{line.substr(hex_length + 2)};
    if (!is_below(name))
      return refuse("names a file that is not below the pack");
    if (!all.emplace(std::move(name), line.substr(0, hex_length)).second)
      return refuse("names a file for the second time");
  }
  return all;
}

result<void> visit_bytes(const fs::path& file,
                         const std::function<void(std::string_view)>& visit) {
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(file, failed)))
    return fail(file_error(errc::unreadable, file, "is not a regular file"));
  std::ifstream in{file, std::ios::binary};
  std::array<char, 1 << 16> piece{};
  while (in.read(piece.data(), piece.size()) || in.gcount() > 0)
    visit({piece.data(), static_cast<std::size_t>(in.gcount())});
  return in.eof() ? result<void>{}
                  : fail(file_error(errc::unreadable, file, "cannot be read"));
}

} // namespace convene::host::pack
