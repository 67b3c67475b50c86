#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/data/cluster/cluster_error.hpp>
#include <convene/runtime/data/cluster/cluster_node.hpp>
#include <convene/schemas/catalog.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::size_t word_bytes_max = 63;
constexpr std::string_view word_form
  = "1 to 63 letters, digits, dots, hyphens and underscores";

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= word_bytes_max
         && std::ranges::all_of(text, [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                     || (c >= '0' && c <= '9') || c == '.' || c == '-'
                     || c == '_';
            });
}

tl::unexpected<error> refuse(std::string message, std::string_view value) {
  return fail({.code = errc::usage,
               .message = std::move(message),
               .rule = std::string{cluster_rule::description},
               .value = std::string{value.substr(0, word_bytes_max)}});
}

} // namespace

result<void> check_description(const node_description& of) {
  if (!is_word(of.name))
    return refuse("the name of a node is " + std::string{word_form}, of.name);
  if (of.labels.size() > node_description::labels_max)
    return refuse("a node has at most "
                    + std::to_string(node_description::labels_max) + " labels",
                  std::to_string(of.labels.size()));
  for (const auto& [name, value] : of.labels)
    if (!is_word(name) || !is_word(value))
      return refuse("the name and the value of a label are "
                      + std::string{word_form},
                    name + "=" + value);
  for (const auto& address : {of.address, of.peer_address})
    if (address.size() > node_description::address_bytes_max
        || !std::ranges::all_of(address,
                                [](char c) { return c > ' ' && c < '\x7f'; }))
      return refuse("the address of a node is a URL of at most "
                      + std::to_string(node_description::address_bytes_max)
                      + " bytes",
                    address);
  return {};
}

result<std::map<std::string, std::string>> read_labels(std::string_view text) {
  std::map<std::string, std::string> made;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    const auto one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto is = one.find('=');
    if (is == one.npos)
      return refuse("a label is NAME=VALUE", one);
    const auto name = one.substr(0, is);
    if (!made.emplace(name, one.substr(is + 1)).second)
      return refuse("the label \"" + std::string{name} + "\" is given twice",
                    one);
    if (made.size() > node_description::labels_max)
      break; // which check_description refuses
  }
  return made;
}

const std::string& embedded_schemas_hash() {
  static const auto hash = [] {
    std::string all;
    for (const auto& file : schemas::all())
      all.append(file.path).append(1, '\0').append(file.text).append(1, '\0');
    return hex_of(sha256(all));
  }();
  return hash;
}

} // namespace convene::host
