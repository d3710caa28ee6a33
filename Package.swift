// swift-tools-version: 6.2

import PackageDescription

/// Settings that every target of ours shares: warnings are faults, and an existential is written as one.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The same for the targets whose code the tests run most: optimized in a debug build too. It costs a minute of CPU, and saves the
/// tests four.
let computing = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// The same for targets that wait far more than they compute: built for size, which takes a sixth less time.
let small = strict + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

// The order of the targets is the order of the modules in ARCHITECTURE.md: a target may import those above it, never those
// below.
let package = Package(
    name: "aasa-monitor",
    products: [
        .library(name: "AASA", targets: ["AASA"]),
        .executable(name: "aasa-monitor", targets: ["aasa-monitor"]),
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
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CCares", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        // From libjemalloc-dev. No pkg-config: its flags are those of a plain library.
        .target(name: "CJemalloc", linkerSettings: [.linkedLibrary("jemalloc")]),
        .target(name: "CBuild"),
        .target(name: "CICU", cSettings: [.headerSearchPath("../../.build/icu")]),
        .target(name: "Facts", swiftSettings: computing),
        .target(
            name: "Curl",
            dependencies: [
                "CCares", "CCurl", "Facts", .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .target(name: "AASA", swiftSettings: computing),
        .target(name: "MonitorMetrics", swiftSettings: strict),
        .target(name: "Hashing", dependencies: ["COpenSSL"], swiftSettings: computing),
        .target(
            name: "Evidence",
            dependencies: ["AASA", "Facts", "Hashing"],
            swiftSettings: computing),
        .target(name: "Probing", dependencies: ["Curl", "Evidence", "Facts"], swiftSettings: strict),
        .target(name: "Monitoring", dependencies: ["Evidence", "Facts"], swiftSettings: computing),
        .target(
            name: "Storage",
            dependencies: [
                "Evidence", "Facts", "Monitoring", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "Alerting",
            dependencies: [
                "Curl", "Evidence", "Facts", "Hashing", "Monitoring", "Storage",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: small + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        .target(
            name: "StatusServer",
            dependencies: [
                "AASA", "CZlib", "Evidence", "Facts", "Hashing", "Monitoring", "Storage",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("Templates")],
            swiftSettings: small),
        .target(
            // Not plain `Configuration`: swift-configuration, which Hummingbird brings, has taken that module name.
            name: "MonitorConfiguration",
            dependencies: ["Evidence", "Facts", "Monitoring", .product(name: "Yams", package: "Yams")],
            path: "Sources/Configuration",
            swiftSettings: small),
        .target(
            name: "Lab",
            dependencies: [
                "COpenSSL",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: small),
        .target(
            name: "Daemon",
            dependencies: [
                "Alerting", "Curl", "Evidence", "Facts", "MonitorMetrics", "MonitorConfiguration", "Monitoring",
                "Probing",
                "StatusServer", "Storage",
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: small),
        .target(
            name: "Commands",
            dependencies: [
                "AASA", "Alerting", "CBuild", "COpenSSL", "Curl", "Daemon", "Evidence", "Facts", "Lab",
                "MonitorConfiguration",
                "Monitoring",
                "Probing", "StatusServer", "Storage",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            resources: [.embedInCode("Templates")],
            swiftSettings: small),
        .executableTarget(
            name: "aasa-monitor", dependencies: ["CICU", "CJemalloc", "Commands"], swiftSettings: strict,
            // 51,000 exported symbols that nobody imports: without them a start takes a tenth less CPU.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--no-export-dynamic"], .when(configuration: .release))]),
        // Starts a program with three descriptors, for benchmarks and tests alone.
        .target(name: "CSpawn", path: "Tests/CSpawn"),
        .executableTarget(
            name: "aasa-monitor-bench",
            dependencies: [
                "AASA", "Alerting", "CCurl", "CSpawn", "Curl", "Daemon", "Evidence", "Facts", "Lab",
                "MonitorConfiguration",
                "Monitoring", "Probing", "Storage", "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Benchmarks",
            swiftSettings: strict),

        // What several suites share: observations by hand, temporary folders, the corpus.
        .target(
            name: "TestSupport", dependencies: ["Evidence", "Facts", "Monitoring"], path: "Tests/TestSupport",
            swiftSettings: strict),
        // Where a suite's tests run, and the programs that they run. By itself: what imports Testing cannot go into a command.
        .target(name: "TestTraits", dependencies: ["CSpawn"], path: "Tests/TestTraits", swiftSettings: strict),
        // The deterministic simulation, its command (`make simulate`) and its suite.
        .target(
            name: "Simulation",
            dependencies: [
                "Alerting", "Daemon", "Evidence", "Facts", "Hashing", "MonitorConfiguration", "Monitoring", "Storage",
                "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
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
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/StageCommand", swiftSettings: strict),
        .testTarget(name: "AASATests", dependencies: ["AASA", "TestSupport", "TestTraits"], swiftSettings: strict),
        .testTarget(
            name: "AlertingTests",
            dependencies: [
                "Alerting", "Curl", "Evidence", "Facts", "Lab", "Monitoring", "Storage", "TestSupport", "TestTraits",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Payloads", "Snapshots"],
            swiftSettings: strict),
        .testTarget(
            name: "CommandsTests",
            dependencies: [
                "AASA", "Commands", "Evidence", "Facts", "Monitoring", "Storage", "TestSupport", "TestTraits",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "Evidence", "Facts", "MonitorConfiguration", "Monitoring", "TestSupport", "TestTraits",
                .product(name: "Yams", package: "Yams"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "CurlTests", dependencies: ["CCurl", "Curl", "Facts", "Lab", "TestSupport", "TestTraits"],
            swiftSettings: strict),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "Alerting", "Daemon", "Evidence", "Facts", "MonitorConfiguration", "Monitoring", "StatusServer",
                "Storage",
                "TestSupport", "TestTraits", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Evidence", "Lab", "TestSupport", "TestTraits", "aasa-monitor",
                .product(name: "Yams", package: "Yams"),
            ],
            exclude: ["Fixtures/scenarios"], swiftSettings: strict),
        .testTarget(
            name: "EvidenceTests", dependencies: ["AASA", "Evidence", "Facts", "TestSupport", "TestTraits"],
            swiftSettings: strict),
        .testTarget(name: "FactsTests", dependencies: ["Facts"], swiftSettings: strict),
        .testTarget(name: "HashingTests", dependencies: ["Hashing"], swiftSettings: strict),
        .testTarget(name: "LabTests", dependencies: ["Lab", "TestTraits"], swiftSettings: strict),
        .testTarget(
            name: "MonitorMetricsTests", dependencies: ["MonitorMetrics", "TestTraits"], swiftSettings: strict),
        .testTarget(
            name: "MonitoringTests",
            dependencies: ["AASA", "Evidence", "Facts", "Monitoring", "TestSupport", "TestTraits"],
            swiftSettings: strict),
        .testTarget(
            name: "ProbingTests",
            dependencies: ["Curl", "Evidence", "Facts", "Lab", "Probing", "TestSupport", "TestTraits"],
            swiftSettings: strict),
        .testTarget(
            name: "StatusServerTests",
            dependencies: [
                "Evidence", "Facts", "Monitoring", "StatusServer", "Storage", "TestSupport", "TestTraits",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "Evidence", "Facts", "Monitoring", "Storage", "TestSupport", "TestTraits",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: strict),
        // What each surface says of a domain in each of its states.
        .testTarget(
            name: "GoldenTests",
            dependencies: [
                "Alerting", "Commands", "Daemon", "Evidence", "Facts", "MonitorConfiguration", "MonitorMetrics",
                "Monitoring",
                "Stage", "StatusServer", "Storage", "TestSupport", "TestTraits",
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Golden"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
