#pragma once

/// Marks the functions of session/, actors/ and runtime/ that an application
/// calls: the shared library exports these and hides the rest. Without effect
/// in the protocol, which exports everything, and in static libraries.
#define CONVENE_API __attribute__((visibility("default")))
