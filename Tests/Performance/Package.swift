// swift-tools-version: 6.2

import PackageDescription

// Measurements in a separate package, so that users of the library do not build the compared
// libraries.
let package = Package(
  name: "performance",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "frc", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // The heap's own functions, which the standard C module does not offer.
    .systemLibrary(name: "CMalloc"),
    // Loops in C that measure SQLite without any layer between.
    .target(name: "CSQLiteLoops", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "AgainstGRDB",
      dependencies: [
        .product(name: "FetchedResultsMacros", package: "frc"),
        .product(name: "FetchedResultsSQLite", package: "frc"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .executableTarget(name: "Goldens", dependencies: [.product(name: "frc", package: "frc")]),
    .executableTarget(
      name: "Import",
      dependencies: [
        "CMalloc",
        .product(name: "FetchedResults", package: "frc"),
        .product(name: "FetchedResultsSQLite", package: "frc"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .executableTarget(name: "Keys", dependencies: [.product(name: "frc", package: "frc")]),
    .executableTarget(name: "Nothing"),
    .executableTarget(
      name: "Observers", dependencies: [.product(name: "FetchedResults", package: "frc")]),
    .executableTarget(
      name: "Operations",
      dependencies: [
        .product(name: "FetchedResults", package: "frc"),
        .product(name: "FetchedResultsSQLite", package: "frc"),
      ]),
    .executableTarget(
      name: "Predicates", dependencies: [.product(name: "FetchedResults", package: "frc")]),
    .executableTarget(
      name: "Relationships", dependencies: [.product(name: "FetchedResults", package: "frc")]),
    .executableTarget(name: "Runners", dependencies: [.product(name: "frc", package: "frc")]),
    .executableTarget(
      name: "Startup", dependencies: ["Nothing", .product(name: "frc", package: "frc")]),
    .executableTarget(
      name: "Stores",
      dependencies: [
        "CSQLiteLoops",
        .product(name: "FetchedResults", package: "frc"),
        .product(name: "FetchedResultsSQLite", package: "frc"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .executableTarget(
      name: "Tracking",
      dependencies: [
        "CMalloc",
        .product(name: "FetchedResults", package: "frc"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .executableTarget(
      name: "Typed", dependencies: [.product(name: "FetchedResultsMacros", package: "frc")]),
  ],
  swiftLanguageModes: [.v6]
)
