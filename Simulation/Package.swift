// swift-tools-version:6.1
import PackageDescription

// Runs many seeds of Simulation, which is a library of the package around it, so that tests run some too.
let package = Package(
    name: "pippin-simulation",
    dependencies: [.package(name: "pippin", path: "..")],
    targets: [
        .executableTarget(name: "simulate", dependencies: [.product(name: "Simulation", package: "pippin")])
    ],
    swiftLanguageModes: [.v6]
)
