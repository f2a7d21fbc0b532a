import PippinCrawl
import PippinPage
import PippinReport
import PippinServe

/// Makes the report cards of `pippin serve`: as `pippin validate` does, with the settings of the job's configuration.
///
/// It remembers which hosts were asked when, so that the pauses between two requests to a host hold from one card to the next.
/// The server asks for one card after the other.
actor CardMaker {
    private let configuration: CrawlConfiguration
    private var session = VisitSession()

    /// The largest page, in decoded bytes. Applebot reads less of a page, and whoever checks one waits for it.
    private static let maximumBodyBytes = 8 << 20

    init(_ configuration: CrawlConfiguration) {
        var configuration = configuration
        configuration.fetch.maximumBodyBytes = min(configuration.fetch.maximumBodyBytes, Self.maximumBodyBytes)
        // Everyone who reaches the server can ask for a card of any page: the operator's passwords are not for them.
        configuration.fetch.sendsCredentialsToHosts = false
        self.configuration = configuration
    }

    func card(of url: WebURL) async throws -> ReportCard {
        let visit: ValidatedVisit
        do {
            var session = session
            visit = try await ValidatedVisit(url, apps: [], configuration: configuration, in: &session) { _ in }
            self.session = session
        } catch let failure as RequestFailure {
            throw CardRefusal("\(failure.explanation(configuration.messages.settings)).")
        }
        return visit.card(ReportCard.Options())
    }
}
