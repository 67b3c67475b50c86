#include <convene/protocol/json_schema/validate.hpp>

#include <cstdio>

using namespace convene::protocol;
extern const std::string text;
extern const boost::json::value document;
