/// Recognizes the parts of a URL that identify the visitor or the source of a link, not the page.
///
/// | dropped | put there by |
/// | --- | --- |
/// | `utm_*` | Google Analytics (Urchin), used by everybody |
/// | `gclid gclsrc dclid gbraid wbraid srsltid _ga _gl` | Google Ads, Merchant Center, Analytics across domains |
/// | `fbclid al_applink_data` | Facebook |
/// | `igsh igshid` | Instagram |
/// | `msclkid` | Microsoft Advertising |
/// | `yclid ysclid _openstat` | Yandex, Openstat |
/// | `mc_cid mc_eid` | Mailchimp |
/// | `twclid ref_src` | Twitter |
/// | `ttclid` | TikTok |
/// | `li_fat_id` | LinkedIn |
/// | `epik` | Pinterest |
/// | `irclickid` | Impact |
/// | `_hsenc _hsmi hsCtaTracking` | HubSpot |
/// | `mkt_tok` | Marketo |
/// | `vero_id`, `oly_enc_id oly_anon_id`, `s_cid` | Vero, Omeda, Adobe Analytics |
/// | `_branch_match_id _branch_referrer` | Branch |
/// | `at_*` | Piano (AT Internet) |
/// | `at ct pt mt uo` on Apple's stores | Apple Services Performance Partners |
/// | `jsessionid`, `;jsessionid=…` in the path | Java servlets |
/// | `phpsessid`, `aspsessionid*` | PHP, classic ASP |
/// | `/(S(24 letters and digits))` in the path | ASP.NET without cookies |
/// | `cfid cftoken` | ColdFusion |
/// | `sid sessionid session_id lsid bv_sid` with 32 or more letters and digits for a value | hand-made sessions; shorter values name things |
///
/// Letter case of names is ignored.
enum SessionAndTracking {
    private static let names: [String] = [
        "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "srsltid", "_ga", "_gl", "fbclid", "al_applink_data", "igsh",
        "igshid", "msclkid", "yclid", "ysclid", "_openstat", "mc_cid", "mc_eid", "twclid", "ref_src", "ttclid",
        "li_fat_id",
        "epik", "irclickid", "_hsenc", "_hsmi", "hsctatracking", "mkt_tok", "vero_id", "oly_enc_id", "oly_anon_id",
        "s_cid", "_branch_match_id", "_branch_referrer", "jsessionid", "phpsessid", "cfid", "cftoken",
    ]
    private static let prefixes = ["utm_", "at_", "aspsessionid"]
    private static let ambiguousNames = ["sid", "sessionid", "session_id", "lsid", "bv_sid"]
    private static let affiliateNames = ["at", "ct", "pt", "mt", "uo"]
    private static let appleStores = [
        "apps.apple.com", "itunes.apple.com", "music.apple.com", "books.apple.com", "podcasts.apple.com",
        "tv.apple.com",
        "geo.itunes.apple.com", "geo.music.apple.com",
    ]

    private enum Rule {
        case name([UInt8])
        case prefix([UInt8])
        case ambiguousName([UInt8])
        case affiliateName([UInt8])

        var text: [UInt8] {
            switch self {
            case .name(let text), .prefix(let text), .ambiguousName(let text), .affiliateName(let text): text
            }
        }
    }

    /// The rules by the first letter of the name, so that most parameters need only one look-up.
    private static let rules: [[Rule]] = {
        var table: [[Rule]] = Array(repeating: [], count: 128)
        let all =
            names.map { Rule.name(Array($0.utf8)) } + prefixes.map { .prefix(Array($0.utf8)) }
            + ambiguousNames.map { .ambiguousName(Array($0.utf8)) }
            + affiliateNames.map { .affiliateName(Array($0.utf8)) }
        for rule in all {
            if let first = rule.text.first { table[Int(first)].append(rule) }
        }
        return table
    }()

    /// Whether the parameter `name=value` is dropped.
    static func isDropped(parameter: some BidirectionalCollection<UInt8>, onAppleStore: Bool) -> Bool {
        guard let first = parameter.first?.asciiLowercased, first < 0x80 else { return false }
        for rule in rules[Int(first)] {
            guard let rest = remainder(of: parameter, after: rule.text) else { continue }
            let endsName = rest.isEmpty || rest.first == 0x3D
            switch rule {
            case .prefix:
                return true
            case .name where endsName:
                return true
            case .affiliateName where endsName && onAppleStore:
                return true
            case .ambiguousName where endsName:
                if rest.count > 32, rest.dropFirst().allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) { return true }
            default:
                continue
            }
        }
        return false
    }

    /// The rest of `bytes` after `prefix`, which is matched in any letter case and given in lower case. Nil if the bytes do not
    /// begin with it.
    private static func remainder<Bytes: Collection<UInt8>>(
        of bytes: Bytes, after prefix: [UInt8]
    ) -> Bytes.SubSequence? {
        var index = bytes.startIndex
        for byte in prefix {
            guard index < bytes.endIndex, bytes[index].asciiLowercased == byte else { return nil }
            bytes.formIndex(after: &index)
        }
        return bytes[index...]
    }

    static func isAppleStore(_ host: some Collection<UInt8>) -> Bool {
        // The shortest store host has 12 letters, so the length rules out many hosts.
        host.count >= 12 && appleStores.contains { host.elementsEqual($0.utf8) }
    }

    private static let pathSession = Array(";jsessionid=".utf8)
    private static let cookielessStart = Array("/(s(".utf8)

    /// Appends a path without `;jsessionid=…` and `/(S(…))`.
    static func appendWithoutSession(path: [UInt8], to out: inout [UInt8]) {
        var i = 0
        while i < path.count {
            if path[i] == 0x3B, let value = remainder(of: path[i...], after: pathSession) {
                i = value.firstIndex { $0 == 0x3B || $0 == 0x2F } ?? path.count
            } else if path[i] == 0x2F, let rest = remainder(of: path[i...], after: cookielessStart),
                rest.count >= 26, rest.prefix(24).allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }),
                rest.dropFirst(24).starts(with: [0x29, 0x29]), rest.count == 26 || path[rest.startIndex + 26] == 0x2F
            {
                // The slash that follows replaces the one before.
                i = rest.startIndex + 26
                if i == path.count { out.append(0x2F) }
            } else {
                out.append(path[i])
                i += 1
            }
        }
    }
}
