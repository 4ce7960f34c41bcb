// swift-tools-version: 6.2

import PackageDescription

// An app as any user of the library would write it, in a package of its own:
// it sees what is public and nothing else.
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
