// SwiftPM requires a file to compile. Everything is in the header.
#include "CICU.h"
