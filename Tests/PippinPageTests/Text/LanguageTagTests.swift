import PippinPage
import Testing

/// Tags of languages as pages write them.
@Suite struct LanguageTagTests {
    @Test(arguments: [
        ("en_US", "en-US"), ("ZH_hant_tw", "zh-Hant-TW"), ("eng", "en"), ("iw", "he"), ("English", "en"),
        ("de_DE.UTF-8", "de-DE"),
        ("es-419", "es-419"), ("fil", "fil"), ("sl-rozaj", "sl-rozaj"), ("en-GB-x-private", "en-GB"),
    ])
    func `a language is spelled as BCP 47 asks`(text: String, tag: String) {
        #expect(LanguageTag.normalized(text) == tag)
    }

    @Test(arguments: ["", "x-default", "und", "C", "e", "123", "klingonisch", "-en"])
    func `what names no language gives none`(text: String) {
        #expect(LanguageTag.normalized(text) == nil)
    }
}
