// swift-tools-version: 6.2

import PackageDescription

// A list of books in a terminal: an app as a user of the library would write it.
let package = Package(
  name: "bookshelf",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "frc", path: "../../..")],
  targets: [
    // Keys, size and signals of a terminal.
    .target(name: "Terminal"),
    // The books, their list, and the screen as a value.
    .target(
      name: "Shelf",
      dependencies: [
        "Terminal",
        .product(name: "FetchedResultsMacros", package: "frc"),
        .product(name: "FetchedResultsSQLite", package: "frc"),
      ]),
    .executableTarget(name: "Bookshelf", dependencies: ["Shelf", "Terminal"]),
    .testTarget(name: "ShelfTests", dependencies: ["Shelf", "Terminal"]),
  ],
  swiftLanguageModes: [.v6]
)
