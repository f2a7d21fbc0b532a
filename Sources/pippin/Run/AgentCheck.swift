import Foundation
import PippinCrawl
import PippinPage

/// `pippin agent check`: what a site's edge would verify, tried once.
struct AgentCheck {
    /// What was found about one thing.
    struct Line: CustomStringConvertible {
        enum Verdict: String { case ok, advice, wrong }

        let verdict: Verdict
        let text: String

        var description: String { verdict.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0) + text }
    }

    /// The names of the job; nil without a configuration.
    let agent: CrawlConfiguration.Agent?
    let directory: WebURL
    /// The addresses of the bot, whose names are looked up.
    var addresses: [NetworkAddress] = []
    var now = Date()

    private var lines: [Line] = []

    init(agent: CrawlConfiguration.Agent?, directory: WebURL, addresses: [NetworkAddress] = [], now: Date = Date()) {
        (self.agent, self.directory, self.addresses, self.now) = (agent, directory, addresses, now)
    }

    /// Tries everything, in the order of a verifier's work.
    mutating func run(_ single: inout SingleFetch) async -> [Line] {
        lines = []
        let found = await fetchDirectory(&single)
        checkKey(found)
        await checkPage(&single)
        for address in addresses { await checkName(of: address) }
        return lines
    }

    private mutating func ok(_ text: String) { lines.append(Line(verdict: .ok, text: text)) }
    private mutating func advice(_ text: String) { lines.append(Line(verdict: .advice, text: text)) }
    private mutating func wrong(_ text: String) { lines.append(Line(verdict: .wrong, text: text)) }

    // MARK: The directory

    private mutating func fetchDirectory(_ single: inout SingleFetch) async -> KeyDirectory? {
        if directory.scheme != "https" { wrong("the directory must be at an https URL") }
        let usual = CrawlConfiguration.Agent.Signing.directoryPath
        if directory.path != usual {
            advice("verifiers that go by older drafts look for the directory only at \(usual)")
        }
        let request = FetchRequest(
            url: directory, purpose: .associationFile, maximumBodyBytes: KeyDirectory.maximumBytes,
            timeout: .seconds(10))
        switch await single.exchange(request) {
        case .failure(let failure):
            wrong(failure.explanation(.both))
            return nil
        case .success(let response): return read(response)
        }
    }

    private mutating func read(_ response: FetchResponse) -> KeyDirectory? {
        guard response.status == 200 else {
            let target = response.redirect.map { " to \($0.location)" } ?? ""
            wrong(
                "\(directory.href) answers with status \(response.status)\(target); verifiers take 200 and follow no redirect"
            )
            return nil
        }
        ok("\(directory.href) answers with 200, \(Wording.count(response.body.count, "byte"))")
        let type = response.headers["Content-Type"] ?? ""
        if response.headers.mediaType == KeyDirectory.mediaType {
            ok("its type is \(KeyDirectory.mediaType)")
        } else {
            wrong("its Content-Type is \"\(type)\"; it must be \(KeyDirectory.mediaType)")
        }
        let found: KeyDirectory
        do {
            found = try KeyDirectory(json: response.body)
        } catch {
            wrong("\(error)")
            return nil
        }
        for fault in found.faults { lines.append(Line(verdict: fault.isGrave ? .wrong : .advice, text: fault.text)) }
        checkEntries(found)
        checkSignatures(response, found)
        return found
    }

    private mutating func checkEntries(_ found: KeyDirectory) {
        if found.entries.isEmpty { wrong("the directory has no Ed25519 key") }
        for entry in found.entries {
            let name = "key \(entry.key.thumbprint)"
            if entry.key == VerificationKey.ofStandard {
                wrong("\(name) is the example of RFC 9421, whose private part everybody knows")
            } else if entry.counts(at: now) {
                let end = entry.ends.map { ", until \($0.formatted(.iso8601))" } ?? ""
                ok("\(name) counts\(end)")
            } else {
                advice("\(name) does not count now, by its \"nbf\" and \"exp\"")
            }
        }
    }

    private mutating func checkSignatures(_ response: FetchResponse, _ found: KeyDirectory) {
        guard let signatures = MessageSignature.all(of: response.headers) else {
            return wrong("the fields Signature-Input and Signature of the directory cannot be read")
        }
        let own = signatures.filter { $0.text("tag") == KeyDirectory.tag }
        guard !own.isEmpty else {
            return advice(
                "the directory is not signed, so it does not prove that its keys are its owner's; pippin agent sign prints the fields"
            )
        }
        let digest = response.headers["Content-Digest"] ?? ""
        if StructuredField.Dictionary(digest)?["sha-256"]?.item?.value != .bytes(Digest.sha256(response.body)) {
            wrong("the Content-Digest of the directory is not that of its body; run pippin agent sign for this file")
        }
        let message = SignedMessage(url: response.url, fields: response.headers, isAnswer: true)
        for entry in found.entries {
            let name = entry.key.thumbprint
            guard let signature = own.first(where: { $0.text("keyid") == name }) else {
                advice("the directory has no signature by its key \(name)")
                continue
            }
            guard signature.covers(#""@authority";req"#), signature.covers(#""content-digest""#) else {
                wrong(#"the signature by \#(name) must cover "@authority";req and "content-digest""#)
                continue
            }
            guard let created = signature.date("created"), let expires = signature.date("expires"), created <= now + 60,
                now < expires
            else {
                wrong("the signature by \(name) has ended, or does not say from when to when it counts")
                continue
            }
            // Without OpenSSL nothing would have been fetched.
            guard (try? signature.isMade(by: entry.key, of: message)) == true else {
                wrong("the signature by \(name) is not that of this host and body")
                continue
            }
            ok("the directory is signed by \(name), until \(expires.formatted(.iso8601))")
            if expires < now + 3 * 86_400 { advice("that signature ends soon; pippin agent sign renews it") }
        }
    }

    // MARK: The job's own

    private mutating func checkKey(_ found: KeyDirectory?) {
        guard let agent else { return }
        guard let signing = agent.signing else { return wrong("the configuration has no agent.signing_key") }
        if signing.directory != directory { advice("agent.directory is another one: \(signing.directory.href)") }
        do {
            let key = try SigningKey(contentsOf: signing.keyPath)
            guard let found else { return }
            let fields = try RequestSigner(key: key, directory: directory, form: signing.form)
                .fields(url: directory, method: "GET", at: now)
            let message = SignedMessage(url: directory, fields: HTTPHeaders(fields))
            switch try found.verdict(on: message, at: now) {
            case .verified(let name):
                ok("a request signed with agent.signing_key is verified with the directory's key \(name)")
            case .invalid(let reason):
                wrong("a request signed with agent.signing_key, \(key.publicKey.thumbprint), is refused: \(reason)")
            case .unsigned: wrong("requests to this directory are not signed")
            }
        } catch {
            wrong("\(error)")
        }
    }

    private mutating func checkPage(_ single: inout SingleFetch) async {
        guard let agent else { return }
        ok(
            "robots.txt is read as \(agent.robotsAgents.joined(separator: ", ")), then *; the User-Agent is \(agent.userAgent)"
        )
        if agent.robotsAgents.first?.lowercased() != agent.product.lowercased() {
            advice("the first of agent.robots_agents should be agent.product: sites that name \(agent.product) mean it")
        }
        guard let contact = agent.contact else {
            return wrong("there is no agent.contact, so public hosts are not asked")
        }
        guard let url = WebURL(contact), url.isHTTP else {
            return advice("agent.contact is no page; a page that says who the bot is and how to block it is better")
        }
        switch await single.fetch(url, purpose: .page) {
        case .failure(let failure): wrong("the bot page: \(failure.explanation(.both))")
        case .success(let response):
            let text = String(decoding: response.body, as: UTF8.self)
            let missing = [agent.product, "robots.txt", directory.href].filter { !text.contains($0) }
            if missing.isEmpty {
                ok("the bot page \(url.href) names the bot, robots.txt and the directory")
            } else {
                advice("the bot page \(url.href) does not mention \(missing.joined(separator: ", "))")
            }
        }
    }

    // MARK: Names of addresses

    private mutating func checkName(of address: NetworkAddress) async {
        switch await ReverseName.of(address) {
        case .none: advice("\(address) has no name; many sites verify crawlers by the name of their address")
        case .other(let name): wrong("\(address) has the name \(name), which leads to other addresses")
        case .failed(let reason): advice("the name of \(address) could not be checked: \(reason)")
        case .confirmed(let name): ok("\(address) has the name \(name), which leads back")
        }
    }
}
