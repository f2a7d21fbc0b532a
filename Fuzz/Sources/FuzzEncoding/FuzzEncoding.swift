import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEncoding(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { FuzzedUnit.run(data, count, property) }

/// Whatever is detected, the decoded text is valid UTF-8 without NUL, and decoding it as UTF-8 changes nothing.
private func property(_ bytes: [UInt8]) {
    let labels = [
        "utf-8", "windows-1252", "shift_jis", "euc-jp", "iso-2022-jp", "gbk", "gb18030", "big5", "euc-kr", "utf-16le",
        "utf-16be", "x-user-defined", "replacement", "koi8-u",
    ]
    let chosen = bytes.first.flatMap { CharacterEncoding(label: labels[Int($0) % labels.count]) }
    for encoding in [CharacterEncoding.detect(bytes: bytes, headers: HTTPHeaders()).encoding, chosen].compactMap({ $0 })
    {
        let text = encoding.decode(bytes)
        precondition(!text.utf8.contains(0))
        precondition(String(validating: text.utf8, as: UTF8.self) != nil, "\(encoding.name) is not valid UTF-8")
        precondition(CharacterEncoding.utf8.decode(text.utf8).replacements == 0)
    }
}
