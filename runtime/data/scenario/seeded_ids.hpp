#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstdint>

namespace convene::host {

/// The ids of what a seed and a value decide: the same for the same two on
/// every machine, and others for another seed or value. The order of an
/// object's members does not count.
[[nodiscard]] CONVENE_API protocol::uuid_source
seeded_ids(std::uint64_t seed, const boost::json::value& what);

} // namespace convene::host
