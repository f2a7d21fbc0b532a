import PippinCrawl
import PippinPage
import PippinReport

extension ValidatedVisit {
    /// Asks for what only the report wants to know of a page that was read: its pictures, and how the site answers
    /// other questions. What is asked of the network follows `SingleFetch`'s rules and pauses.
    static func probes(
        of facts: PageFacts, response: FetchResponse, with single: inout SingleFetch
    ) async -> PageProbes {
        let record = RecordBuilder.conclusion(from: facts, now: response.fetchedAt).record
        return await single.probes(of: facts, record: record, response: response)
    }
}

extension PageEvidence {
    mutating func take(_ probes: PageProbes) {
        images = probes.images
        plainAddress = probes.plainAddress
        canonical = probes.canonical
        revalidation = probes.revalidation
        hostRules = probes.hostRules
    }
}
