// swift-tools-version: 6.2

import PackageDescription

// An app that uses the library, in a separate package: it sees only what is public.
let package = Package(
  name: "client",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "frc", path: "../..")],
  targets: [
    .executableTarget(
      name: "Client",
      dependencies: [.product(name: "FetchedResults", package: "frc")])
  ],
  swiftLanguageModes: [.v6]
)
