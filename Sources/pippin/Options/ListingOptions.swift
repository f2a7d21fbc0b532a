import ArgumentParser
import PippinReport

/// What `pippin validate` goes by, listed instead of judging pages.
struct ListingOptions: ParsableArguments {
    @Flag(name: .customLong("checks"), help: "Every check, with how severe it is to fail.")
    var showsChecks = false

    @Flag(name: .customLong("types"), help: "What each type of structured data needs (S21, S22).")
    var showsTypes = false

    @Flag(name: .customLong("previews"), help: "What networks show of a page, with their limits.")
    var showsPreviews = false

    /// nil if pages are to be judged.
    func rules(for profile: ReportCard.Profile) -> CardRules? {
        guard showsChecks || showsTypes || showsPreviews else { return nil }
        return CardRules(checks: showsChecks, types: showsTypes, previews: showsPreviews, for: profile)
    }
}
