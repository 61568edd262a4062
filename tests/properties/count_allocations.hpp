#pragma once

/// Calls of operator new and malloc so far, some counted twice, in a program that links count_allocations.cpp.
[[nodiscard]] long allocation_count();
