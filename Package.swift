// swift-tools-version: 6.2

import PackageDescription

/// The trait of our own builds, on by default. Who uses `AASA` alone leaves it off (docs/reference/library.md): then no other
/// package is fetched, and the settings that are ours do not count.
///
/// One trait for all: of a condition with several traits SwiftPM 6.2 requires every one, SwiftPM 6.3 only one.
let monitor: Set<String> = ["Monitor"]

/// The trait of the commands that only read files, which build on a Mac too. `Monitor` enables it.
let files: Set<String> = ["Files"]

/// Settings that every target of ours shares: warnings are faults, and an existential is written as one.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error, .when(traits: monitor)),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Optimized in a debug build too, for the targets whose code the tests run most. It costs a minute of CPU, and saves
/// the tests four.
let optimized: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug, traits: monitor))]
let computing = strict + optimized

/// The same for targets that wait far more than they compute: built for size, which takes a sixth less time.
let small = strict + [.unsafeFlags(["-Osize"], .when(configuration: .release, traits: monitor))]

extension Target.Dependency {
    /// A product of another package. Only on Linux: on a Mac some of them need a newer system than `AASA`, and SwiftPM
    /// compares that even for targets that are not built.
    static func external(_ product: String, _ package: String) -> Self {
        .product(name: product, package: package, condition: .when(platforms: [.linux], traits: monitor))
    }

    /// The package of the commands that read files.
    static let argumentParser = Self.product(
        name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: files))

    /// A target that needs Linux and the network.
    static func onLinux(_ name: String) -> Self {
        .target(name: name, condition: .when(platforms: [.linux], traits: monitor))
    }
}

// The order of the targets is the order of the modules in ARCHITECTURE.md: a target may import those above it, never those
// below.
let package = Package(
    name: "aasa-monitor",
    // For `AASA` and the commands that read files. All other targets need Linux. On a Mac:
    // swift build --target AASA --disable-default-traits
    // swift build --product aasa-monitor --disable-default-traits --traits Files
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .library(name: "AASA", targets: ["AASA"]),
        .executable(name: "aasa-monitor", targets: ["aasa-monitor"]),
    ],
    traits: [
        .trait(name: "Files", description: "lint, match, diff and audit --offline: what a Mac builds"),
        .trait(
            name: "Monitor", description: "the program and its tests; the library AASA needs none of its packages",
            enabledTraits: ["Files"]),
        .default(enabledTraits: ["Monitor"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCares", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        // From libjemalloc-dev. No pkg-config: its flags are those of a plain library.
        .target(name: "CJemalloc", linkerSettings: [.linkedLibrary("jemalloc")]),
        .target(name: "CBuild"),
        .target(name: "CICU", cSettings: [.headerSearchPath("../../.build/icu")]),
        .target(name: "Facts", swiftSettings: computing),
        .target(
            name: "Curl",
            dependencies: [
                "CCares", "CCurl", "Facts", .external("DequeModule", "swift-collections"),
            ],
            swiftSettings: strict),
        .target(name: "AASA", swiftSettings: computing),
        .target(name: "MonitorMetrics", swiftSettings: strict),
        // A Mac has CryptoKit.
        .target(
            name: "Hashing", dependencies: [.target(name: "COpenSSL", condition: .when(platforms: [.linux]))],
            swiftSettings: computing),
        .target(
            name: "Evidence",
            dependencies: ["AASA", "Facts", "Hashing"],
            swiftSettings: computing),
        .target(
            name: "FileCommands", dependencies: ["AASA", "Evidence", "Facts", .argumentParser],
            resources: [.embedInCode("Templates")],
            swiftSettings: small),
        .target(name: "Device", dependencies: ["AASA", "CArchive", "Evidence"], swiftSettings: computing),
        .target(name: "Probing", dependencies: ["Curl", "Evidence", "Facts"], swiftSettings: strict),
        .target(name: "Monitoring", dependencies: ["Evidence", "Facts"], swiftSettings: computing),
        .target(
            name: "Storage",
            dependencies: [
                "Evidence", "Facts", "Hashing", "Monitoring", .external("GRDB", "GRDB.swift"),
                .external("GRDBSQLite", "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "Report", dependencies: ["AASA", "Evidence", "Monitoring", "Storage"],
            swiftSettings: strict),
        .target(
            name: "Alerting",
            dependencies: [
                "Curl", "Evidence", "Facts", "Hashing", "Monitoring", "Report", "Storage",
                .external("Logging", "swift-log"),
            ],
            swiftSettings: small + optimized),
        .target(
            name: "StatusServer",
            dependencies: [
                "AASA", "Evidence", "Facts", "Hashing", "MonitorMetrics", "Monitoring", "Report", "Storage",
                .external("HTTPTypes", "swift-http-types"),
                .external("Hummingbird", "hummingbird"),
                .external("HummingbirdCore", "hummingbird"),
                .external("Logging", "swift-log"),
                .external("NIOCore", "swift-nio"),
                .external("NIOHTTP1", "swift-nio"),
                .external("NIOHTTPTypes", "swift-nio-extras"),
                .external("NIOHTTPTypesHTTP1", "swift-nio-extras"),
                .external("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("Resources")],
            swiftSettings: small),
        .target(
            // Not plain `Configuration`: swift-configuration, which Hummingbird brings, has taken that module name.
            name: "MonitorConfiguration",
            dependencies: ["AASA", "Evidence", "Facts", "Monitoring", .external("Yams", "Yams")],
            path: "Sources/Configuration",
            swiftSettings: small),
        .target(
            name: "Lab",
            dependencies: [
                "COpenSSL",
                .external("NIOCore", "swift-nio"),
                .external("NIOHTTP1", "swift-nio"),
                .external("NIOPosix", "swift-nio"),
                .external("NIOTLS", "swift-nio"),
            ],
            swiftSettings: small),
        .target(
            name: "Daemon",
            dependencies: [
                "Alerting", "Curl", "Evidence", "Facts", "MonitorMetrics", "MonitorConfiguration", "Monitoring",
                "Probing",
                "StatusServer", "Storage",
                .external("HeapModule", "swift-collections"),
                .external("Logging", "swift-log"),
                .external("ServiceLifecycle", "swift-service-lifecycle"),
                .external("UnixSignals", "swift-service-lifecycle"),
            ],
            swiftSettings: small),
        .target(
            name: "Commands",
            dependencies: [
                "AASA", "Alerting", "CBuild", "Curl", "Daemon", "Device", "Evidence", "Facts", "FileCommands", "Lab",
                "MonitorConfiguration",
                "Monitoring",
                "Probing", "Report", "StatusServer", "Storage",
                .argumentParser,
                .external("Logging", "swift-log"),
            ],
            resources: [.embedInCode("Templates")],
            swiftSettings: small),
        .executableTarget(
            name: "aasa-monitor",
            dependencies: [.onLinux("CICU"), .onLinux("CJemalloc"), .onLinux("Commands"), "FileCommands"],
            swiftSettings: strict,
            // 51,000 exported symbols that nobody imports: without them a start takes a tenth less CPU.
            linkerSettings: [
                .unsafeFlags(
                    ["-Xlinker", "--no-export-dynamic"],
                    .when(platforms: [.linux], configuration: .release, traits: monitor))
            ]),
        // Starts a program with three descriptors, for benchmarks and tests alone.
        .target(name: "CSpawn", path: "Tests/CSpawn"),
        .executableTarget(
            name: "aasa-monitor-bench",
            dependencies: [
                "AASA", "Alerting", "CCurl", "CSpawn", "Curl", "Daemon", "Evidence", "Facts", "Lab", "LabFaults",
                "MonitorConfiguration",
                "Monitoring", "Probing", "Storage", "TestSupport", .external("GRDB", "GRDB.swift"),
                .external("Logging", "swift-log"),
            ],
            path: "Benchmarks",
            swiftSettings: strict),

        // What several suites share: observations by hand, temporary folders, the corpus.
        .target(
            name: "TestSupport", dependencies: ["Evidence", "Facts", "Monitoring"], path: "Tests/TestSupport",
            swiftSettings: strict),
        // Where a suite's tests run, and the programs that they run. By itself: what imports Testing cannot go into a command.
        .target(name: "TestTraits", dependencies: ["CSpawn"], path: "Tests/TestTraits", swiftSettings: strict),
        // Origins, copies and receivers that are broken or mean harm, beside those of `Lab` that the demo has.
        .target(
            name: "LabFaults",
            dependencies: [
                "COpenSSL", "Lab", .external("NIOCore", "swift-nio"), .external("NIOPosix", "swift-nio"),
            ],
            path: "Tests/LabFaults", swiftSettings: strict),
        // The deterministic simulation, its command (`make simulate`) and its suite.
        .target(
            name: "Simulation",
            dependencies: [
                "Alerting", "Daemon", "Evidence", "Facts", "Hashing", "MonitorConfiguration", "Monitoring", "Storage",
                "TestSupport", .external("GRDB", "GRDB.swift"),
                .external("Logging", "swift-log"),
            ],
            path: "Tests/Simulation",
            swiftSettings: strict),
        .executableTarget(
            name: "aasa-monitor-simulate", dependencies: ["Simulation"], path: "Tests/Simulate", swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Simulation", "TestSupport", "TestTraits", "aasa-monitor-simulate"],
            exclude: ["Recordings"],
            swiftSettings: strict),
        // Stores that are filled by hand, for snapshots of what pages show; and the pages over one, for the browser's tests
        // (Tests/Browser) and for pictures.
        .target(
            name: "Stage", dependencies: ["Evidence", "Facts", "Monitoring", "StatusServer", "Storage", "TestSupport"],
            path: "Tests/Stage", swiftSettings: strict),
        .executableTarget(
            name: "aasa-monitor-stage",
            dependencies: [
                "Evidence", "Monitoring", "Stage", "StatusServer", "Storage",
                .external("Logging", "swift-log"),
            ],
            path: "Tests/StageCommand", swiftSettings: strict),
        .testTarget(name: "AASATests", dependencies: ["AASA", "TestSupport", "TestTraits"], swiftSettings: strict),
        .testTarget(
            name: "AlertingTests",
            dependencies: [
                "Alerting", "Curl", "Evidence", "Facts", "Lab", "LabFaults", "Monitoring", "Storage", "TestSupport",
                "TestTraits", .external("GRDB", "GRDB.swift"), .external("Logging", "swift-log"),
            ],
            exclude: ["Payloads", "Snapshots"],
            swiftSettings: strict),
        .testTarget(
            name: "CommandsTests",
            dependencies: [
                "AASA", "Commands", "Evidence", "Facts", "FileCommands", "Monitoring", "Probing", "Report",
                "StatusServer", "Storage", "TestSupport", "TestTraits",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "Evidence", "Facts", "MonitorConfiguration", "Monitoring", "TestSupport", "TestTraits",
                .external("Yams", "Yams"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "CurlTests",
            dependencies: ["CCurl", "Curl", "Facts", "Lab", "LabFaults", "TestSupport", "TestTraits"],
            swiftSettings: strict),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "Alerting", "Curl", "Daemon", "Evidence", "Facts", "MonitorConfiguration", "Monitoring",
                "StatusServer", "Storage", "TestSupport", "TestTraits", .external("GRDB", "GRDB.swift"),
                .external("Logging", "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DeviceTests",
            dependencies: ["AASA", "CArchive", "Device", "Evidence", "Facts", "TestSupport", "TestTraits"],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Commands", "Evidence", "FileCommands", "Lab", "LabFaults", "TestSupport", "TestTraits", "aasa-monitor",
                .argumentParser, .external("Yams", "Yams"),
            ],
            exclude: ["Fixtures/scenarios"], swiftSettings: strict),
        .testTarget(
            name: "EvidenceTests", dependencies: ["AASA", "Evidence", "Facts", "TestSupport", "TestTraits"],
            swiftSettings: strict),
        .testTarget(name: "FactsTests", dependencies: ["Facts"], swiftSettings: strict),
        .testTarget(
            name: "FileCommandsTests", dependencies: ["AASA", "Evidence", "FileCommands", "TestTraits"],
            swiftSettings: strict),
        .testTarget(name: "HashingTests", dependencies: ["Hashing"], swiftSettings: strict),
        .testTarget(name: "LabTests", dependencies: ["Lab", "LabFaults", "TestTraits"], swiftSettings: strict),
        .testTarget(
            name: "MonitorMetricsTests", dependencies: ["MonitorMetrics", "TestTraits"], swiftSettings: strict),
        .testTarget(
            name: "MonitoringTests",
            dependencies: ["AASA", "Evidence", "Facts", "Monitoring", "TestSupport", "TestTraits"],
            swiftSettings: strict),
        .testTarget(
            name: "ProbingTests",
            dependencies: ["Curl", "Evidence", "Facts", "Lab", "LabFaults", "Probing", "TestSupport", "TestTraits"],
            swiftSettings: strict),
        .testTarget(
            name: "StatusServerTests",
            dependencies: [
                "Evidence", "Facts", "MonitorMetrics", "Monitoring", "Report", "StatusServer", "Storage", "TestSupport",
                "TestTraits",
                .external("Logging", "swift-log"),
                .external("ServiceLifecycle", "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "Evidence", "Facts", "Monitoring", "Storage", "TestSupport", "TestTraits",
                .external("GRDB", "GRDB.swift"),
            ],
            swiftSettings: strict),
        // What each surface says of a domain in each of its states.
        .testTarget(
            name: "GoldenTests",
            dependencies: [
                "Alerting", "Commands", "Daemon", "Evidence", "Facts", "FileCommands", "MonitorConfiguration",
                "MonitorMetrics", "Monitoring", "Report",
                "Stage", "StatusServer", "Storage", "TestSupport", "TestTraits",
                .argumentParser, .external("Logging", "swift-log"),
            ],
            exclude: ["Golden"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
