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

/// The Swift file of one script: its test, and its data.
struct ScriptFile {
  private let script: ExportedScript
  private let name: String

  init(_ script: ExportedScript, name: String) {
    self.script = script
    self.name = name
  }

  var text: String {
    let usesUndo = script.usesUndo ? ", usesUndo: true" : ""
    return """
      import Conformance

      extension ConformanceTests {
        // \(Self.comment(script.summary.isEmpty ? script.name : script.summary))
        func test_\(name)() throws { try check(script) }
      }

      private let script = Script(
        name: \(Self.literal(script.name)), store: "\(script.store)"\(usesUndo),
        entities: \(Self.literal(lines: script.entities.map(\.description))),
        steps: \(Self.literal(lines: script.steps.map(\.description))),
        events: \(Self.literal(lines: script.events.map { "\($0.line) \($0.event)" })))

      """
  }

  /// Returns a text without line ends, so that it cannot end the comment.
  static func comment(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { isPlain($0) ? $0 : " " }))
  }

  /// Whether a character neither ends a line nor affects the text around it.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
      .privateUse:
      false
    default: true
    }
  }

  /// Returns a text as a literal of Swift.
  static func literal(_ text: String) -> String {
    "\""
      + text.unicodeScalars.map { scalar in
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case _ where !isPlain(scalar): return "\\u{\(String(scalar.value, radix: 16))}"
        default: return String(scalar)
        }
      }.joined() + "\""
  }

  /// Returns a raw string literal with more `#` than any run of them in the text.
  ///
  /// So nothing in the text can end the literal or be an interpolation.
  private static func literal(lines: [String]) -> String {
    guard !lines.isEmpty else { return "\"\"" }
    // Invisible characters become codes, which JSON allows too.
    let lines = lines.map(escapingInvisible)
    var longest = 0
    var run = 0
    for line in lines {
      for byte in line.utf8 {
        run = byte == UInt8(ascii: "#") ? run + 1 : 0
        longest = max(longest, run)
      }
      run = 0
    }
    let marks = String(repeating: "#", count: longest + 1)
    let indent = "    "
    return "\(marks)\"\"\"\n" + lines.map { indent + $0 + "\n" }.joined() + indent
      + "\"\"\"\(marks)"
  }

  private static func escapingInvisible(_ line: String) -> String {
    line.unicodeScalars.map { scalar in
      guard !isPlain(scalar) else { return String(scalar) }
      return String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }.joined()
  }
}

/// Gives scripts names that are valid in Swift and in every file system.
struct ScriptNames {
  private var taken: Set<String>

  /// - Parameter files: The paths of other files, whose names no script gets: a Swift module cannot
  ///   have two files with the same name.
  init(besides files: [String] = []) {
    taken = Set(
      files.compactMap { $0.split(separator: "/").last?.split(separator: ".").first?.lowercased() })
  }

  /// Returns the name for a script's file and test, which no other script has.
  ///
  /// It has only ASCII letters, ASCII digits and underscores. So no script path can lead out of the
  /// folder or end a string literal.
  mutating func name(of path: String) -> String {
    let stem = path.hasSuffix(".frc") ? path.dropLast(4) : path[...]
    let parts = stem.split(separator: "/").map(Self.word).filter { !$0.isEmpty }
    var name = parts.joined(separator: "_")
    if name.first?.isLetter != true { name = "script_" + name }
    // Some file systems have limits, and do not distinguish upper and lower case.
    name = String(name.prefix(120))
    var unique = name
    var number = 1
    while !taken.insert(unique.lowercased()).inserted {
      number += 1
      unique = "\(name)_\(number)"
    }
    return unique
  }

  /// Returns the words of a path component, each after the first with a capital letter.
  private static func word(_ part: Substring) -> String {
    let words = part.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return words.enumerated().map { index, word in
      index == 0 ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
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
