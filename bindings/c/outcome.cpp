#include <boost/json/serialize.hpp>
#include <convene/bindings/c/outcome.hpp>
#include <convene/protocol/json/encode_error.hpp>

#include <cstdlib>
#include <cstring>
#include <new>

namespace convene::c_api {
namespace {

/// The codes of convene.h follow those of `errc`.
constexpr int first_failure = CONVENE_UNREADABLE
                              - static_cast<int>(protocol::errc::unreadable);
static_assert(first_failure + static_cast<int>(protocol::errc::internal)
              == CONVENE_INTERNAL);
static_assert(first_failure + static_cast<int>(protocol::errc::not_allowed)
              == CONVENE_NOT_ALLOWED);

} // namespace

int report(const protocol::error& what, char** error) noexcept {
  if (error != nullptr)
    try {
      *error
        = text_for_caller(boost::json::serialize(protocol::encode_error(what)));
    } catch (...) {
      // No memory is left for words.
    }
  return first_failure + static_cast<int>(what.code);
}

char* text_for_caller(std::string_view text) {
  auto* const made = static_cast<char*>(std::malloc(text.size() + 1));
  if (made == nullptr)
    throw std::bad_alloc{};
  std::memcpy(made, text.data(), text.size());
  made[text.size()] = '\0';
  return made;
}

tl::unexpected<protocol::error> null_argument(const char* name) {
  return protocol::fail(
    protocol::errc::usage,
    std::string{"the argument `"} + name + "` must not be NULL", "not_null");
}

protocol::result<protocol::json::object> object_argument(const char* text,
                                                         const char* name) {
  if (text == nullptr)
    return null_argument(name);
  auto value = protocol::parse_json(text);
  if (!value)
    return protocol::fail(std::move(value).error());
  if (!value->is_object())
    return protocol::fail(
      {.code = protocol::errc::invalid_document,
       .message = std::string{"`"} + name + "` must be a JSON object",
       .rule = "type"});
  return std::move(value->get_object());
}

} // namespace convene::c_api
