import Foundation
import PippinPage

public struct DeepLinkRecord: Sendable {
    public var uniqueIdentifier: String
    public var url: String
    public var seeds: [String]
    public var deepLinks: [String]
    public var contentHash: String?
    public func appendJSON(to out: inout [UInt8]) {
        out += "{\"uniqueIdentifier\":\"\(uniqueIdentifier)\",\"url\":\"\(url)\",\"seeds\":\(seeds)}".utf8
    }
}

public struct RecordDeletion: Sendable {
    public var uniqueIdentifier: String
    public var reason: String
    public var at: Date
    public func appendJSON(to out: inout [UInt8]) {
        out += "{\"uniqueIdentifier\":\"\(uniqueIdentifier)\",\"deleted\":true}".utf8
    }
}
