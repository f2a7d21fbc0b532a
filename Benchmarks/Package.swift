// swift-tools-version:6.1
import PackageDescription

// A package of its own, so that the main manifest never sees what only benchmarks need.
let package = Package(
    name: "pippin-benchmarks",
    dependencies: [
        .package(name: "pippin", path: ".."),
        // The plain full-text index that search is compared with.
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        .package(url: "https://github.com/apple/swift-collections", .upToNextMinor(from: "1.6.0")),
    ],
    targets: ["ExtractionBenchmark", "GuessWeightsBenchmark"].map { name in
        .executableTarget(name: name, dependencies: [.product(name: "PippinPage", package: "pippin")])
    }
        + [
            .executableTarget(
                name: "PathologicalBenchmark",
                dependencies: ["PippinPage", "PippinCrawl", "PippinStore", "PippinReport", "PathologicalPages"].map {
                    .product(name: $0, package: "pippin")
                })
        ]
        + ["FrontierBenchmark", "LinkGraphBenchmark"].map { name in
            .executableTarget(
                name: name,
                dependencies: ["PippinPage", "PippinCrawl", "PippinStore"].map { .product(name: $0, package: "pippin") }
            )
        }
        + [
            // With the command's own allocator: two threads ask it at the same time.
            .executableTarget(
                name: "CoresBenchmark",
                dependencies: ["PippinPage", "PippinCrawl", "PippinStore"].map {
                    .product(name: $0, package: "pippin")
                },
                linkerSettings: [.linkedLibrary("mimalloc")]),
            .executableTarget(
                name: "SigningBenchmark",
                dependencies: ["PippinPage", "PippinCrawl"].map { .product(name: $0, package: "pippin") }),
            .executableTarget(
                name: "PolitenessBenchmark",
                dependencies: ["PippinPage", "PippinCrawl"].map { .product(name: $0, package: "pippin") }
                    + [.product(name: "DequeModule", package: "swift-collections")]),
        ]
        + [
            .target(
                name: "SearchYardsticks",
                dependencies: ["PippinPage", "PippinCrawl", "PippinStore"].map { .product(name: $0, package: "pippin") }
                    + [.product(name: "GRDB", package: "GRDB.swift")])
        ]
        + ["SearchQualityBenchmark", "KnownItemBenchmark", "SearchLatencyBenchmark", "StuffingBenchmark"].map { name in
            .executableTarget(
                name: name,
                dependencies: ["SearchYardsticks"]
                    + ["PippinPage", "PippinCrawl", "PippinStore"].map { .product(name: $0, package: "pippin") })
        } + [
            .target(
                name: "CYardsticks", cSettings: [.unsafeFlags(["-I/usr/include/libxml2"])],
                linkerSettings: ["xml2", "z", "sqlite3"].map { .linkedLibrary($0) }),
            .executableTarget(
                name: "SpeedBenchmark",
                dependencies: ["CYardsticks"]
                    + ["PippinPage", "PippinCrawl", "PippinStore"].map { .product(name: $0, package: "pippin") }),
        ],
    swiftLanguageModes: [.v6]
)
