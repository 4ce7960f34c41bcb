// swift-tools-version: 6.2

import PackageDescription

// An app's data layer in one file: typed classes, a file, an import in the background, a list that
// is kept up to date, and undo. It sees only what is public.
let package = Package(
  name: "library-client",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "frc", path: "../..")],
  targets: [
    .executableTarget(
      name: "LibraryClient",
      dependencies: [
        .product(name: "FetchedResultsMacros", package: "frc"),
        .product(name: "FetchedResultsSQLite", package: "frc"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
