import CCurl
import Foundation
import PippinPage

/// The request's header fields beside curl's own, as curl's lists. Requests without validators share their list.
final class RequestFieldLists {
    /// The limit of validators that are sent. They come from servers and may be of any length.
    static let maximumValidatorBytes = 1024

    private let credentials: SiteCredentials
    private let signer: RequestSigner?
    private var shared: [FetchRequest.Purpose: UnsafeMutablePointer<curl_slist>] = [:]

    init(credentials: SiteCredentials, signer: RequestSigner?) {
        self.credentials = credentials
        self.signer = signer
    }

    deinit {
        for list in shared.values { curl_slist_free_all(list) }
    }

    /// The list for `request`; the caller frees it if it is not shared. Nil without memory.
    ///
    /// - Parameter date: the time for a signature.
    func list(for request: FetchRequest, at date: Date = Date()) -> (
        list: UnsafeMutablePointer<curl_slist>, isShared: Bool
    )? {
        let entityTag = Self.sendable(request.entityTag)
        let lastModified = Self.sendable(request.lastModified)
        // What may change something is nobody's in particular.
        let secrets = request.method == .get ? credentials.fields(for: request.url) : []
        let own = request.scriptFields.fields
        let origin = Self.sendable(request.origin)
        if entityTag == nil, lastModified == nil, origin == nil, secrets.isEmpty, own.isEmpty, request.method == .get,
            request.signature == nil, request.range == nil
        {
            if let list = shared[request.purpose] { return (list, true) }
            guard let list = Self.list(Self.fields(request.purpose)) else { return nil }
            shared[request.purpose] = list
            return (list, true)
        }
        var fields = Self.fields(request.purpose)
        // The later ones count.
        for (name, value) in own.map({ ($0.name, $0.value) }) + secrets.map({ ($0.name, $0.value) }) {
            fields.removeAll { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            fields.append("\(name): \(value)")
        }
        switch request.method {
        case .get: break
        // The body goes at once, without asking first (RFC 9110 §10.1.1).
        case .post: fields.append("Expect:")
        case .preflight(let method, let names):
            fields.append("Access-Control-Request-Method: \(method)")
            if let names = Self.sendable(names) { fields.append("Access-Control-Request-Headers: \(names)") }
        }
        if let range = request.range {
            // Bytes of the file itself, and not of a packed form of it.
            fields += ["Range: bytes=\(range.lowerBound)-\(range.upperBound)", "Accept-Encoding: identity"]
        }
        if let origin { fields.append("Origin: \(origin)") }
        if let entityTag { fields.append("If-None-Match: \(entityTag)") }
        if let lastModified { fields.append("If-Modified-Since: \(lastModified)") }
        if let signer, let signature = request.signature {
            let body: [UInt8]? = if case .post(let body) = request.method { body } else { nil }
            guard
                let signed = try? signer.fields(
                    url: request.url, method: request.method.name, body: body, at: date, as: signature)
            else { return nil }
            fields += signed.map { "\($0.name): \($0.value)" }
        }
        return Self.list(fields).map { ($0, false) }
    }

    private static func fields(_ purpose: FetchRequest.Purpose) -> [String] {
        ["Accept: \(purpose.accept)", "Accept-Language: en;q=0.9,*;q=0.5"]
    }

    private static func list(_ fields: [String]) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for field in fields {
            guard let longer = curl_slist_append(list, field) else {
                curl_slist_free_all(list)
                return nil
            }
            list = longer
        }
        return list
    }

    /// The validator if it is safe in a field: short, and without line ends, which would begin another field.
    private static func sendable(_ validator: String?) -> String? {
        guard let validator, !validator.isEmpty, validator.utf8.count <= maximumValidatorBytes,
            !validator.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return nil }
        return validator
    }
}

extension FetchRequest.Purpose {
    /// The `Accept` field: the wanted types first, then all others, to avoid a 406.
    var accept: String {
        switch self {
        case .page: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.1"
        case .robots, .keyFile: "text/plain,*/*;q=0.5"
        case .sitemap: "application/xml,text/xml,text/plain;q=0.9,application/gzip;q=0.9,*/*;q=0.5"
        case .associationFile: "application/json,*/*;q=0.5"
        case .usageFile: "application/rsl+xml,application/json,application/xml;q=0.9,*/*;q=0.5"
        case .manifest: "application/manifest+json,application/json;q=0.9,*/*;q=0.5"
        case .subresource, .archive: "*/*"
        case .image: "image/png,image/jpeg,image/webp,image/gif,image/*;q=0.8,*/*;q=0.1"
        }
    }
}

extension FetchRequest {
    /// The URL for curl: only visible ASCII, without the user name and password of the link.
    var requestTarget: String? {
        guard url.href.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        guard !url.username.isEmpty || !url.password.isEmpty else { return url.href }
        guard let origin = url.origin else { return nil }
        return origin + url.path + (url.query.map { "?\($0)" } ?? "")
    }
}
