#include <convene/server/http/answer_room.hpp>

namespace convene::server {
namespace {

/// An answer of so few bytes, an error for example, is given in any case.
constexpr std::size_t small_answer_bytes = 4 << 10;

response try_again(error_form form, unsigned status, std::string_view code,
                   std::string_view message) {
  auto made = error_response(form, status, code, message);
  made.headers.emplace_back("Retry-After", "5");
  return made;
}

response untaken(error_form form, answer_budget::room why) {
  if (why == answer_budget::room::reader_full)
    return try_again(form, 429, "key_answers_bytes_max",
                     "too many bytes of answers to this key or address are "
                     "waiting to be read; read them first, then try again");
  return try_again(form, 503, "answers_bytes_max",
                   "too many bytes of answers are waiting to be read; try "
                   "again");
}

} // namespace

std::string reader_of(const caller& by, std::string_view address) {
  return by.key_id.empty() ? counted_address(address) : "key " + by.key_id;
}

std::optional<response> no_room(const server_core& core, error_form form,
                                const spare_connection& on,
                                std::string_view reader) {
  if (on.is_of_full_key)
    return try_again(form, 429, "key_connections_max",
                     "too many connections of this key are open; use fewer, or "
                     "close some");
  if (on.is_reserve)
    return try_again(form, 503, "connections_max",
                     "too many connections are open, in all or from this "
                     "address; try again");
  const auto room = core.answers->room_for(reader);
  if (room == answer_budget::room::enough)
    return std::nullopt;
  return untaken(form, room);
}

answer_budget::charge hold(server_core& core, error_form form,
                           std::string_view reader, response& what) {
  answer_budget::charge held;
  const auto bytes = what.body.size();
  if (bytes > core.limits.answer_bytes_max) {
    what = error_response(form, 500, "answer_bytes_max",
                          "the answer has " + std::to_string(bytes)
                            + " bytes; ask for less, or start the server with "
                              "a larger --limit answer_bytes_max");
    return held;
  }
  const auto room = core.answers->try_take(reader, bytes, held);
  if (room != answer_budget::room::enough && bytes > small_answer_bytes)
    what = untaken(form, room);
  return held;
}

} // namespace convene::server
