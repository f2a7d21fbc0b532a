#ifndef PIPPIN_CLANGUAGEDETECTION_H
#define PIPPIN_CLANGUAGEDETECTION_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A language, and how much of the text's letters are in it.
struct language_part {
    /// CLD2's code: mostly ISO 639-1, with old ones such as `iw`, and `zh-Hant`; `un` for no language. A static string.
    const char *_Nonnull code;
    int percent;
};

/// What CLD2 found in a text.
struct detected_languages {
    /// The largest part first.
    struct language_part first, second, third;
    int letter_bytes;
    bool is_reliable;
};

/// Finds the languages of a text: CLD2 itself has no interface in C. The text must be valid UTF-8. Any thread may ask.
struct detected_languages detect_languages(const char *_Nonnull text, int length);

#ifdef __cplusplus
}
#endif

#endif
