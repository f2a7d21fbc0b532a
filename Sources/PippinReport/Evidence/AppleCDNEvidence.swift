import PippinPage

/// What Apple's CDN has of a host's association file.
struct AppleCDNEvidence: Sendable {
    enum Answer: Sendable {
        case file(AppleAssociationOutcome)
        /// The CDN has no file.
        case failure(Failure)
        /// The CDN was not seen; a clause that says why.
        case unseen(String)
    }

    /// What the CDN's headers say of its own request to the site. The codes are from real answers; Apple documents none.
    struct Failure: Sendable, Hashable {
        let status: Int
        /// `Apple-Failure-Reason`: `SWCERR00301 Timeout`.
        let reason: String?
        /// `Apple-Failure-Details`.
        let details: String?
        /// `Apple-From`: the address that the CDN asked for.
        let source: String?

        init(status: Int, reason: String? = nil, details: String? = nil, source: String? = nil) {
            self.status = status
            self.reason = reason
            self.details = details
            self.source = source
        }

        /// ` (status 404, “SWCERR00301 Timeout”, asking “https://…”)`
        var clause: String {
            var parts = ["status \(status)"]
            if let reason { parts.append(Wording.quoted(reason)) }
            if let details { parts.append(Wording.quoted(details)) }
            if let source { parts.append("asking \(Wording.quoted(source))") }
            return " (\(parts.joined(separator: ", ")))"
        }

        static let usualRemedy =
            "If it stays so, let Apple's AASA-Bot fetch the file: no bot wall, no login, no closed country."

        var remedy: String {
            let code = (reason ?? "").utf8.prefix(11)
            return switch String(decoding: Array(code), as: UTF8.self) {
            case "SWCERR00101": "The site answered the CDN with an error. \(Self.usualRemedy)"
            case "SWCERR00202": "The host's name leads to a private or reserved address. Give it a one."
            case "SWCERR00301": "The site took too long: answer within five seconds. \(Self.usualRemedy)"
            case "SWCERR00401": "The CDN got what is no JSON, perhaps an error page. \(Self.usualRemedy)"
            default: "The CDN asks the site within a day after the first device asks for it. \(Self.usualRemedy)"
            }
        }
    }

    /// The root of the host over https.
    let site: WebURL
    /// The address at the CDN.
    let url: WebURL
    let answer: Answer
    /// How old the answer was when it came (RFC 9111 §4.2.3); nil if there was none.
    var age: Duration?

    /// ` The CDN's copy is 3 hours old.`; empty for one that is not older than an hour, and if it does not say.
    var ageSentence: String {
        guard case .file = answer, let hours = age.map({ $0.components.seconds / 3_600 }), hours > 0 else { return "" }
        let time = hours < 48 ? Wording.count(Int(hours), "hour") : Wording.count(Int(hours / 24), "day")
        return " The CDN's copy is \(time) old."
    }
}
