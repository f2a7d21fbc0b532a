#ifndef PIPPIN_CSTEMMER_H
#define PIPPIN_CSTEMMER_H
#include <libstemmer.h>
#endif
