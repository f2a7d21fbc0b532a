#ifndef PIPPIN_CPSL_H
#define PIPPIN_CPSL_H
#include <libpsl.h>
#endif
