// swift-tools-version: 6.2

import PackageDescription

// Somebody else's package, with this repository beside it and nothing but the library in use. `test.sh` copies it and adds
// the example of docs/reference/library.md.
let package = Package(
    name: "links",
    dependencies: [.package(name: "aasa-monitor", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "links", dependencies: [.product(name: "AASA", package: "aasa-monitor")], path: "Sources")
    ]
)
