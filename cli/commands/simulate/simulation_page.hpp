#pragma once

#include <boost/json/object.hpp>
#include <convene/cli/pages/report_page.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace convene::cli {

/// The report of a simulation, from its summary with the commands that
/// reproduce its failures; `pages` are files beside it with the inspectors of
/// failed seeds.
[[nodiscard]] report_page
simulation_page(const boost::json::object& summary,
                const std::map<std::uint64_t, std::string>& pages = {});

} // namespace convene::cli
