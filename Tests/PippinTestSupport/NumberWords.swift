/// Finds numbers with the wrong form of their noun or verb in what Pippin says: `1 hosts`, `1 line are`.
public enum NumberWords {
    /// What is counted in messages and reports. Texts of pages have other nouns.
    /// `nonisolated(unsafe)` because matching changes nothing in it.
    private nonisolated(unsafe) static let fault =
        /(?:^|[:.;(] ?)1 [a-z]+ are\b|(?:^|[\s(])1 (?:(?:deep )?links|pages|hosts|records|URLs|requests|seeds|visits|files|lines|errors|warnings|redirects|shards|runs|changes|checks|findings|results|bytes|characters|words|days|hours|minutes|seconds|times|sites|apps|addresses|properties|keywords|pictures|scripts)\b/

    /// The first fault with the text around it; nil if there is none.
    public static func fault(in text: String) -> Substring? {
        text.split(separator: "\n").first { $0.contains("1 ") && $0.contains(fault) }?.prefix(300)
    }
}
