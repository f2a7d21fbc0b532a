import PippinCrawl
import PippinPage
import PippinReport

/// The course of a run as small charts. Each is a drawing with attributes only, and has its result in words.
struct CrawlCourse {
    /// What happened between two samples.
    struct Step {
        let seconds: Double
        let pagesPerSecond: Double
        let failures: Int
        let scheduled: Int
    }

    enum Shape {
        case bars
        case area
    }

    let steps: [Step]
    private let total: Double

    init(_ progress: CrawlProgress) {
        var steps: [Step] = []
        var last: CrawlTimeline.Sample?
        for sample in progress.timeline?.samples ?? [] {
            defer { last = sample }
            guard let last, sample.seconds > last.seconds else { continue }
            steps.append(
                Step(
                    seconds: sample.seconds,
                    pagesPerSecond: Double(max(0, sample.pages - last.pages)) / (sample.seconds - last.seconds),
                    failures: max(0, sample.failures - last.failures), scheduled: sample.scheduled))
        }
        self.steps = steps
        total = progress.seconds
    }

    /// The size of the drawing in its own units. It is stretched to the width of its place.
    private static let width = 600
    private static let height = 120

    /// Writes a card with one chart.
    ///
    /// - Parameters:
    ///   - style: the class of the drawing.
    ///   - maximum: says how high the highest value is.
    func write(
        _ title: String, _ values: [Double], shape: Shape, _ style: String, maximum: (Double) -> String,
        to page: inout HTMLBuilder
    ) {
        let most = values.max() ?? 0
        page.element("figure", [("class", "card course \(style)")]) { page in
            page.element("figcaption") { page in
                page.element("h3", text: title)
                page.element("span", [("class", "dim small")], text: maximum(most))
            }
            let label = "\(title) over \(DurationWords.text(seconds: Int(total))): \(maximum(most))"
            page.element(
                "svg",
                [
                    ("viewBox", "0 0 \(Self.width) \(Self.height)"), ("preserveAspectRatio", "none"), ("role", "img"),
                    ("aria-label", label),
                ]
            ) { page in
                switch shape {
                case .bars: Self.writeBars(values, most: most, to: &page)
                case .area: Self.writeArea(values, most: most, to: &page)
                }
            }
            page.element("div", [("class", "axis dim small"), ("aria-hidden", "true")]) { page in
                page.element("span", text: "start")
                page.element("span", text: DurationWords.text(seconds: Int(total)))
            }
        }
    }

    private static func writeBars(_ values: [Double], most: Double, to page: inout HTMLBuilder) {
        guard most > 0 else { return }
        let step = Double(width) / Double(values.count)
        for (index, value) in values.enumerated() where value > 0 {
            let high = max(2, value / most * Double(height))
            page.element(
                "rect",
                [
                    ("x", text(Double(index) * step + step * 0.1)), ("y", text(Double(height) - high)),
                    ("width", text(step * 0.8)), ("height", text(high)),
                ])
        }
    }

    private static func writeArea(_ values: [Double], most: Double, to page: inout HTMLBuilder) {
        guard most > 0, values.count > 1 else { return }
        let step = Double(width) / Double(values.count - 1)
        let points = values.enumerated().map { index, value in
            "\(text(Double(index) * step)),\(text(Double(height) - value / most * Double(height - 4)))"
        }
        page.element("polygon", [("points", "0,\(height) \(points.joined(separator: " ")) \(width),\(height)")])
        page.element("polyline", [("points", points.joined(separator: " ")), ("vector-effect", "non-scaling-stroke")])
    }

    /// With one digit after the point.
    private static func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
