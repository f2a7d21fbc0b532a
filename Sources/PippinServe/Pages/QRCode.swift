/// A QR code of a text (ISO/IEC 18004): its bytes in UTF-8, error correction level M, which survives 15 % of damage, in the
/// smallest version that holds them, up to 20.
struct QRCode: Sendable {
    /// Modules along a side, without the quiet zone around.
    let size: Int
    private let version: Int
    /// Row by row; true is dark.
    private var isDark: [Bool]
    /// Modules of patterns and formats, which hold no data.
    private var isFunction: [Bool]

    /// Light modules that a reader needs around a code (§6.3.8).
    static let quietZone = 4
    private static let versions = 1...20
    /// By version: codewords for error correction in each block of level M, and how many blocks there are (table 9).
    private static let correctionCodewords = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    ]
    private static let blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

    /// Makes the code of a text; nil if it is longer than 666 bytes.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = Self.versions.first(where: { Self.capacity(of: $0) >= bytes.count }) else { return nil }
        self.version = version
        size = 17 + 4 * version
        isDark = [Bool](repeating: false, count: size * size)
        isFunction = isDark
        drawPatterns()
        draw(Self.codewords(of: bytes, version))
        mask()
    }

    /// Whether a module is dark.
    subscript(x: Int, y: Int) -> Bool { isDark[y * size + x] }

    /// The dark modules as the path of an SVG whose view box begins at the quiet zone.
    var path: String {
        var path = ""
        for y in 0..<size {
            var x = 0
            while x < size {
                let start = x
                while x < size, self[x, y] { x += 1 }
                if x > start { path += "M\(start + Self.quietZone) \(y + Self.quietZone)h\(x - start)v1h\(start - x)z" }
                x += 1
            }
        }
        return path
    }

    // MARK: Codewords

    /// The modules of a version that hold data, as §7.1 counts them.
    private static func dataModules(of version: Int) -> Int {
        var count = (16 * version + 128) * version + 64
        if version >= 2 {
            let alignments = version / 7 + 2
            count -= (25 * alignments - 10) * alignments - 55
            if version >= 7 { count -= 36 }
        }
        return count
    }

    private static func dataCodewords(of version: Int) -> Int {
        dataModules(of: version) / 8 - correctionCodewords[version - 1] * blockCounts[version - 1]
    }

    /// How many bytes a version holds: its data without the mode and the length.
    private static func capacity(of version: Int) -> Int {
        dataCodewords(of: version) - (4 + lengthBits(of: version) + 7) / 8
    }

    private static func lengthBits(of version: Int) -> Int { version < 10 ? 8 : 16 }

    /// Data and error correction, interleaved (§7.4, §7.5, §7.6).
    private static func codewords(of bytes: [UInt8], _ version: Int) -> [UInt8] {
        // The mode of bytes is 0100, and four zeros end the data: all is shifted by half a byte.
        let length =
            lengthBits(of: version) == 8 ? [UInt8(bytes.count)] : [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        var data: [UInt8] = []
        var last: UInt8 = 0b0100
        for byte in length + bytes {
            data.append(last << 4 | byte >> 4)
            last = byte & 0x0F
        }
        data.append(last << 4)
        let size = dataCodewords(of: version)
        for number in 0..<max(0, size - data.count) { data.append(number % 2 == 0 ? 0xEC : 0x11) }

        let blockCount = blockCounts[version - 1]
        let correction = correctionCodewords[version - 1]
        let divisor = generator(correction)
        var blocks: [(data: ArraySlice<UInt8>, correction: [UInt8])] = []
        var place = 0
        for number in 0..<blockCount {
            // The last blocks have one more where they do not come out even.
            let count = size / blockCount + (number >= blockCount - size % blockCount ? 1 : 0)
            let block = data[place..<place + count]
            blocks.append((block, remainder(block, divisor)))
            place += count
        }
        var all: [UInt8] = []
        for index in 0...size / blockCount {
            for block in blocks where index < block.data.count { all.append(block.data[block.data.startIndex + index]) }
        }
        for index in 0..<correction {
            for block in blocks { all.append(block.correction[index]) }
        }
        return all
    }

    /// The product in GF(2⁸) modulo x⁸ + x⁴ + x³ + x² + 1.
    private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        var product = 0
        for bit in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7) * 0x11D
            product ^= Int(b >> bit & 1) * Int(a)
        }
        return UInt8(product & 0xFF)
    }

    /// The generator polynomial of Reed–Solomon, without its first coefficient, which is 1.
    private static func generator(_ degree: Int) -> [UInt8] {
        var generator = [UInt8](repeating: 0, count: degree)
        generator[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                generator[index] = product(generator[index], root)
                if index + 1 < degree { generator[index] ^= generator[index + 1] }
            }
            root = product(root, 2)
        }
        return generator
    }

    private static func remainder(_ data: ArraySlice<UInt8>, _ divisor: [UInt8]) -> [UInt8] {
        var rest = [UInt8](repeating: 0, count: divisor.count)
        for byte in data {
            let factor = byte ^ rest.removeFirst()
            rest.append(0)
            for index in divisor.indices { rest[index] ^= product(divisor[index], factor) }
        }
        return rest
    }

    // MARK: Patterns

    private mutating func set(_ x: Int, _ y: Int, _ dark: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        isDark[y * size + x] = dark
        isFunction[y * size + x] = true
    }

    private mutating func drawPatterns() {
        for place in 0..<size {
            set(6, place, place % 2 == 0)
            set(place, 6, place % 2 == 0)
        }
        // Finders, with the separators around them.
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            for (dx, dy) in Self.square(4) {
                let distance = max(abs(dx), abs(dy))
                set(x + dx, y + dy, distance != 2 && distance != 4)
            }
        }
        let places = alignments
        for x in places {
            for y in places where !isFinder(x, y) {
                for (dx, dy) in Self.square(2) { set(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
            }
        }
        drawFormat(mask: 0)
        drawVersion()
    }

    private static func square(_ distance: Int) -> [(Int, Int)] {
        (-distance...distance).flatMap { x in (-distance...distance).map { (x, $0) } }
    }

    private func isFinder(_ x: Int, _ y: Int) -> Bool {
        (x == 6 && y == 6) || (x == 6 && y == size - 7) || (x == size - 7 && y == 6)
    }

    /// The centers of alignment patterns along a side (annex E).
    private var alignments: [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        let step = (version * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<count - 1).map { size - 7 - $0 * step }.reversed()
    }

    /// Level and mask, twice (§7.9).
    private mutating func drawFormat(mask: Int) {
        // Level M is 00.
        var rest = mask
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (mask << 10 | rest) ^ 0x5412
        func bit(_ number: Int) -> Bool { bits >> number & 1 == 1 }
        for number in 0...5 { set(8, number, bit(number)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for number in 9..<15 { set(14 - number, 8, bit(number)) }
        for number in 0..<8 { set(size - 1 - number, 8, bit(number)) }
        for number in 8..<15 { set(8, size - 15 + number, bit(number)) }
        set(8, size - 8, true)
    }

    /// The version, twice, from 7 on (§7.10).
    private mutating func drawVersion() {
        guard version >= 7 else { return }
        var rest = version
        for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
        let bits = version << 12 | rest
        for number in 0..<18 {
            let dark = bits >> number & 1 == 1
            let (a, b) = (size - 11 + number % 3, number / 3)
            set(a, b, dark)
            set(b, a, dark)
        }
    }

    /// Codewords in columns of two, up and down from the right below (§7.7.3).
    private mutating func draw(_ codewords: [UInt8]) {
        var place = 0
        for column in stride(from: size - 1, through: 1, by: -2) {
            // The column of the timing pattern is left out.
            let right = column <= 6 ? column - 1 : column
            for step in 0..<size {
                for x in [right, right - 1] {
                    let isUpward = (right + 1) & 2 == 0
                    let y = isUpward ? size - 1 - step : step
                    guard !isFunction[y * size + x], place < codewords.count * 8 else { continue }
                    isDark[y * size + x] = codewords[place >> 3] >> (7 - place & 7) & 1 == 1
                    place += 1
                }
            }
        }
    }

    // MARK: Masks

    /// Applies the mask that reads best (§7.8).
    private mutating func mask() {
        var best = (penalty: Int.max, code: self)
        for number in 0..<8 {
            var code = self
            for y in 0..<size {
                for x in 0..<size where !isFunction[y * size + x] && Self.isInverted(number, x, y) {
                    code.isDark[y * size + x].toggle()
                }
            }
            code.drawFormat(mask: number)
            let penalty = code.penalty
            if penalty < best.penalty { best = (penalty, code) }
        }
        isDark = best.code.isDark
    }

    private static func isInverted(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }

    /// What makes a code hard to read: runs, blocks, what looks like a finder, and much more dark than light or the other way.
    private var penalty: Int {
        var penalty = 0
        let finder = [true, false, true, true, true, false, true]
        for line in 0..<size {
            for isRow in [true, false] {
                let modules = (0..<size).map { isRow ? self[$0, line] : self[line, $0] }
                var run = 1
                for place in 1...size {
                    if place < size, modules[place] == modules[place - 1] {
                        run += 1
                        continue
                    }
                    if run >= 5 { penalty += run - 2 }
                    run = 1
                }
                // Beside the code all is light.
                func isLight(_ places: Range<Int>) -> Bool {
                    places.allSatisfy { !modules.indices.contains($0) || !modules[$0] }
                }
                for place in 0...size - 7 where modules[place..<place + 7].elementsEqual(finder) {
                    if isLight(place - 4..<place) || isLight(place + 7..<place + 11) { penalty += 40 }
                }
            }
        }
        for y in 1..<size {
            for x in 1..<size {
                let dark = self[x, y]
                if dark == self[x - 1, y], dark == self[x, y - 1], dark == self[x - 1, y - 1] { penalty += 3 }
            }
        }
        let share = isDark.count(where: \.self) * 100 / isDark.count
        return penalty + abs(share - 50) / 5 * 10
    }
}
