#ifndef PIPPIN_CICU_H
#define PIPPIN_CICU_H
// ICU renames every function with its version (uidna_openUTS46_72) by macro, which Swift does not see.
// These inline wrappers keep the plain names.
#include <unicode/ucnv.h>
#include <unicode/uidna.h>

static inline UIDNA *pippin_uidna_openUTS46(uint32_t options, UErrorCode *status) {
    return uidna_openUTS46(options, status);
}
static inline int32_t pippin_uidna_nameToASCII_UTF8(
    const UIDNA *idna, const char *name, int32_t length, char *dest, int32_t capacity, UIDNAInfo *info,
    UErrorCode *status) {
    return uidna_nameToASCII_UTF8(idna, name, length, dest, capacity, info, status);
}
static inline UConverter *pippin_ucnv_open(const char *name, UErrorCode *status) { return ucnv_open(name, status); }
static inline void pippin_ucnv_close(UConverter *converter) { ucnv_close(converter); }
static inline void pippin_ucnv_toUnicode(
    UConverter *converter, UChar **target, const UChar *targetLimit, const char **source, const char *sourceLimit,
    UBool flush, UErrorCode *status) {
    ucnv_toUnicode(converter, target, targetLimit, source, sourceLimit, NULL, flush, status);
}
static inline void pippin_ucnv_fromUnicode(
    UConverter *converter, char **target, const char *targetLimit, const UChar **source, const UChar *sourceLimit,
    UBool flush, UErrorCode *status) {
    ucnv_fromUnicode(converter, target, targetLimit, source, sourceLimit, NULL, flush, status);
}
#endif
