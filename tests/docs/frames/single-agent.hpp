#include <convene/convene.hpp>

extern const boost::json::object scenario;
