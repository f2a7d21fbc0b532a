import Testing

@testable import PippinCrawl
@testable import PippinPage

/// What each state of a robots.txt means for each path and each purpose.
@Suite struct RobotsPermissionTests {
    private enum State: CaseIterable {
        case notKnown, unreachable, noFile, rules

        var rules: Result<RobotsRules, RequestFailure>? {
            switch self {
            case .notKnown: nil
            case .unreachable: .failure(RobotsPermissionTests.trouble)
            case .noFile: .success(.allowAll)
            case .rules:
                .success(
                    RobotsRules(
                        RobotsFile(
                            bytes: Array("User-agent: *\nDisallow: /private/\n".utf8),
                            url: RobotsPermissionTests.url("/robots.txt")),
                        agents: ["Pippin"]))
            }
        }
    }

    private static let trouble = RequestFailure(.status(503), asking: url("/robots.txt"))
    private static func url(_ path: String) -> WebURL { WebURL("https://a.test" + path)! }

    @Test(arguments: State.allCases, ["/", "/private/x", "/robots.txt"])
    private func `a state decides about a path, whatever for`(state: State, path: String) {
        let url = Self.url(path)
        for purpose in FetchRequest.Purpose.allCases {
            let permission = RobotsPermission(state.rules, of: url, for: purpose)
            switch (purpose, state, path) {
            case (.robots, _, _):
                #expect(permission == .notNeeded && permission.refusal == nil)
            case (_, .notKnown, _):
                #expect(permission == .rulesNeeded && permission.refusal == nil)
            case (_, .unreachable, _):
                #expect(permission == .unreachable(Self.trouble))
                #expect(permission.refusal == .robotsUnreachable(Self.trouble))
            case (_, .rules, "/private/x"):
                guard case .disallowed(let decision) = permission else {
                    Issue.record("\(purpose) is \(permission)")
                    continue
                }
                #expect(decision.rule?.line == 2)
                #expect(permission.refusal == .disallowed(decision.sentence))
            default:
                guard case .allowed(let decision) = permission else {
                    Issue.record("\(purpose) is \(permission)")
                    continue
                }
                #expect(decision.isAllowed && permission.refusal == nil)
            }
        }
    }
}
