// swift-tools-version: 6.2

import PackageDescription

// An app that observes results and the history on two actors. It sees only what is public.
//
// Run it with the thread sanitizer:
//   swift run --package-path Tests/ObserverClient --sanitize=thread
let package = Package(
  name: "observer-client",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "frc", path: "../..")],
  targets: [
    .executableTarget(
      name: "ObserverClient",
      dependencies: [.product(name: "FetchedResultsMacros", package: "frc")])
  ],
  swiftLanguageModes: [.v6]
)
