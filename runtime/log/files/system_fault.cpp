#include <convene/runtime/log/files/system_fault.hpp>

#include <cerrno>

namespace convene::host {

bool is_system_fault(const std::error_code& why) {
  return why == std::errc::no_space_on_device || why == std::errc::io_error
         || why == std::errc::too_many_files_open
         || why == std::errc::too_many_files_open_in_system
         || why == std::errc::not_enough_memory || why.value() == EDQUOT;
}

} // namespace convene::host
