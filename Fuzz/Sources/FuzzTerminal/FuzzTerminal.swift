import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTerminal(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// What is shown holds nothing that commands a terminal, JSON keeps its value, and no password is left in an address.
private func property(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let shown = TerminalText.shown(text)
    precondition(TerminalText.shown(shown) == shown, "what is shown is not safe")
    precondition(!shown.unicodeScalars.contains("\u{1B}") && !shown.unicodeScalars.contains("\u{9B}"))
    let escaped = TerminalText.escaped(JSONValue.string(text).bytes())
    precondition(TerminalText.escaped(escaped) == escaped)
    var parser = JSONParser()
    guard let value = try? parser.parse(escaped).string else { preconditionFailure("the JSON form is not JSON") }
    precondition(value.unicodeScalars.elementsEqual(text.unicodeScalars), "the JSON form means something else")
    let hidden = UserInformation.hidden(in: bytes)
    precondition(UserInformation.hidden(in: hidden) == hidden, "what was hidden shows more to hide")
    if let url = WebURL(text), url.isHTTP, !url.password.isEmpty {
        let href = UserInformation.hidden(in: url.href)
        precondition(WebURL(href)?.password.isEmpty == true, "a password is shown")
    }
}
