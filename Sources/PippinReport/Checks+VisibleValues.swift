// Whether what the markup says can be seen on the page (S16): people mistrust a result whose page says something else.

import PippinPage

extension Presentation {
    /// What stands nowhere in the text, and what does.
    static func visibleValues(_ page: PageExamination) -> (verdicts: [Verdict], found: [String]) {
        let text = page.shownText
        // A page that scripts fill in, or that is hardly one, shows nothing to compare with.
        guard text.utf8.count >= 300 else { return ([], []) }
        var verdicts: [Verdict] = []
        var found: [String] = []
        if let title = page.record?.title {
            if isShown(title, in: text) {
                found.append("the title")
            } else if title.unicodeScalars.allSatisfy({ $0.value < 0x2E80 }) {
                verdicts.append(
                    .info(
                        "No word of the title \(Wording.quoted(title)) stands in the text that people see.",
                        at: page.place(ofElement: .title),
                        Finding.Remedy("Let the heading say what the title says.")))
            }
        }
        let item = page.structured.mainItem
        let numbers = ShownNumbers(text)
        if let offer = page.record?.offers.first, let price = offer.price ?? offer.lowPrice, let value = Double(price),
            value > 0
        {
            if numbers.contains(value) {
                found.append("the price")
            } else {
                verdicts.append(
                    .info(
                        "The price \(price)\(offer.currency.map { " " + $0 } ?? "") of the markup stands nowhere in the text that people see.",
                        at: item.map(page.place),
                        Finding.Remedy("Show the price that the markup says, or say the one that is shown.")))
            }
        }
        if let rating = page.record?.rating {
            let count = rating.count ?? rating.reviewCount
            let isShown =
                numbers.contains(rating.value) || numbers.contains((rating.value * 10).rounded() / 10)
                || count.map { numbers.contains(Double($0)) } ?? false
            if isShown {
                found.append("the rating")
            } else {
                let votes = count.map { " of \($0) votes" } ?? ""
                verdicts.append(
                    .info(
                        "The rating \(rating.value)\(votes) stands nowhere in the text that people see.",
                        at: item.map(page.place),
                        Finding.Remedy("Show the rating on the page, or leave it out of the markup.")))
            }
        }
        return (verdicts, found)
    }

    /// Whether any word of a text that says something is there.
    private static func isShown(_ title: String, in text: String) -> Bool {
        let words = title.lowercased().split { !$0.isLetter && !$0.isNumber }.filter { $0.count >= 3 }.prefix(40)
        return words.isEmpty || words.contains { text.contains($0) }
    }
}

/// The numbers in a text, whatever stands between their digits: `1,299.00`, `1.299,00`, `1 299`.
struct ShownNumbers {
    private var hundredths: Set<Int> = []

    /// Numbers that are kept: a page's prices and counts, not a table of data.
    private static let maximumNumbers = 20_000

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var position = 0
        while position < bytes.count, hundredths.count < Self.maximumNumbers {
            guard bytes[position].isASCIIDigit else {
                position += 1
                continue
            }
            var end = position
            // A sign between two digits belongs to the number; so does a space before three digits.
            while end < bytes.count, end - position < 24 {
                if bytes[end].isASCIIDigit {
                    end += 1
                } else if let width = Self.separator(bytes, at: end) {
                    end += width
                } else {
                    break
                }
            }
            add(bytes[position..<end])
            position = max(end, position + 1)
        }
    }

    func contains(_ value: Double) -> Bool {
        guard value >= 0, value < 1e12 else { return false }
        return hundredths.contains(Int((value * 100).rounded()))
    }

    /// Bytes of a separator that digits follow.
    private static func separator(_ bytes: [UInt8], at index: Int) -> Int? {
        func isDigit(_ offset: Int) -> Bool { offset < bytes.count && bytes[offset].isASCIIDigit }
        switch bytes[index] {
        case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: "'"): return isDigit(index + 1) ? 1 : nil
        case UInt8(ascii: " "):
            return isDigit(index + 1) && isDigit(index + 2) && isDigit(index + 3) && !isDigit(index + 4) ? 1 : nil
        case 0xC2 where index + 1 < bytes.count && bytes[index + 1] == 0xA0:
            return isDigit(index + 2) && isDigit(index + 3) && isDigit(index + 4) && !isDigit(index + 5) ? 2 : nil
        default: return nil
        }
    }

    /// All that a number may mean: with its last sign as the decimal one, without decimals, and each run of digits alone.
    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        let runs = bytes.split { !$0.isASCIIDigit }
        for run in runs { insert(run, decimals: []) }
        guard runs.count > 1, let last = runs.last else { return }
        let whole = Array(runs.dropLast().joined())
        insert(whole[...], decimals: last)
        insert((whole + last)[...], decimals: [])
    }

    private mutating func insert(_ whole: ArraySlice<UInt8>, decimals: ArraySlice<UInt8>) {
        guard whole.count <= 12 else { return }
        var value = whole.reduce(0) { $0 &* 10 &+ Int($1 &- 0x30) } &* 100
        // Rounded to hundredths by cutting: 4.56 stands for 4.5 as well, which people round to.
        if let tens = decimals.first { value &+= Int(tens &- 0x30) &* 10 }
        hundredths.insert(value)
        if let ones = decimals.dropFirst().first { hundredths.insert(value &+ Int(ones &- 0x30)) }
    }
}
