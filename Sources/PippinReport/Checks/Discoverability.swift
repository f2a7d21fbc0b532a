// The checks of whether a page can be found and indexed: D01…D04 and D17 in RobotsFileChecks, D05 and D06 in ResourceChecks, D07…D09
// in PermissionChecks, D10…D14 in AmongPages, D15 and D16 in AccessChecks, D18 in IntrusionChecks, D19 in LanguageVersionChecks.

import PippinPage

enum Discoverability {
    static func place(_ robots: RobotsEvidence, line: Int? = nil) -> Finding.Place {
        Finding.Place(.file, robots.url.href, line: line)
    }

    static func notSeen<Value>(_ observation: PageEvidence.Observation<Value>) -> [Verdict] {
        [.unknown("Not seen: \(observation.reason ?? "it was not looked at").")]
    }
}
