import Foundation
import Logging
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinCrawl
@testable import PippinPage

@Suite struct JSONLogHandlerTests {
    private final class Lines: Sendable {
        let bytes = Mutex<[UInt8]>([])
    }

    @Test func `a message is one object on one line, whatever it holds`() throws {
        let lines = Lines()
        var logger = Logger(label: "pippin.test") { label in
            JSONLogHandler(label: label, date: { MadeUpTime.start }) { line in
                lines.bytes.withLock { $0 += line }
            }
        }
        logger.logLevel = .notice
        logger[metadataKey: "run"] = "7"
        logger.info("left out")
        logger.notice("two\nlines and \"quotes\"", metadata: ["host": "a.test", "pages": .stringConvertible(3)])
        logger.error("bad", metadata: ["list": ["x", ["k": .stringConvertible(0.5)]]])
        let text = String(decoding: lines.bytes.withLock { $0 }, as: UTF8.self)
        let objects = try text.split(separator: "\n").map { line in
            var parser = JSONParser()
            return try parser.parse(Array(line.utf8))
        }
        #expect(objects.count == 2)
        #expect(objects[0]["time"]?.string == "2026-11-21T00:00:00.000Z")
        #expect(objects[0]["level"]?.string == "notice")
        #expect(objects[0]["label"]?.string == "pippin.test")
        #expect(objects[0]["message"]?.string == "two\nlines and \"quotes\"")
        #expect(objects[0]["metadata"]?["pages"]?.integer == 3)
        #expect(objects[0]["metadata"]?["run"]?.string == "7")
        #expect(objects[1]["metadata"]?["list"]?.array?[1]["k"]?.double == 0.5)
    }
}
