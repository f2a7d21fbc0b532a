/// An IPv6 address as written in a URL (URL Standard §3.5).
struct IPv6Address: Equatable {
    private(set) var pieces: [UInt16] = Array(repeating: 0, count: 8)

    /// Parses the text between the brackets; nil if it is not an address.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        var index = 0
        var compress: Int?
        var at = 0

        if text.first == 0x3A {
            guard text.count >= 2, text[1] == 0x3A else { return nil }
            at = 2
            index = 1
            compress = 1
        }
        while at < text.count {
            if index == 8 { return nil }
            if text[at] == 0x3A {
                if compress != nil { return nil }
                at += 1
                index += 1
                compress = index
                continue
            }
            var value: UInt16 = 0
            var length = 0
            while length < 4, at < text.count, let digit = text[at].hexDigitValue {
                value = value &<< 4 | UInt16(digit)
                at += 1
                length += 1
            }
            if at < text.count, text[at] == 0x2E {
                // The last 32 bits may be written as an IPv4 address, in decimal only.
                guard length > 0, index <= 6,
                    let address = Self.embeddedIPv4(UnsafeBufferPointer(rebasing: text[(at - length)...]))
                else { return nil }
                pieces[index] = UInt16(truncatingIfNeeded: address &>> 16)
                pieces[index + 1] = UInt16(truncatingIfNeeded: address)
                index += 2
                break
            }
            if at < text.count {
                guard text[at] == 0x3A else { return nil }
                at += 1
                if at == text.count { return nil }
            }
            pieces[index] = value
            index += 1
        }

        if let compress {
            // The pieces after "::" move to the end.
            let moved = index - compress
            for i in 0..<max(moved, 0) where index - 1 - i != 7 - i {
                pieces[7 - i] = pieces[index - 1 - i]
                pieces[index - 1 - i] = 0
            }
        } else if index != 8 {
            return nil
        }
    }

    private static func embeddedIPv4(_ text: UnsafeBufferPointer<UInt8>) -> UInt32? {
        var address: UInt32 = 0
        var at = 0
        for part in 0..<4 {
            if part > 0 {
                guard at < text.count, text[at] == 0x2E else { return nil }
                at += 1
            }
            var value: UInt32?
            while at < text.count, text[at].isASCIIDigit {
                // A leading zero is not allowed.
                if value == 0 { return nil }
                let next = (value ?? 0) * 10 + UInt32(text[at] - 0x30)
                if next > 255 { return nil }
                value = next
                at += 1
            }
            guard let value else { return nil }
            address = address &<< 8 | value
        }
        return at == text.count ? address : nil
    }

    /// Appends the address in brackets, with the first longest run of two or more zero pieces as `::`.
    func append(to out: inout [UInt8]) {
        var run = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, pieces[end] == 0 { end += 1 }
            if end - start > max(run.count, 1) { run = start..<end }
            start = max(end, start + 1)
        }
        out.append(0x5B)
        var index = 0
        while index < 8 {
            if index == run.lowerBound, !run.isEmpty {
                out.append(contentsOf: index == 0 ? [0x3A, 0x3A] : [0x3A])
                index = run.upperBound
                continue
            }
            out.append(contentsOf: String(pieces[index], radix: 16).utf8)
            index += 1
            if index < 8 { out.append(0x3A) }
        }
        out.append(0x5D)
    }
}
