// SwiftPM wants a file to compile; everything is in the header.
#include "CICU.h"
