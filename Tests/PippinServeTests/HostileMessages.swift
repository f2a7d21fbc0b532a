import PippinPage
import PippinTestSupport

/// Messages of the Model Context Protocol that are at fault: broken, too deep, of other types, twice, with half characters.
enum HostileMessages {
    private static let good: [JSONValue] = [
        MCPRouteTests.request("server/discover"), MCPRouteTests.request("tools/list"),
        MCPRouteTests.call("search", ["q": "pie", "fields": ["title"]]),
        MCPRouteTests.call("record", ["url": "https://a.test/"]),
    ]

    private static let values: [JSONValue] = [
        nil, true, .number("1.5"), -7, "", "x", [], [[]], [:], ["a": [:]],
        .string(String(repeating: "y", count: 5_000)),
        .number("1e400"), .number("99999999999999999999999999"), "\u{0}\u{1b}]0;x\u{7}",
    ]

    static func all(using random: inout FixedRandom) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for message in good {
            let bytes = message.bytes()
            for _ in 0..<25 {
                lines.append(Array(bytes.prefix(Int.random(in: 1..<bytes.count, using: &random))))
                var broken = bytes
                broken.insert(
                    [0xFF, 0xC0, 0x80, 0xED, 0x00].randomElement(using: &random) ?? 0xFF,
                    at: Int.random(in: 0...bytes.count, using: &random))
                lines.append(broken)
            }
            lines.append(bytes + bytes)
            lines.append(Array("[".utf8) + bytes + Array(",".utf8) + bytes + Array("]".utf8))
            lines += wrongTypes(of: message)
        }
        for depth in [17, 1_000, 30_000] {
            lines.append(Array(repeating: UInt8(ascii: "["), count: depth))
            lines.append(
                Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth))
            let nested = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
            lines.append(
                Array(#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"#.utf8) + Array("\(nested)}".utf8))
        }
        lines.append(Array("[\(Array(repeating: "1", count: 30_000).joined(separator: ","))]".utf8))
        lines += [
            #"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list","params":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"tools/list","params":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"a":"\ud800"}}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{}}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#, "null", "\"x\"", "1e9999", "{}", "[]", "nul",
            "Content-Length: 30", "GET /mcp HTTP/1.1", "\u{feff}{}", "{'a':1}", "// {}", "NaN",
        ].map { Array($0.utf8) }
        return lines
    }

    /// The message with each member that the protocol has replaced by each value that it is not.
    private static func wrongTypes(of message: JSONValue) -> [[UInt8]] {
        var paths: [[String]] = [["jsonrpc"], ["id"], ["method"], ["params"], ["params", "_meta"]]
        paths += [MCPKey.version, MCPKey.capabilities].map { ["params", "_meta", $0] }
        if message["method"]?.string == "tools/call" { paths += [["params", "name"], ["params", "arguments"]] }
        return paths.flatMap { path in
            values.filter { !isRight($0, at: path[path.count - 1]) }.map {
                replacing(path[...], in: message, by: $0).bytes()
            }
        }
    }

    private static func isRight(_ value: JSONValue, at key: String) -> Bool {
        switch key {
        case "id": value.string.map { $0.utf8.count <= 200 } ?? (value.integer != nil)
        case "arguments", MCPKey.capabilities: value.object != nil
        default: false
        }
    }

    private static func replacing(_ path: ArraySlice<String>, in value: JSONValue, by other: JSONValue) -> JSONValue {
        guard let key = path.first else { return other }
        var object = value.object ?? JSONObject()
        object[key] = replacing(path.dropFirst(), in: object[key] ?? [:], by: other)
        return .object(object)
    }
}

private enum MCPKey {
    static let version = "io.modelcontextprotocol/protocolVersion"
    static let capabilities = "io.modelcontextprotocol/clientCapabilities"
}
