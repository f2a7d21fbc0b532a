import Foundation
import PippinTestSupport
import Testing

@testable import PippinCrawl
@testable import PippinPage

/// WARC files that are whole, damaged, or made to cost time, read record by record.
@Suite struct WARCReaderTests {
    /// A file in memory. It counts the bytes that are read.
    private final class Bytes {
        let all: [UInt8]
        let piece: Int
        var index = 0
        var readBytes = 0

        init(_ all: [UInt8], piece: Int) {
            self.all = all
            self.piece = piece
        }

        func read(_ room: UnsafeMutableRawBufferPointer) -> Int {
            let count = min(room.count, piece, all.count - index)
            room.copyBytes(from: all[index..<(index + count)])
            index += count
            readBytes += count
            return count
        }
    }

    private func readings(
        of bytes: [UInt8], piece: Int = .max, isPipe: Bool = true, keeping: Int = .max
    ) throws -> (all: [WARCReader.Reading], readBytes: Int) {
        let file = Bytes(bytes, piece: piece)
        let seek: (UInt64) -> Bool = { offset in
            file.index = Int(offset)
            return true
        }
        let reader = WARCReader(FileWindow(seek: isPipe ? nil : seek) { .success(file.read($0)) })
        var all: [WARCReader.Reading] = []
        while let reading = try reader.next(keeping: { _ in keeping }) { all.append(reading) }
        return (all, file.readBytes)
    }

    private func records(_ readings: [WARCReader.Reading]) -> [ArchivedRecord] {
        readings.compactMap { if case .record(let record) = $0 { record } else { nil } }
    }

    private func damages(_ readings: [WARCReader.Reading]) -> [WARCReader.Damage] {
        readings.compactMap { if case .damage(let damage) = $0 { damage } else { nil } }
    }

    private static func record(_ number: Int, block: [UInt8]? = nil) -> [UInt8] {
        let text = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>\(number)</title>"
        var record = WARCRecord(
            number == 0 ? .warcinfo : .response, date: MadeUpTime.start,
            contentType: "application/http;msgtype=response", block: block ?? Array(text.utf8))
        record.set("WARC-Target-URI", "https://example.org/\(number)")
        return record.bytes
    }

    private static func member(_ bytes: [UInt8]) -> [UInt8] { PackedBytes.deflate(bytes, .gzip) }

    private func numbers(_ readings: [WARCReader.Reading]) -> [String] {
        records(readings).map { $0.url?.path ?? "none" }
    }

    // MARK: Whole files

    @Test(arguments: [1, 7, 4_096, .max])
    func `records are found in plain files, in members of their own, and many in one member`(piece: Int) throws {
        let all = (0..<5).map { Self.record($0) }
        for (bytes, isAlone) in [
            (Array(all.joined()), true), (Array(all.map(Self.member).joined()), true),
            (Self.member(Array(all.joined())), false),
        ] {
            let readings = try readings(of: bytes, piece: piece).all
            let records = records(readings)
            #expect(records.count == readings.count && numbers(readings) == (0..<5).map { "/\($0)" })
            #expect(
                records[3].kind == .response && String(decoding: records[3].block, as: UTF8.self).hasSuffix("3</title>")
            )
            guard isAlone else {
                #expect(records.allSatisfy { $0.offset == 0 && $0.length == nil })
                continue
            }
            var offset: UInt64 = 0
            for record in records {
                #expect(record.offset == offset)
                offset += record.length ?? 0
            }
            #expect(offset == UInt64(bytes.count))
        }
    }

    @Test func `only the wanted beginning of a block is kept, and its whole length is known`() throws {
        let bytes = Self.member(Self.record(1, block: Array(repeating: 0x61, count: 3_000_000))) + Self.record(2)
        let records = records(try readings(of: bytes, keeping: 10).all)
        #expect(records.map(\.block.count) == [10, 10] && records[0].blockBytes == 3_000_000)
    }

    @Test func `other writers' records are read too`() throws {
        let text = """
            WARC/1.0
            warc-type: Response
            WARC-Target-URI: <https://example.org/a>
            WARC-Date: 2016-01-02T03:04:05Z
            X-Folded: one
              two
            Content-Length:  5

            hello
            """
        let next = "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 0\r\n\r\n"
        for ends in ["", "\n", "\n\n", "\r\n\r\n\r\n\r\n"] {
            let readings = try readings(of: Array((text + ends + next).utf8)).all
            let records = records(readings)
            #expect(readings.count == 2 && records.count == 2, "\(readings)")
            #expect(records.first?.url?.href == "https://example.org/a" && records.first?.kind == .response)
            #expect(records.first?.fields["X-Folded"] == "one two")
            #expect(records.first.map { String(decoding: $0.block, as: UTF8.self) } == "hello")
        }
        #expect(try readings(of: []).all.isEmpty)
    }

    // MARK: Damage

    @Test(arguments: [true, false])
    func `a damaged member is reported, and the next ones are read`(isPipe: Bool) throws {
        let members = (0..<6).map { Self.member(Self.record($0)) }
        var bytes = Array(members.joined())
        let second = members[0].count
        bytes[second + 40] ^= 0xFF
        // A byte of the checksum.
        let fourth = members[..<3].joined().count
        bytes[fourth + members[3].count - 6] ^= 0xFF
        let readings = try readings(of: bytes, isPipe: isPipe).all
        #expect(numbers(readings) == ["/0", "/2", "/4", "/5"])
        #expect(damages(readings).map(\.offset) == [UInt64(second), UInt64(fourth)])
        #expect(damages(readings).last?.reason == "has a wrong checksum")
    }

    @Test func `a member that a killed writer has cut hides no other`() throws {
        let first = Self.member(Self.record(1))
        let bytes =
            first + Self.member(Self.record(2)).dropLast(50) + Self.member(Self.record(3))
            + Array("rubbish".utf8) + Self.member(Self.record(4)) + Self.member(Self.record(5)).dropLast(9)
        let readings = try readings(of: bytes).all
        #expect(numbers(readings) == ["/1", "/3", "/4"])
        let damages = damages(readings)
        #expect(damages.count == 3 && damages[0].offset == UInt64(first.count))
        #expect(damages[2].reason == "is cut: the file ends within it")
    }

    @Test(arguments: ["0", "20", "400", "99999999999999999", "-1", "1e3", ""])
    func `a plain record with a wrong length hides no other`(length: String) throws {
        let wrong = String(decoding: Self.record(2), as: UTF8.self)
        let good = try #require(wrong.firstMatch(of: /Content-Length: (\d+)/))
        let bytes =
            Self.record(1) + Array(wrong.replacing(good.output.0, with: "Content-Length: \(length)").utf8)
            + Self.record(3) + Self.record(4)
        let readings = try readings(of: bytes).all
        #expect(numbers(readings) == ["/1", "/3", "/4"])
        #expect(damages(readings).first?.offset == UInt64(Self.record(1).count), "\(damages(readings))")
    }

    @Test func `in a member with many records, reading goes on at the next line that begins one`() throws {
        let wrong = String(decoding: Self.record(2), as: UTF8.self).replacing("WARC-Type", with: "WARC-Tape")
        let old = String(decoding: Self.record(3), as: UTF8.self).replacing("WARC/1.1", with: "WARC/0.18")
        let bytes = Self.member(Self.record(1) + Array(wrong.utf8) + Array(old.utf8) + Self.record(4))
        let readings = try readings(of: bytes).all
        #expect(numbers(readings) == ["/1", "/4"])
        #expect(
            damages(readings).map(\.reason) == ["has no WARC-Type", "has the version 0.18; only 1.0 and 1.1 are read"])
    }

    @Test func `other files have no records`() throws {
        let page = Array("<!doctype html><title>WARC/1.1</title>".utf8)
        for bytes in [page, Self.member(page), [0x1F, 0x8B], Array(repeating: 0xFF, count: 100_000)] {
            let readings = try readings(of: bytes).all
            #expect(records(readings).isEmpty && readings.count == 1, "\(readings)")
        }
    }

    /// The property of FuzzWARC, with damage that is drawn.
    @Test func `the speed of a pipe does not change what is read of a damaged file`() throws {
        var random = SeededNumbers(seed: 16)
        func draw(_ range: Range<Int>) -> Int { range.lowerBound + Int(random.next() % UInt64(range.count)) }
        let records = (0..<6).map { Self.record($0) }
        let files = [
            Array(records.joined()), Array(records.map(Self.member).joined()), Self.member(Array(records.joined())),
        ]
        for round in 0..<240 {
            var bytes = files[round % files.count]
            for _ in 0...(round % 5) {
                let place = draw(0..<bytes.count)
                switch draw(0..<4) {
                case 0: bytes[place] = UInt8(draw(0..<256))
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + draw(1..<61)))
                case 2: bytes.insert(contentsOf: files[(round + 1) % files.count].prefix(place % 400), at: place)
                default: bytes.insert(contentsOf: [0x1F, 0x8B, 8, UInt8(place & 0x1F)], at: place)
                }
            }
            let whole = try readings(of: bytes).all
            let piece = draw(1..<301)
            #expect(try readings(of: bytes, piece: piece).all == whole, "round \(round), pieces of \(piece)")
            #expect(try readings(of: bytes, isPipe: false).all == whole, "round \(round), in a file")
            for record in self.records(whole) { _ = try? ArchivedAnswer(record, maximumBodyBytes: 1_000) }
        }
    }

    // MARK: Limits

    @Test(.ends) func `a member that grows without measure is left, and the next one is read`() throws {
        let bomb = Self.member(Self.record(1, block: [UInt8](repeating: 0, count: 100_000_000)))
        let bytes = bomb + Self.member(Self.record(2))
        let readings = try readings(of: bytes, keeping: 1_000).all
        #expect(numbers(readings) == ["/2"])
        #expect(damages(readings).first?.reason == "grows to more than 100 times the size of the file")
    }

    @Test(.ends) func `false starts do not make a file be read again and again`() throws {
        // Each is the head of a member with a name that does not end, and of one with a block to the end of the file.
        let names = Array(repeatElement([0x1F, 0x8B, 8, 8] as [UInt8], count: 500_000).joined())
        let stored: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0xFF, 0xFF, 0, 0] + Array("WARC/1.1\r\n".utf8)
        let blocks = Array(repeatElement(stored, count: 80_000).joined())
        let plain = Array(
            repeatElement(Array("WARC/1.1\r\nWARC-Type: x\r\nContent-Length: 1000000\r\n\r\n".utf8), count: 40_000)
                .joined())
        for bytes in [names, blocks, plain] {
            let (_, readBytes) = try readings(of: bytes, isPipe: false)
            // Once, what searches may go back without limit, and as much again as the file has; each return reads a piece ahead.
            #expect(readBytes < 400_000_000, "\(readBytes) of \(bytes.count)")
        }
    }

    @Test func `fields without end are no record`() throws {
        let head = Array("WARC/1.1\r\nWARC-Type: response\r\n".utf8)
        let long = head + Array("X: ".utf8) + [UInt8](repeating: 0x61, count: 2 * WARCReader.maximumHeadBytes)
        let many = head + Array(repeatElement(Array("X: y\r\n".utf8), count: 100_000).joined())
        for bytes in [long, many] {
            let readings = try readings(of: bytes + Array("\r\n\r\n".utf8) + Self.record(2)).all
            #expect(numbers(readings) == ["/2"])
            #expect(damages(readings).first?.reason == "has more fields than can be")
        }
    }
}
