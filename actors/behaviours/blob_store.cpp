#include <convene/actors/behaviours/blob_store.hpp>
#include <convene/protocol/documents/blob.hpp>
#include <convene/session/workspace/size.hpp>

namespace convene::actors {

bool is_for_blob(const boost::json::value& what) {
  return session::measure(what).bytes > protocol::blob_bytes_min
         || protocol::blob_in(what);
}

} // namespace convene::actors
