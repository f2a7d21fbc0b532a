/// The Japanese decoders, Encoding Standard §12.
extension CharacterEncoding {
    /// Decodes Shift_JIS (§12.3.1). A byte 0x80 becomes U+0080; 0x5C and 0x7E are ASCII (not yen and overline).
    static func decodeShiftJIS(_ bytes: UnsafeBufferPointer<UInt8>) -> DecodedText {
        let index = EncodingIndex.jis0208
        var output = DecoderOutput(capacity: bytes.count)
        var i = 0
        while output.takeASCII(bytes, &i) {
            let lead = bytes[i]
            i &+= 1
            switch lead {
            case 0x00, 0x80:
                output.append(UInt32(lead))
            case 0xA1...0xDF:
                output.append(0xFF61 &+ UInt32(lead &- 0xA1))
            case 0x81...0x9F, 0xE0...0xFC:
                guard i < bytes.count else {
                    output.appendReplacement()
                    continue
                }
                let trail = bytes[i]
                var scalar: UInt32 = 0
                if trail >= 0x40, trail != 0x7F, trail <= 0xFC {
                    let pointer =
                        Int(lead &- (lead < 0xA0 ? 0x81 : 0xC1)) &* 188 &+ Int(trail &- (trail < 0x7F ? 0x40 : 0x41))
                    // The standard's private-use rows, 0xF040...0xF9FC.
                    scalar =
                        (8836...10715).contains(pointer)
                        ? 0xE000 &+ UInt32(pointer &- 8836) : EncodingIndex.scalar(index, pointer)
                }
                output.append(scalar, trail: trail, &i)
            default:
                output.appendReplacement()
            }
        }
        return output.text
    }

    /// Decodes EUC-JP (§12.1.1).
    static func decodeEUCJP(_ bytes: UnsafeBufferPointer<UInt8>) -> DecodedText {
        let jis0208 = EncodingIndex.jis0208
        var output = DecoderOutput(capacity: bytes.count)
        var i = 0
        func isKanji(_ i: Int) -> Bool { i < bytes.count && bytes[i] >= 0xA1 && bytes[i] <= 0xFE }
        while output.takeASCII(bytes, &i) {
            let first = bytes[i]
            i &+= 1
            var index = jis0208
            var lead = first
            switch first {
            case 0x8E where i < bytes.count && bytes[i] >= 0xA1 && bytes[i] <= 0xDF:
                output.append(0xFF61 &+ UInt32(bytes[i] &- 0xA1))
                i &+= 1
                continue
            case 0x8F where isKanji(i):
                index = EncodingIndex.jis0212
                lead = bytes[i]
                i &+= 1
            case 0x8E, 0x8F, 0xA1...0xFE: break
            default:
                output.appendReplacement()
                continue
            }
            guard i < bytes.count else {
                output.appendReplacement()
                continue
            }
            let trail = bytes[i]
            var scalar: UInt32 = 0
            if lead >= 0xA1, isKanji(i) {
                scalar = EncodingIndex.scalar(index, Int(lead &- 0xA1) &* 94 &+ Int(trail &- 0xA1))
            }
            output.append(scalar, trail: trail, &i)
        }
        return output.text
    }

    private enum ISO2022JPState {
        case ascii, roman, katakana, leadByte, trailByte, escapeStart, escape
    }

    /// Decodes ISO-2022-JP (§12.2.1), with the standard's states. Escape sequences switch between character sets. An escape
    /// sequence directly after another one, without text between them, is an error.
    static func decodeISO2022JP(_ bytes: UnsafeBufferPointer<UInt8>) -> DecodedText {
        let index = EncodingIndex.jis0208
        var output = DecoderOutput(capacity: bytes.count)
        var state = ISO2022JPState.ascii
        var outputState = ISO2022JPState.ascii
        var lead: UInt8 = 0
        var justEscaped = false
        var i = 0
        while true {
            let byte: UInt8? = i < bytes.count ? bytes[i] : nil
            i &+= 1
            if byte == 0x1B, state != .escapeStart, state != .escape {
                if state == .trailByte { output.appendReplacement() }
                state = .escapeStart
                continue
            }
            switch state {
            case .ascii, .roman, .katakana, .leadByte:
                guard let byte else { return output.text }
                justEscaped = false
                switch (state, byte) {
                case (.katakana, 0x21...0x5F):
                    output.append(0xFF61 &+ UInt32(byte &- 0x21))
                case (.leadByte, 0x21...0x7E):
                    lead = byte
                    state = .trailByte
                case (.roman, 0x5C): output.append(0xA5)
                case (.roman, 0x7E): output.append(0x203E)
                case (.ascii, 0...0x7F) where byte != 0x0E && byte != 0x0F,
                    (.roman, 0...0x7F) where byte != 0x0E && byte != 0x0F:
                    output.append(UInt32(byte))
                default:
                    output.appendReplacement()
                }
            case .trailByte:
                state = .leadByte
                if let byte, byte >= 0x21, byte <= 0x7E {
                    let pointer = Int(lead &- 0x21) &* 94 &+ Int(byte &- 0x21)
                    output.append(EncodingIndex.scalar(index, pointer))
                } else {
                    output.appendReplacement()
                }
            case .escapeStart:
                if byte == 0x24 || byte == 0x28 {
                    lead = byte ?? 0
                    state = .escape
                } else {
                    i &-= 1
                    justEscaped = false
                    state = outputState
                    output.appendReplacement()
                }
            case .escape:
                let chosen: ISO2022JPState? =
                    switch (lead, byte) {
                    case (0x28, 0x42): .ascii
                    case (0x28, 0x4A): .roman
                    case (0x28, 0x49): .katakana
                    case (0x24, 0x40), (0x24, 0x42): .leadByte
                    default: nil
                    }
                if let chosen {
                    state = chosen
                    outputState = chosen
                    if justEscaped { output.appendReplacement() }
                    justEscaped = true
                } else {
                    // The byte after ESC, `$` or `(`, is read again as text.
                    i &-= 2
                    justEscaped = false
                    state = outputState
                    output.appendReplacement()
                }
            }
        }
    }
}

extension DecoderOutput {
    /// Ends a sequence of several bytes: writes its character and moves past the trail byte. If the sequence has no character
    /// (0), an ASCII trail byte is read again, so that a broken lead byte cannot hide a `<` or a quote.
    mutating func append(_ scalar: UInt32, trail: UInt8, _ i: inout Int) {
        append(scalar)
        if scalar != 0 || trail >= 0x80 { i &+= 1 }
    }
}
