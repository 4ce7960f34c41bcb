// swift-tools-version: 6.2

import PackageDescription

// An app with three lists, of which two are wrong, and its tests: what a user of
// FetchedResultsTesting writes, in a package of its own.
let package = Package(
  name: "sample-app",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "frc", path: "../..")],
  targets: [
    .target(
      name: "BookApp",
      dependencies: [.product(name: "FetchedResults", package: "frc")]),
    .testTarget(
      name: "BookAppTests",
      dependencies: ["BookApp", .product(name: "FetchedResultsTesting", package: "frc")],
      exclude: ["Scripts"]),
  ],
  swiftLanguageModes: [.v6]
)
