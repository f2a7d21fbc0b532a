extension ReportCard {
    /// Whose reading of a page is judged: it decides which checks count, and which requirements of types
    /// (`TypeRequirements`).
    public enum Profile: String, Sendable, CaseIterable {
        /// Everybody's.
        case all
        /// Applebot and Spotlight.
        case apple
        /// Google Search and its rich results.
        case google
        /// Links shared on Facebook: Open Graph and App Links.
        case facebook
        /// Links shared on X: Twitter cards, with Open Graph where they are silent.
        case twitter

        /// Whether a check counts. One that does not count does not apply to the page.
        func counts(_ check: Check.Code) -> Bool {
            switch self {
            case .all: true
            case .apple: !Self.notForApple.contains(check)
            case .google: !Self.notForGoogle.contains(check)
            case .facebook: Self.forSharing.contains(check) || check == .l19
            case .twitter: Self.forSharing.contains(check) || check == .l18 || check == .s15
            }
        }

        /// Android's links, Google's app alternates, the Twitter card.
        private static let notForApple: Set<Check.Code> = [.l20, .l21, .s15]

        /// What only Applebot, iOS and those who show shared links ask for. TN2416 is Apple's, so are its keywords.
        private static let notForGoogle: Set<Check.Code> = [
            .d01, .d02, .d05, .d06, .d17, .l01, .l02, .l03, .l04, .l05, .l06, .l07, .l08, .l09, .l10, .l11, .l12, .l13,
            .l14, .l15, .l16, .l17, .l18, .l19, .l22, .l24, .l25, .l26, .l27, .s14, .s15, .s20,
        ]

        /// What a link needs to be fetched and shown with title, text and picture.
        private static let forSharing: Set<Check.Code> = [
            .s01, .s02, .s03, .s04, .s14, .s16, .t01, .t02, .t03, .t04, .t05, .t06, .t07, .t09,
        ]
    }
}
