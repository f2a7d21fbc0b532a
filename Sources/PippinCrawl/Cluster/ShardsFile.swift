import Foundation
import PippinPage

/// `shards.json`, beside the configuration of a job that is cut into shards.
public enum ShardsFile {
    public static let name = "shards.json"

    /// Compares the file with an order. A job without the file is known by its storages alone.
    ///
    /// - Throws: `ConfigurationError` if the file says something else.
    public static func check(_ order: EpochOrder, path: String) throws(ConfigurationError) {
        guard FileManager.default.fileExists(atPath: path) else { return }
        func wrong(_ problem: String) -> ConfigurationError { ConfigurationError(file: path, problem: problem) }
        let value: JSONValue
        do {
            var parser = JSONParser()
            value = try parser.parse(try InputFile.bytes(at: path))
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw wrong("is not JSON")
        }
        guard value["version"]?.integer == 1 else { throw wrong("is not of version 1; this Pippin knows no other") }
        guard let count = value["shards"]?.integer, count == order.shard.count else {
            throw wrong("the job does not have \(order.shard.count) shards; `reshard` changes their number")
        }
        guard value["by"]?.string == Shard.rule else {
            throw wrong("the shards were not made by the rule \(Shard.rule), and this Pippin knows no other")
        }
    }
}
