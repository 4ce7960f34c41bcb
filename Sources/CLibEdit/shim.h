// libedit's variadic functions are not imported into Swift; each use of one
// has a typed inline function here.
#include <histedit.h>
#include <stdio.h>
