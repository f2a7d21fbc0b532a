// swift-tools-version:6.1
import PackageDescription

// Pippin reads pages, crawls the web, stores records, judges what it saw, and serves search:
// five libraries in a line, one beside it, and a command that joins them.
let package = Package(
    name: "pippin",
    products: [
        .executable(name: "pippin", targets: ["pippin"]),
        .library(name: "PippinPage", targets: ["PippinPage"]),
        .library(name: "PippinCrawl", targets: ["PippinCrawl"]),
        .library(name: "PippinStore", targets: ["PippinStore"]),
        .library(name: "PippinReport", targets: ["PippinReport"]),
        .library(name: "PathologicalPages", targets: ["PathologicalPages"]),
        .library(name: "Simulation", targets: ["Simulation"]),
    ],
    // Each up to its next minor version: Package.resolved is not kept, and CONTRIBUTING.md lists the versions that were tried.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/apple/swift-collections", .upToNextMinor(from: "1.6.0")),
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        .package(url: "https://github.com/apple/swift-nio.git", .upToNextMinor(from: "2.101.2")),
        .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.2")),
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", .upToNextMinor(from: "2.28.1"),
            // Without its reader of configurations, which is a library of its own to compile.
            traits: ["FullFoundation"]),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", .upToNextMinor(from: "2.13.0")),
    ],
    targets: [
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CICU", pkgConfig: "icu-uc", providers: [.apt(["libicu-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
        // Has no pkg-config file.
        .systemLibrary(name: "CStemmer", providers: [.apt(["libstemmer-dev"])]),
        // Its malloc takes the place of the C library's: several threads allocate and free the memory of each other's pages.
        .systemLibrary(name: "CMimalloc", providers: [.apt(["libmimalloc-dev"])]),

        // libcurl, loaded by the first call; OpenSSL's digests and TLS come with it.
        .target(name: "CCurl"),

        // Starts a program with a socket and nothing else of ours, which Glibc's module does not let Swift do.
        .target(name: "CSpawn"),

        // CLD2 has an interface in C++ only, and no pkg-config file.
        .target(name: "CLanguageDetection", linkerSettings: [.linkedLibrary("cld2")]),

        // What one page, and the files its site publishes, say. No network, disk or clock.
        .target(
            name: "PippinPage", dependencies: ["CLibXML2", "CICU", "CZlib", "CPSL", "CLanguageDetection", "CStemmer"]),

        // Visits pages politely: seeds in, records out.
        .target(
            name: "PippinCrawl",
            dependencies: [
                "PippinPage", "CCurl", "CDeflate", "CZlib",
                .product(name: "Yams", package: "Yams"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            // A link to the file at the root.
            resources: [.embedInCode("Configuration/VERSION")]),

        // Runs the scripts of pages, in a browser without network.
        .target(name: "PippinRender", dependencies: ["PippinPage", "PippinCrawl", "CSpawn"]),

        // Remembers what a job has done.
        .target(
            name: "PippinStore",
            dependencies: [
                "PippinPage", "PippinCrawl",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]),

        // Judges pages: the report card of a page, the report of many, the report of a site.
        .target(name: "PippinReport", dependencies: ["PippinPage", "PippinCrawl", "PippinStore"]),

        // Shows what Pippin knows, and serves the demo site.
        .target(
            name: "PippinServe",
            dependencies: [
                "PippinPage", "PippinCrawl", "PippinStore", "PippinReport", "CZlib",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            // A link to the file in Docs.
            resources: [.embedInCode("Server/record.schema.json")]),

        .executableTarget(
            name: "pippin",
            dependencies: [
                "PippinPage", "PippinCrawl", "PippinRender", "PippinStore", "PippinReport", "PippinServe", "CMimalloc",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            // Links to the files at the root, which `pippin init` writes.
            resources: [.embedInCode("Job/crawl-config.yaml"), .embedInCode("Job/seeds.txt")],
            // With Swift's libraries in it, the program starts in half the time. Tests are built for debugging and load them. The named
            // libraries are those that Foundation needs then. Without exported symbols, libraries find theirs faster.
            linkerSettings: [
                .unsafeFlags(
                    ["-static-stdlib", "-Xlinker", "--no-export-dynamic"]
                        + [
                            "Foundation", "FoundationInternationalization", "FoundationEssentials", "CoreFoundation",
                            "_FoundationICU", "_FoundationCShims", "_FoundationCollections", "BlocksRuntime", "stdc++",
                        ].map { "-l\($0)" },
                    .when(platforms: [.linux], configuration: .release))
            ]),

        // Pages that cost the most for their size: for tests, fuzz targets and benchmarks.
        .target(name: "PathologicalPages", path: "Tests/PathologicalPages"),
        // The job in a made-up web, on a disk that fails: see Simulation/README.md.
        .target(name: "CFaultyDisk", path: "Simulation/Sources/CFaultyDisk"),
        .target(
            name: "Simulation",
            dependencies: [
                "PippinPage", "PippinCrawl", "PippinStore", "CFaultyDisk",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Simulation/Sources/Simulation"),
        .target(
            name: "PippinTestSupport", dependencies: ["PippinPage", "PippinCrawl", "Simulation", "CZlib"],
            path: "Tests/PippinTestSupport"),
        .testTarget(
            name: "PippinPageTests", dependencies: ["PippinPage", "PippinTestSupport", "CZlib"], exclude: ["Fixtures"]),
        .testTarget(
            name: "PippinCrawlTests",
            dependencies: [
                "PippinPage", "PippinCrawl", "PippinTestSupport", "CZlib",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "PippinRenderTests", dependencies: ["PippinPage", "PippinCrawl", "PippinRender", "PippinTestSupport"]),
        .testTarget(
            name: "PippinStoreTests",
            dependencies: [
                "PippinPage", "PippinCrawl", "PippinStore", "PippinTestSupport", "Simulation",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "PippinReportTests",
            dependencies: [
                "PippinPage", "PippinCrawl", "PippinStore", "PippinReport", "PippinTestSupport", "PathologicalPages",
            ],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "PippinServeTests",
            dependencies: [
                "PippinPage", "PippinCrawl", "PippinStore", "PippinReport", "PippinServe", "PippinTestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        .testTarget(
            name: "PippinCommandTests",
            dependencies: [
                "PippinPage", "PippinCrawl", "PippinRender", "PippinStore", "PippinReport", "PippinTestSupport",
                "pippin",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
