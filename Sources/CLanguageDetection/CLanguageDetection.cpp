#include "CLanguageDetection.h"

// CLD2's header names FILE without including this.
#include <cstdio>

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

struct detected_languages detect_languages(const char *text, int length) {
    CLD2::CLDHints hints = {nullptr, nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
    CLD2::Language languages[3] = {CLD2::UNKNOWN_LANGUAGE, CLD2::UNKNOWN_LANGUAGE, CLD2::UNKNOWN_LANGUAGE};
    int percents[3] = {0, 0, 0};
    double scores[3] = {0, 0, 0};
    int letterBytes = 0;
    bool isReliable = false;
    CLD2::ExtDetectLanguageSummary(
        text, length, /*is_plain_text=*/true, &hints, /*flags=*/0, languages, percents, scores,
        /*resultchunkvector=*/nullptr, &letterBytes, &isReliable);
    auto part = [&](int i) { return language_part{CLD2::LanguageCode(languages[i]), percents[i]}; };
    return {part(0), part(1), part(2), letterBytes, isReliable};
}
