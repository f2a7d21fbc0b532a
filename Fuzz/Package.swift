// swift-tools-version:5.4
import PackageDescription

// One executable a parser, each stating one property. A package of its own, because the sanitizer needs unsafe flags; and
// of this tools version, because later ones rename `main`, which libFuzzer brings.
let parsers = [
    "ArchiveIndex", "Association", "Directives", "Encoding", "Exchange", "Fields", "Graph", "GraphQL", "HTML",
    "Image", "JSON", "JSONLD", "JSONPath", "Manifest", "Matching", "Microdata", "Microformats", "Packed",
    "Page", "Ping", "RDFa", "Robots", "Selector", "Signature", "Sitemap", "Terminal", "URL", "Usage", "Values",
    "WARC",
]

let package = Package(
    name: "pippin-fuzz",
    dependencies: [.package(name: "pippin", path: "..")],
    targets: parsers.map { parser in
        .executableTarget(
            name: "Fuzz\(parser)",
            dependencies: ["OutputChecks", .product(name: "PippinPage", package: "pippin")]
                + (parser == "Graph" ? [.product(name: "PathologicalPages", package: "pippin")] : [])
                + (["Graph", "Image"].contains(parser) ? [.product(name: "PippinReport", package: "pippin")] : [])
                + (["ArchiveIndex", "Exchange", "Signature", "WARC"].contains(parser)
                    ? [.product(name: "PippinCrawl", package: "pippin")] : []),
            swiftSettings: [.unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
    } + [.target(name: "OutputChecks", dependencies: [.product(name: "PippinPage", package: "pippin")])]
)
