#pragma once

/// Marks the functions of session/, actors/ and runtime/ that an application
/// calls: the shared library exports these and hides the rest. No effect in
/// protocol/, which exports everything, or in static libraries.
#define CONVENE_API __attribute__((visibility("default")))
