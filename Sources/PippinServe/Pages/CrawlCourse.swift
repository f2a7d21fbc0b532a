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

    /// A card with one chart.
    ///
    /// - Parameters:
    ///   - style: the class of the drawing.
    ///   - maximum: says how high the highest value is.
    func card(
        _ title: String, _ values: [Double], shape: Shape, _ style: String, maximum: (Double) -> String
    ) -> HTML {
        let most = values.max() ?? 0
        let time = DurationWords.text(seconds: Int(total))
        let drawing: HTML? =
            switch shape {
            case .bars: Self.bars(values, most: most)
            case .area: Self.area(values, most: most)
            }
        return """
            <figure class="card course \(style)"><figcaption><h3>\(title)</h3>\
            <span class="dim small">\(maximum(most))</span></figcaption>\
            <svg viewBox="0 0 \(Self.width) \(Self.height)" preserveAspectRatio="none" role="img" \
            aria-label="\("\(title) over \(time): \(maximum(most))" as String)">\(drawing)</svg>\
            <div class="axis dim small" aria-hidden="true"><span>start</span><span>\(time)</span></div></figure>
            """
    }

    private static func bars(_ values: [Double], most: Double) -> HTML? {
        guard most > 0 else { return nil }
        let step = Double(width) / Double(values.count)
        let bars: [HTML] = values.enumerated().filter { $0.element > 0 }.map { index, value in
            let high = max(2, value / most * Double(height))
            return """
                <rect x="\(text(Double(index) * step + step * 0.1))" y="\(text(Double(height) - high))" \
                width="\(text(step * 0.8))" height="\(text(high))"></rect>
                """
        }
        return "\(bars)"
    }

    private static func area(_ values: [Double], most: Double) -> HTML? {
        guard most > 0, values.count > 1 else { return nil }
        let step = Double(width) / Double(values.count - 1)
        let points = values.enumerated().map { index, value in
            "\(text(Double(index) * step)),\(text(Double(height) - value / most * Double(height - 4)))"
        }.joined(separator: " ")
        return """
            <polygon points="0,\(height) \(points) \(width),\(height)"></polygon>\
            <polyline points="\(points)" vector-effect="non-scaling-stroke"></polyline>
            """
    }

    /// With one digit after the point.
    private static func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
