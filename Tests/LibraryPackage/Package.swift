// swift-tools-version: 6.2

import PackageDescription

// An example of a package that uses only the library of this repository. `test.sh` copies it and adds the example of
// docs/reference/library.md.
let package = Package(
    name: "links",
    dependencies: [.package(name: "aasa-monitor", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "links", dependencies: [.product(name: "AASA", package: "aasa-monitor")], path: "Sources")
    ]
)
