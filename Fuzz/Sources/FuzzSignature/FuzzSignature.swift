import Foundation
import OutputChecks
import PippinCrawl
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSignature(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzedUnit.run(data, count, property)
}

private let date = Date(timeIntervalSince1970: 1_735_689_600)
private let key = try? SigningKey.generated()
private let url = WebURL("https://example.org/path?query")

/// What a structured field is written as reads as the same. What a server asks for gives a signature that its key verifies. A directory
/// has the same keys once it is written again.
private func property(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let field = StructuredField.Dictionary(text) {
        precondition(StructuredField.Dictionary(field.serialized) == field, "\(field.serialized) is another field")
    }
    if let item = StructuredField.Item(text) {
        precondition(StructuredField.Item(item.serialized) == item, "\(item.serialized) is another item")
    }
    if let list = StructuredField.List(text) {
        let again = StructuredField.List(list.members.map(\.serialized).joined(separator: ", "))
        precondition(again == list, "another list")
    }
    if let directory = try? KeyDirectory(json: bytes) {
        let again = try? KeyDirectory(json: directory.json())
        precondition(again?.entries.map(\.key) == directory.entries.map(\.key), "another directory")
        precondition(again?.faults.isEmpty == true, "a fault of our own")
    }
    guard let request = SignatureRequest(HTTPHeaders([("Accept-Signature", text)])), let key, let url else { return }
    let signer = RequestSigner(key: key, directory: url)
    guard let fields = try? signer.fields(url: url, method: "GET", at: date, as: request) else {
        preconditionFailure("not signed")
    }
    let message = SignedMessage(url: url, fields: HTTPHeaders(fields))
    let verdict = try? KeyDirectory([KeyDirectory.Entry(key.publicKey)]).verdict(on: message, at: date)
    precondition(verdict == .verified(keyID: key.publicKey.thumbprint), "\(String(describing: verdict))")
}
