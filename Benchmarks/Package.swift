// swift-tools-version:6.1
import PackageDescription

// A package of its own, so that the main manifest never sees what only benchmarks need.
let package = Package(
    name: "pippin-benchmarks",
    dependencies: [.package(name: "pippin", path: "..")],
    targets: ["ExtractionBenchmark", "PathologicalBenchmark"].map { name in
        .executableTarget(name: name, dependencies: [.product(name: "PippinPage", package: "pippin")])
    }
        + ["FrontierBenchmark", "LinkGraphBenchmark"].map { name in
            .executableTarget(
                name: name,
                dependencies: ["PippinPage", "PippinCrawl", "PippinStore"].map { .product(name: $0, package: "pippin") }
            )
        },
    swiftLanguageModes: [.v6]
)
