#ifndef PIPPIN_CLIBXML2_H
#define PIPPIN_CLIBXML2_H
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#endif
