#include <convene/convene.hpp>
#include <convene/runtime/outside/client/client.hpp>

#include <iostream>

extern const std::string key;
extern const boost::json::object scenario;
