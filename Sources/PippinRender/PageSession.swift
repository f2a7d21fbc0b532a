import Foundation
import PippinCrawl
import PippinPage

/// The connection to one page of the browser: commands go out, letters come in.
struct PageSession {
    private let process: ChromiumProcess
    private let mailbox: Mailbox
    private var letters: AsyncStream<(letter: Mailbox.Letter, byteCount: Int)>.AsyncIterator
    /// The browser's name for it; nil until the page is open.
    private var id: String?
    /// Answers that the browser has not taken yet, with their request.
    private var answers: [Int: String] = [:]

    init(in process: ChromiumProcess, _ mailbox: Mailbox) {
        (self.process, self.mailbox) = (process, mailbox)
        letters = mailbox.letters.makeAsyncIterator()
    }

    var isAttached: Bool { id != nil }

    mutating func attach(_ id: String) {
        self.id = id
        process.register(page: id, mailbox)
        let agent = process.agent
        // The flag of the browser says it to all but this list of brands.
        let brands: JSONValue = [
            ["brand": .string(agent.product), "version": .string(CrawlConfiguration.Agent.programVersion)]
        ]
        post(
            "Emulation.setUserAgentOverride",
            [
                "userAgent": .string(agent.userAgent),
                "userAgentMetadata": [
                    "brands": brands, "fullVersionList": brands, "platform": "Linux", "platformVersion": "",
                    "architecture": "", "model": "", "mobile": false,
                ],
            ])
    }

    @discardableResult
    func post(_ method: String, _ parameters: JSONValue = [:], isOfPage: Bool = true) -> Int {
        process.post(method, parameters, page: isOfPage ? id : nil, to: mailbox)
    }

    /// The next letter; nil if the task was cancelled.
    mutating func nextLetter() async -> Mailbox.Letter? {
        guard let (letter, byteCount) = await letters.next(isolation: nil) else { return nil }
        mailbox.took(byteCount: byteCount)
        return letter
    }

    // MARK: Replies to requests

    var hasOpenAnswers: Bool { !answers.isEmpty }

    mutating func send(_ reply: PageRequests.Reply, to requestID: String) {
        switch reply {
        case .own: post("Fetch.continueRequest", ["requestId": .string(requestID)])
        case .failure(let reason):
            post("Fetch.failRequest", ["requestId": .string(requestID), "errorReason": .string(reason)])
        case .answer(let fields, let body, let status):
            var answer = JSONObject()
            answer["requestId"] = .string(requestID)
            answer["responseCode"] = .integer((200...599).contains(status) ? status : 502)
            answer["responseHeaders"] = .array(
                fields.filter { Self.isSendable($0.0, $0.1) }.map { ["name": .string($0.0), "value": .string($0.1)] })
            answer["body"] = .string(Data(body).base64EncodedString())
            answers[post("Fetch.fulfillRequest", .object(answer))] = requestID
        }
    }

    /// Takes the end of a command. The browser may not take an answer, such as one with strange fields; its request must not wait
    /// for ever.
    mutating func ended(command: Int, _ result: Result<JSONValue, Mailbox.CommandFailure>) {
        guard let request = answers.removeValue(forKey: command), case .failure = result else { return }
        send(.failure("Failed"), to: request)
    }

    /// Whether the browser takes a field: its name is a token (RFC 9110 §5.6.2). For one that is none it refuses the whole answer.
    private static func isSendable(_ name: String, _ value: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { tokenCharacters.contains($0) }
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    private static let tokenCharacters = Set(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
}
