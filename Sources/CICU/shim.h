#ifndef PIPPIN_CICU_H
#define PIPPIN_CICU_H
// The few ICU functions Pippin calls, declared here rather than included: Swift's Foundation brings a copy of ICU of its
// own whose headers define the same enums with other contents, and a program that sees both does not compile.
// `unicode/umachine.h` only has fixed-width types and the macros that add ICU's version to every function name.
// An error code is an `int32_t`: 0 is success, below 0 a warning, above 0 a failure (unicode/utypes.h).
#include <unicode/umachine.h>

typedef struct UIDNA UIDNA;
typedef struct UConverter UConverter;
typedef struct UBreakIterator UBreakIterator;
typedef struct UNormalizer2 UNormalizer2;
typedef struct UResourceBundle UResourceBundle;
typedef struct UEnumeration UEnumeration;

// unicode/uidna.h: UIDNAInfo; `size` must be set to the size of the struct.
typedef struct PippinIDNAInfo {
    int16_t size;
    UBool isTransitionalDifferent;
    UBool reservedB3;
    uint32_t errors;
    int32_t reservedI2;
    int32_t reservedI3;
} PippinIDNAInfo;

extern UIDNA *uidna_openUTS46(uint32_t options, int32_t *status);
extern int32_t uidna_nameToASCII_UTF8(
    const UIDNA *idna, const char *name, int32_t length, char *dest, int32_t capacity, PippinIDNAInfo *info,
    int32_t *status);
extern UConverter *ucnv_open(const char *name, int32_t *status);
extern void ucnv_close(UConverter *converter);
extern void ucnv_reset(UConverter *converter);
extern void ucnv_toUnicode(
    UConverter *converter, UChar **target, const UChar *targetLimit, const char **source, const char *sourceLimit,
    int32_t *offsets, UBool flush, int32_t *status);

// unicode/ubrk.h; type 1 is UBRK_WORD. unicode/unorm2.h.
extern UBreakIterator *ubrk_open(int32_t type, const char *locale, const UChar *text, int32_t length, int32_t *status);
extern void ubrk_close(UBreakIterator *iterator);
extern void ubrk_setText(UBreakIterator *iterator, const UChar *text, int32_t length, int32_t *status);
extern int32_t ubrk_next(UBreakIterator *iterator);
extern const UNormalizer2 *unorm2_getNFKCCasefoldInstance(int32_t *status);
extern const UNormalizer2 *unorm2_getNFDInstance(int32_t *status);
extern const UNormalizer2 *unorm2_getNFCInstance(int32_t *status);
extern int32_t unorm2_normalize(
    const UNormalizer2 *form, const UChar *text, int32_t length, UChar *result, int32_t capacity, int32_t *status);

// unicode/ures.h. The bundle that is filled may be the one that is asked. Opened directly, a bundle never stands for another.
extern UResourceBundle *ures_openDirect(const char *package, const char *locale, int32_t *status);
extern void ures_close(UResourceBundle *bundle);
extern UResourceBundle *ures_getByKey(
    const UResourceBundle *bundle, const char *key, UResourceBundle *filled, int32_t *status);
extern int32_t ures_getSize(const UResourceBundle *bundle);
extern const UChar *ures_getStringByIndex(
    const UResourceBundle *bundle, int32_t index, int32_t *length, int32_t *status);
extern const UChar *ures_getStringByKey(
    const UResourceBundle *bundle, const char *key, int32_t *length, int32_t *status);

// unicode/ucal.h: a calendar that refuses what is no day of it. Type 0 is UCAL_TRADITIONAL, attribute 0 UCAL_LENIENT; fields 0, 1,
// 2 and 5 are era, year, month (from 0) and day of the month.
typedef void *UCalendar;
extern UCalendar *ucal_open(
    const UChar *zone, int32_t length, const char *locale, int32_t type, int32_t *status);
extern void ucal_close(UCalendar *calendar);
extern void ucal_setAttribute(UCalendar *calendar, int32_t attribute, int32_t value);
extern void ucal_clear(UCalendar *calendar);
extern void ucal_set(UCalendar *calendar, int32_t field, int32_t value);
extern double ucal_getMillis(const UCalendar *calendar, int32_t *status);

// unicode/uloc.h; the list of languages ends with a null pointer.
extern const char *const *uloc_getISOLanguages(void);
extern int32_t uloc_countAvailable(void);
extern const char *uloc_getAvailable(int32_t index);
extern int32_t uloc_addLikelySubtags(const char *locale, char *result, int32_t capacity, int32_t *status);
extern int32_t uloc_getDisplayLanguage(
    const char *locale, const char *displayLocale, UChar *result, int32_t capacity, int32_t *status);

// unicode/ucurr.h and unicode/uenum.h. Type 9 is UCURR_COMMON | UCURR_NON_DEPRECATED; name style 0 is UCURR_SYMBOL_NAME, and
// style 2 UCURR_NARROW_SYMBOL_NAME.
extern UEnumeration *ucurr_openISOCurrencies(uint32_t type, int32_t *status);
extern const UChar *ucurr_getName(
    const UChar *currency, const char *locale, int32_t style, UBool *isChoice, int32_t *length, int32_t *status);
extern int32_t ucurr_getDefaultFractionDigits(const UChar *currency, int32_t *status);
extern const UChar *uenum_unext(UEnumeration *enumeration, int32_t *length, int32_t *status);
extern void uenum_close(UEnumeration *enumeration);

// unicode/uchar.h; -1 for what is no decimal digit.
extern int32_t u_charDigitValue(UChar32 character);
// Property 0x1004 is UCHAR_EAST_ASIAN_WIDTH, its values 3 and 5 are full width and wide; 28 is UCHAR_TERMINAL_PUNCTUATION, 35
// UCHAR_S_TERM.
extern int32_t u_getIntPropertyValue(UChar32 character, int32_t property);

// Swift does not see names that a macro makes; these wrappers keep them plain.
static inline UBool pippin_isWide(uint32_t character) {
    int32_t width = u_getIntPropertyValue((UChar32)character, 0x1004);
    return width == 3 || width == 5;
}
static inline UBool pippin_isTerminalPunctuation(uint32_t character) {
    return u_getIntPropertyValue((UChar32)character, 28) != 0;
}
static inline UBool pippin_endsSentence(uint32_t character) {
    return u_getIntPropertyValue((UChar32)character, 35) != 0;
}
static inline UIDNA *pippin_uidna_openUTS46(uint32_t options, int32_t *status) {
    return uidna_openUTS46(options, status);
}
static inline int32_t pippin_uidna_nameToASCII_UTF8(
    const UIDNA *idna, const char *name, int32_t length, char *dest, int32_t capacity, PippinIDNAInfo *info,
    int32_t *status) {
    return uidna_nameToASCII_UTF8(idna, name, length, dest, capacity, info, status);
}
static inline UConverter *pippin_ucnv_open(const char *name, int32_t *status) { return ucnv_open(name, status); }
static inline void pippin_ucnv_close(UConverter *converter) { ucnv_close(converter); }
static inline void pippin_ucnv_reset(UConverter *converter) { ucnv_reset(converter); }
static inline void pippin_ucnv_toUnicode(
    UConverter *converter, UChar **target, const UChar *targetLimit, const char **source, const char *sourceLimit,
    UBool flush, int32_t *status) {
    ucnv_toUnicode(converter, target, targetLimit, source, sourceLimit, 0, flush, status);
}
static inline UBreakIterator *pippin_ubrk_openWords(int32_t *status) { return ubrk_open(1, "", 0, 0, status); }
static inline void pippin_ubrk_close(UBreakIterator *iterator) { ubrk_close(iterator); }
static inline void pippin_ubrk_setText(UBreakIterator *iterator, const UChar *text, int32_t length, int32_t *status) {
    ubrk_setText(iterator, text, length, status);
}
static inline int32_t pippin_ubrk_next(UBreakIterator *iterator) { return ubrk_next(iterator); }
static inline const UNormalizer2 *pippin_unorm2_getNFKCCasefold(int32_t *status) {
    return unorm2_getNFKCCasefoldInstance(status);
}
static inline const UNormalizer2 *pippin_unorm2_getNFD(int32_t *status) { return unorm2_getNFDInstance(status); }
static inline const UNormalizer2 *pippin_unorm2_getNFC(int32_t *status) { return unorm2_getNFCInstance(status); }
static inline int32_t pippin_unorm2_normalize(
    const UNormalizer2 *form, const UChar *text, int32_t length, UChar *result, int32_t capacity, int32_t *status) {
    return unorm2_normalize(form, text, length, result, capacity, status);
}
static inline UResourceBundle *pippin_ures_openDirect(const char *bundle, int32_t *status) {
    return ures_openDirect(0, bundle, status);
}
static inline void pippin_ures_close(UResourceBundle *bundle) { ures_close(bundle); }
static inline UResourceBundle *pippin_ures_getByKey(
    const UResourceBundle *bundle, const char *key, UResourceBundle *filled, int32_t *status) {
    return ures_getByKey(bundle, key, filled, status);
}
static inline int32_t pippin_ures_getSize(const UResourceBundle *bundle) { return ures_getSize(bundle); }
static inline const UChar *pippin_ures_getStringByIndex(
    const UResourceBundle *bundle, int32_t index, int32_t *length, int32_t *status) {
    return ures_getStringByIndex(bundle, index, length, status);
}
static inline const UChar *pippin_ures_getStringByKey(
    const UResourceBundle *bundle, const char *key, int32_t *length, int32_t *status) {
    return ures_getStringByKey(bundle, key, length, status);
}
static inline UCalendar *pippin_ucal_open(const char *locale, int32_t *status) {
    static const UChar utc[] = {'E', 't', 'c', '/', 'U', 'T', 'C', 0};
    UCalendar *calendar = ucal_open(utc, -1, locale, 0, status);
    if (calendar) ucal_setAttribute(calendar, 0, 0);
    return calendar;
}
static inline void pippin_ucal_close(UCalendar *calendar) { ucal_close(calendar); }
// Milliseconds since 1970. An era below 0 is the calendar's present one.
static inline double pippin_ucal_millis(
    UCalendar *calendar, int32_t era, int32_t year, int32_t month, int32_t day, int32_t *status) {
    ucal_clear(calendar);
    if (era >= 0) ucal_set(calendar, 0, era);
    ucal_set(calendar, 1, year);
    ucal_set(calendar, 2, month);
    ucal_set(calendar, 5, day);
    return ucal_getMillis(calendar, status);
}
static inline int32_t pippin_uloc_countAvailable(void) { return uloc_countAvailable(); }
static inline const char *pippin_uloc_getAvailable(int32_t index) { return uloc_getAvailable(index); }
static inline int32_t pippin_uloc_addLikelySubtags(
    const char *locale, char *result, int32_t capacity, int32_t *status) {
    return uloc_addLikelySubtags(locale, result, capacity, status);
}
static inline const char *const *pippin_uloc_getISOLanguages(void) { return uloc_getISOLanguages(); }
static inline int32_t pippin_uloc_getDisplayLanguage(
    const char *locale, const char *displayLocale, UChar *result, int32_t capacity, int32_t *status) {
    return uloc_getDisplayLanguage(locale, displayLocale, result, capacity, status);
}
static inline UEnumeration *pippin_ucurr_openInUse(int32_t *status) { return ucurr_openISOCurrencies(9, status); }
static inline const UChar *pippin_ucurr_getSign(
    const UChar *currency, UBool isNarrow, int32_t *length, int32_t *status) {
    UBool isChoice;
    return ucurr_getName(currency, "root", isNarrow ? 2 : 0, &isChoice, length, status);
}
static inline int32_t pippin_ucurr_getDecimals(const UChar *currency, int32_t *status) {
    return ucurr_getDefaultFractionDigits(currency, status);
}
static inline const UChar *pippin_uenum_next(UEnumeration *enumeration, int32_t *length, int32_t *status) {
    return uenum_unext(enumeration, length, status);
}
static inline void pippin_uenum_close(UEnumeration *enumeration) { uenum_close(enumeration); }
static inline int32_t pippin_u_charDigitValue(uint32_t character) { return u_charDigitValue((UChar32)character); }
#endif
