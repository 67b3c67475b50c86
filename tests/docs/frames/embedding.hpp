#include <convene/convene.hpp>
#include <convene/modes/catalog.hpp>

extern convene::runtime rt;
convene::reply write_patch(const convene::turn_request&);
