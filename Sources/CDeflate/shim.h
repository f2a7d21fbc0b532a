#ifndef PIPPIN_CDEFLATE_H
#define PIPPIN_CDEFLATE_H
#include <libdeflate.h>
#endif
