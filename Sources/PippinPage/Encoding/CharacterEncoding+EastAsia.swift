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

// MARK: Chinese and Korean

/// The Chinese decoders (Encoding Standard §10 and §11), and the Korean one (§13), which works in the same way.
extension CharacterEncoding {
    /// Decodes gb18030 (§10.2.1), and GBK, which is a part of it.
    static func decodeGB18030(_ bytes: UnsafeBufferPointer<UInt8>) -> DecodedText {
        let index = EncodingIndex.gb18030
        var output = DecoderOutput(capacity: bytes.count)
        var i = 0
        while output.takeASCII(bytes, &i) {
            let first = bytes[i]
            i &+= 1
            guard first > 0x80, first < 0xFF else {
                output.append(first == 0x80 ? 0x20AC : 0)
                continue
            }
            guard i < bytes.count else {
                output.appendReplacement()
                continue
            }
            let second = bytes[i]
            if second >= 0x30, second <= 0x39 {
                decodeFourBytes(bytes, first, second, &i, &output)
                continue
            }
            var scalar: UInt32 = 0
            if second >= 0x40, second != 0x7F, second != 0xFF {
                scalar = EncodingIndex.scalar(
                    index, Int(first &- 0x81) &* 190 &+ Int(second &- (second < 0x7F ? 0x40 : 0x41)))
            }
            output.append(scalar, trail: second, &i)
        }
        return output.text
    }

    /// Decodes the rest of a sequence whose second byte is a digit; `i` is at that digit.
    private static func decodeFourBytes(
        _ bytes: UnsafeBufferPointer<UInt8>, _ first: UInt8, _ second: UInt8, _ i: inout Int,
        _ output: inout DecoderOutput
    ) {
        // If the text ends within a sequence, all its bytes are one error.
        guard i &+ 1 < bytes.count else {
            i = bytes.count
            return output.appendReplacement()
        }
        let third = bytes[i &+ 1]
        guard third >= 0x81, third <= 0xFE else { return output.appendReplacement() }
        guard i &+ 2 < bytes.count else {
            i = bytes.count
            return output.appendReplacement()
        }
        let fourth = bytes[i &+ 2]
        guard fourth >= 0x30, fourth <= 0x39 else { return output.appendReplacement() }
        i &+= 3
        let pointer =
            ((Int(first &- 0x81) &* 10 &+ Int(second &- 0x30)) &* 126 &+ Int(third &- 0x81)) &* 10
            &+ Int(fourth &- 0x30)
        if pointer >= 189000, pointer <= 1_237_575 {
            output.append(0x10000 &+ UInt32(pointer &- 189000))
        } else {
            output.append(EncodingIndex.scalar(EncodingIndex.gb18030FourByte, pointer))
        }
    }

    /// Decodes Big5 (§11.1.1).
    static func decodeBig5(_ bytes: UnsafeBufferPointer<UInt8>) -> DecodedText {
        let index = EncodingIndex.big5
        return decodePairs(bytes) { lead, trail, output in
            guard trail >= 0x40 && trail <= 0x7E || trail >= 0xA1 && trail <= 0xFE else { return 0 }
            let pointer = Int(lead &- 0x81) &* 157 &+ Int(trail &- (trail < 0x7F ? 0x40 : 0x62))
            switch pointer {
            // Two characters for one sequence: Ê̄ Ê̌ ê̄ ê̌.
            case 1133, 1135, 1164, 1166:
                output.append(pointer < 1164 ? 0xCA : 0xEA)
                return pointer == 1133 || pointer == 1164 ? 0x304 : 0x30C
            default: return EncodingIndex.scalar(index, pointer)
            }
        }
    }

    /// Decodes EUC-KR (§13.1.1), also called windows-949.
    static func decodeEUCKR(_ bytes: UnsafeBufferPointer<UInt8>) -> DecodedText {
        let index = EncodingIndex.eucKR
        return decodePairs(bytes) { lead, trail, _ in
            guard trail >= 0x41, trail < 0xFF else { return 0 }
            return EncodingIndex.scalar(index, Int(lead &- 0x81) &* 190 &+ Int(trail &- 0x41))
        }
    }

    /// Decodes ASCII, and pairs of bytes whose first byte is 0x81...0xFE.
    ///
    /// - Parameter meaning: returns the character of a pair; 0 if it has none.
    @inline(__always)
    private static func decodePairs(
        _ bytes: UnsafeBufferPointer<UInt8>, meaning: (_ lead: UInt8, _ trail: UInt8, inout DecoderOutput) -> UInt32
    ) -> DecodedText {
        var output = DecoderOutput(capacity: bytes.count)
        var i = 0
        while output.takeASCII(bytes, &i) {
            let lead = bytes[i]
            i &+= 1
            guard lead > 0x80, lead < 0xFF, i < bytes.count else {
                output.appendReplacement()
                continue
            }
            let trail = bytes[i]
            let scalar = meaning(lead, trail, &output)
            output.append(scalar, trail: trail, &i)
        }
        return output.text
    }
}
