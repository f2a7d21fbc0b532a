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
