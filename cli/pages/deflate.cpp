#include <boost/beast/zlib/deflate_stream.hpp>
#include <convene/cli/pages/deflate.hpp>

namespace convene::cli {

std::string deflated(std::string_view bytes) {
  namespace zlib = boost::beast::zlib;
  constexpr int level = 6;
  constexpr int window_bits = 15;
  constexpr int memory_level = 8;
  zlib::deflate_stream stream;
  stream.reset(level, window_bits, memory_level, zlib::Strategy::normal);
  std::string made(stream.upper_bound(bytes.size()), '\0');
  zlib::z_params state;
  state.next_in = bytes.data();
  state.avail_in = bytes.size();
  state.next_out = made.data();
  state.avail_out = made.size();
  boost::beast::error_code ended;
  // There is room for everything, so one call does it.
  stream.write(state, zlib::Flush::finish, ended);
  made.resize(state.total_out);
  made.shrink_to_fit(); // callers keep many
  return made;
}

} // namespace convene::cli
