// swift-tools-version: 6.2

import PackageDescription

// A list on a server that browsers follow: a service as a user of the library would write it.
let package = Package(
  name: "list-server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "frc", path: "../../.."),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    // The departures and those who follow their list. Knows nothing of HTTP.
    .target(
      name: "Departures",
      dependencies: [
        .product(name: "FetchedResults", package: "frc"),
        .product(name: "FetchedResultsSQLite", package: "frc"),
      ]),
    .executableTarget(
      name: "ListServer",
      dependencies: [
        "Departures",
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      resources: [
        .embedInCode("Page/index.html"), .embedInCode("Page/list.css"),
        .embedInCode("Page/list.js"),
      ]),
    .testTarget(name: "DeparturesTests", dependencies: ["Departures"]),
  ],
  swiftLanguageModes: [.v6]
)
