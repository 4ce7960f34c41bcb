#pragma once
#include <stddef.h>

/// How many bytes this process has allocated and not freed; 0 if the system cannot say it.
size_t allocated_memory(void);
