import ScriptRuntime

/// A Swift package for a Mac that runs scripts on Core Data and compares the events.
package struct ConformanceKit {
  private let scripts: [ExportedScript]
  /// The scripts with observers, which are tests for SwiftData.
  private let observers: [ObserverScript]

  package init(_ scripts: [ExportedScript], observers: [ObserverScript] = []) {
    self.scripts = scripts
    self.observers = observers
  }

  /// A file of the package.
  package struct File {
    /// The path in the package's folder, in letters, digits, `_`, `-`, `.` and `/`.
    package let path: String
    package let text: String
  }

  /// The file that marks a folder as a package of this kind.
  package static let marker = ".frc-conformance"

  private static let testFolder = "Tests/ConformanceTests"

  /// The folder of the scripts' files in the package.
  package static let scriptFolder = "\(testFolder)/Scripts"

  /// The files of the package.
  package var files: [File] {
    let tests =
      [
        File(
          path: "\(Self.testFolder)/ConformanceTests.swift",
          text: PackageResources.ConformanceTests_swift)
      ]
      + (observers.isEmpty
        ? []
        : [
          File(
            path: "\(Self.testFolder)/ObserverLog.swift",
            text: PackageResources.ObserverLog_swift_txt)
        ])
    var names = ScriptNames(besides: tests.map(\.path))
    return [
      File(path: Self.marker, text: "frc export wrote this folder and may write it again.\n"),
      File(path: ".gitignore", text: ".build/\n.swiftpm/\nDifferences/\n"),
      File(path: "Package.swift", text: Self.manifest),
      File(path: "README.md", text: readMe),
    ] + tests + Self.library
      + scripts.map { script in
        let name = names.name(of: script.name)
        return File(
          path: "\(Self.scriptFolder)/\(name).swift", text: ScriptFile(script, name: name).text)
      }
      + observers.map { script in
        let name = names.name(of: script.name)
        return File(path: "\(Self.scriptFolder)/\(name).swift", text: script.text(as: name))
      }
  }

  private static let library = PackageResources.all
    .filter { $0.name.hasSuffix(".swift") && $0.name != "ConformanceTests.swift" }
    .map { File(path: "Sources/Conformance/\($0.name)", text: $0.text) }

  private static let manifest = """
    // swift-tools-version: 5.9

    import PackageDescription

    let package = Package(
      name: "Conformance",
      platforms: [.macOS(.v13)],
      targets: [
        .target(name: "Conformance"),
        .testTarget(name: "ConformanceTests", dependencies: ["Conformance"]),
      ]
    )

    """

  /// What the package says of scripts with observers; a line of nothing without them.
  private var aboutObservers: String {
    if observers.isEmpty { return "" }
    return """

      \(observers.count) more scripts have observers. They are tests for SwiftData, which need macOS 27 and its
      Xcode. An older Xcode does not know these classes; remove the files before you run the others:

      ```
      rm Tests/ConformanceTests/ObserverLog.swift
      grep -l 'import SwiftData' \(Self.scriptFolder)/*.swift | xargs rm
      ```

      """
  }

  private var readMe: String {
    """
    # Does Core Data do the same?

    This package runs \(scripts.count) scripts of frc on Apple's Core Data. A test for each script
    compares what the delegates of its fetched results controllers receive with what frc reports.
    \(aboutObservers)
    ## Run it

    On a Mac with Xcode:

    ```
    swift test
    ```

    Run one script with `swift test --filter NAME`, where NAME is the name of its file in
    `\(Self.scriptFolder)`.

    ## What a difference means

    A test fails at the first event that differs. The message has the line of the script, the events
    before, the event that frc reports (`-`) and the one that Core Data sent (`+`).

    A difference has one of these causes:

    - frc is wrong about Core Data. That is what the package is for.
    - Core Data changed: frc follows another version.
    - This package does something else than the script. It was written without a Mac.

    ## Send it back

    All events of a script that differs are in `Differences`, in one file a script. The files have
    the format of `frc run --format json`: one JSON object a line. Please send them with the versions
    of macOS and Xcode (`sw_vers` and `xcodebuild -version`).

    ## What is in it

    | Folder | Contents |
    | --- | --- |
    | `Sources/Conformance` | does the operations on Core Data, and reports the events |
    | `\(Self.scriptFolder)` | the scripts as data: entities, operations, events |

    """
  }
}

/// Swift files for an app on an Apple system, which `frc swift` prints.
package enum AppFiles {
  /// Prints what a fetched results controller tells its delegate, as lines that `frc replay` reads.
  package static var recorder: String { PackageResources.FetchedResultsRecorder_swift_txt }

  /// A test with random turns for Apple's NSFetchedResultsController and a list of the user's.
  package static var fuzzer: String { PackageResources.ListFuzzer_swift_txt }

  /// A test of what frc assumes about the observers of SwiftData.
  package static var observerProbe: String { PackageResources.ObserverProbe_swift_txt }
}
