// swift-tools-version: 6.2

import PackageDescription

// An app with three lists, two of them with mistakes, and its tests: an example of using
// FetchedResultsTesting in a separate package.
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
      dependencies: [
        "BookApp", .product(name: "FetchedResults", package: "frc"),
        .product(name: "FetchedResultsTesting", package: "frc"),
      ],
      exclude: ["Scripts"]),
  ],
  swiftLanguageModes: [.v6]
)
