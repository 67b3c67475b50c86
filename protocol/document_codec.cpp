#include <convene/protocol/describe.hpp>
#include <convene/protocol/document_codec.hpp>
#include <convene/protocol/object_reader.hpp>
#include <convene/protocol/object_writer.hpp>

namespace convene::protocol {

template <class T>
result<T> decode(const json::value& from, std::string_view pointer) {
  reading r;
  T to;
  if (!read(r, from, place{.name = pointer}, anything, to))
    return fail(*std::move(r.fault));
  return to;
}

template <class T>
json::value encode(const T& from) {
  return write(from);
}

template result<collab> decode(const json::value&, std::string_view);
template result<confirm> decode(const json::value&, std::string_view);
template result<context> decode(const json::value&, std::string_view);
template result<dialog> decode(const json::value&, std::string_view);
template result<plan> decode(const json::value&, std::string_view);
template result<plan_step> decode(const json::value&, std::string_view);
template result<role> decode(const json::value&, std::string_view);
template result<trace> decode(const json::value&, std::string_view);

template json::value encode(const collab&);
template json::value encode(const confirm&);
template json::value encode(const context&);
template json::value encode(const dialog&);
template json::value encode(const plan&);
template json::value encode(const plan_step&);
template json::value encode(const role&);
template json::value encode(const trace&);

} // namespace convene::protocol
