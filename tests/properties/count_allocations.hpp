#pragma once

/// Calls of operator new so far, in a program that links count_allocations.cpp.
[[nodiscard]] long allocation_count();
