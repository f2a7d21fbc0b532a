import Foundation
import Testing

@testable import PippinPage
@testable import PippinReport

/// What the HTML reports are read by: every text keeps WCAG 2.2 AA contrast (§1.4.3), light and dark.
@Suite struct ReportStyleTests {
    private static let css = ReportStyle.sheet

    private struct Color {
        let channels: [Double]

        init(_ channels: [Double]) { self.channels = channels }

        init(_ hex: Substring) {
            let digits = hex.dropFirst().flatMap { hex.count == 4 ? [$0, $0] : [$0] }
            channels = stride(from: 0, to: 6, by: 2).map { Double(Int(String(digits[$0...$0 + 1]), radix: 16) ?? 0) }
        }

        /// `color-mix(in srgb, self SHARE, other)`
        func mixed(_ share: Double, over other: Color) -> Color {
            Color(zip(channels, other.channels).map { $0 * share + $1 * (1 - share) })
        }

        /// WCAG 2.2, relative luminance.
        private var luminance: Double {
            let linear = channels.map { $0 / 255 }.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        }

        func contrast(with other: Color) -> Double {
            let (a, b) = (luminance, other.luminance)
            return (max(a, b) + 0.05) / (min(a, b) + 0.05)
        }
    }

    private static var darkRoots: Regex<(Substring, Substring)> {
        /@media \(prefers-color-scheme:dark\)\{:root\{([^}]*)\}\}/
    }

    private static func variables(dark: Bool) -> [Substring: Color] {
        var colors: [Substring: Color] = [:]
        let declaration = /--([a-z]+):(#[0-9a-f]{3,6})/
        for match in css.replacing(darkRoots, with: "").matches(of: declaration) { colors[match.1] = Color(match.2) }
        guard dark else { return colors }
        for root in css.matches(of: darkRoots) {
            for match in root.1.matches(of: declaration) { colors[match.1] = Color(match.2) }
        }
        return colors
    }

    /// The gradient behind the preview.
    private static func stage(dark: Bool) throws -> [Color] {
        let rules = css.matches(of: /\.stage\{background:linear-gradient\(([^)]*)\)/)
        let rule = try #require(dark ? rules.last : rules.first)
        return rule.1.matches(of: /#[0-9a-f]{6}/).map { Color($0.0) }
    }

    @Test(arguments: [false, true])
    func `every text can be read on what it stands on`(dark: Bool) throws {
        let colors = Self.variables(dark: dark)
        func color(_ name: Substring) throws -> Color { try #require(colors[name], "\(name)") }
        var pairs: [(what: String, text: Color, ground: Color)] = []
        for ground in ["bg", "card", "code", "result"] as [Substring] {
            for text in ["text", "dim", "red", "orange", "blue", "green", "gray"] as [Substring] {
                pairs.append(("\(text) on \(ground)", try color(text), try color(ground)))
            }
        }
        for text in ["red", "orange", "blue", "green", "gray"] as [Substring] {
            let badge = try color(text).mixed(0.12, over: color("card"))
            pairs.append(("\(text) on its badge", try color(text), badge))
        }
        let stops = try Self.stage(dark: dark)
        #expect(stops.count == 3)
        for stop in stops { pairs.append(("dim on the stage", try color("dim"), stop)) }
        pairs.append(("blue on a button", try color("blue"), try color("text").mixed(0.07, over: color("result"))))
        pairs.append(("text on the banner", try color("text"), try color("amber").mixed(0.14, over: color("card"))))
        pairs.append(("dim on a row", try color("dim"), try color("text").mixed(0.03, over: color("card"))))
        // Served pages: what stands on the accent color, on a chosen filter, on a marked word.
        pairs.append(("card on a primary button", try color("card"), try color("blue")))
        pairs.append(("blue on a chosen filter", try color("blue"), try color("blue").mixed(0.14, over: color("card"))))
        pairs.append(("text on a marked word", try color("text"), try color("star").mixed(0.3, over: color("card"))))
        pairs.append(("text in the navigation", try color("text"), try color("text").mixed(0.08, over: color("bg"))))
        let letters = Self.css.matches(of: /\.c[1-5]\{background:linear-gradient\([^#]*(#[0-9a-f]{6}),(#[0-9a-f]{6})\)/)
        #expect(letters.count == 5)
        for match in letters {
            for stop in [match.1, match.2] { pairs.append(("white on a letter", Color("#ffffff"), Color(stop))) }
        }
        for pair in pairs {
            let contrast = pair.text.contrast(with: pair.ground)
            #expect(contrast >= 4.5, "\(pair.what): \(contrast)")
        }
        // §1.4.11: what tells something by its color alone.
        for bar in ["red", "amber", "good", "blue"] as [Substring] {
            #expect(try color(bar).contrast(with: color("card")) >= 3, "\(bar)")
        }
    }

    @Test func `no text is faded, and none has a color that is not measured`() {
        #expect(!Self.css.contains("opacity"))
        let measured: Set<Substring> = ["text", "dim", "red", "orange", "blue", "green", "gray", "card"]
        // The stars and their empty ones stand beside the rating's number.
        let drawn: Set<Substring> = ["star", "empty"]
        for match in Self.css.matches(of: /[;{]color:var\(--([a-z]+)\)/) {
            #expect(measured.union(drawn).contains(match.1), "\(match.1)")
        }
    }
}
