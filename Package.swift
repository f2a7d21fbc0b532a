// swift-tools-version:6.1
import PackageDescription

// Pippin reads pages, crawls the web, stores records, and serves search:
// four libraries in a line, each owning one foreign library, and a command that joins them.
let package = Package(
    name: "pippin",
    products: [
        .executable(name: "pippin", targets: ["pippin"]),
        .library(name: "PippinPage", targets: ["PippinPage"]),
        .library(name: "PippinCrawl", targets: ["PippinCrawl"]),
        .library(name: "PippinStore", targets: ["PippinStore"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CICU", pkgConfig: "icu-uc", providers: [.apt(["libicu-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),

        // What one page, and the files its site publishes, say. No network, disk or clock.
        .target(name: "PippinPage", dependencies: ["CLibXML2", "CICU", "CZlib", "CPSL"]),

        // Visits pages politely: seeds in, records out.
        .target(
            name: "PippinCrawl",
            dependencies: [
                "PippinPage", "CCurl", "CCrypto", "CZlib",
                .product(name: "Yams", package: "Yams"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ]),

        // Remembers what a job has done.
        .target(
            name: "PippinStore",
            dependencies: [
                "PippinCrawl",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]),

        // Shows what Pippin knows, and serves the demo site.
        .target(
            name: "PippinServe",
            dependencies: [
                "PippinStore", "CZlib",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
            ]),

        .executableTarget(
            name: "pippin",
            dependencies: [
                "PippinPage", "PippinCrawl", "PippinStore", "PippinServe",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            // Its malloc takes the place of the C library's: several threads allocate and free the memory of each other's pages.
            linkerSettings: [.linkedLibrary("mimalloc")]),

        .target(
            name: "PippinTestSupport", dependencies: ["PippinPage", "PippinCrawl", "CZlib"],
            path: "Tests/PippinTestSupport"),
        .testTarget(
            name: "PippinPageTests", dependencies: ["PippinPage", "PippinTestSupport"], exclude: ["Fixtures"]),
        .testTarget(name: "PippinCrawlTests", dependencies: ["PippinCrawl", "PippinTestSupport", "CZlib"]),
        .testTarget(name: "PippinStoreTests", dependencies: ["PippinStore", "PippinTestSupport"]),
        .testTarget(name: "PippinServeTests", dependencies: ["PippinServe", "PippinTestSupport"]),
        .testTarget(name: "PippinCommandTests", dependencies: ["PippinServe", "PippinTestSupport", "pippin"]),
    ],
    swiftLanguageModes: [.v6]
)
