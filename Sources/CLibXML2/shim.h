#ifndef PIPPIN_CLIBXML2_H
#define PIPPIN_CLIBXML2_H
// libxml2's headers include ICU's when it was built with it, which clash with those of Swift's Foundation.
// Only a struct that Pippin never touches depends on them.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#endif
