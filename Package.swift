// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

var settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
// With FRC_STRICT, which Scripts/test sets, the compiler refuses an expression that it has to try in
// over 64,000 ways, about 0.3 s: the number of ways is the same on every machine. Closures within
// closures are tried again and again, which only the time of the whole function shows.
let isStrict = Context.environment["FRC_STRICT"] != nil
if isStrict {
  // The library's checks of a debug build, which its tests look at.
  settings.append(.define("DEBUG"))
  settings.append(
    .unsafeFlags([
      "-Xfrontend", "-solver-scope-threshold=64000", "-Xfrontend",
      "-warn-long-function-bodies=1000",
    ]))
}
// What most scripts and tests spend their time in. Scripts/test compiles it with optimisation, and
// everything else without: the unit tests then take a third of the processor time, and the program
// that other tests start is the one that was built with them. Scripts/setup says `-Onone`, which the
// driver of the compiler would take in place of `-Osize`; the frontend gets both and takes the last.
// The compiler takes less time with `-Osize` than with `-O`, more than the tests lose. A
// debug build is for those who try a change: one target is compiled sooner than its tests would run
// faster.
let hot = settings + (isStrict ? [.unsafeFlags(["-Xfrontend", "-Osize"])] : [])
// Parts of the program through which nothing hot runs. Optimising them takes longer than everything
// that they will ever do. No product for others may contain them. What looks at each byte is in
// `Basics`, and what writes runs as bytes is in `GoldenTesting`. `LineEditor` and `ScriptPages` are
// not among these parts: a pasted line and a page would take two to three times as long. The compiler
// makes the module's interface and its code in one process, and other targets hardly wait for it.
let unoptimised =
  settings
  + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))]

let package = Package(
  name: "frc",
  // The first systems with Swift's Synchronization.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .executable(name: "frc", targets: ["frc"]),
    .library(name: "FetchedResults", targets: ["FetchedResults"]),
    .library(name: "FetchedResultsSQLite", targets: ["FetchedResultsSQLite"]),
    .library(name: "FetchedResultsTesting", targets: ["FetchedResultsTesting"]),
    .library(name: "FetchedResultsMacros", targets: ["FetchedResultsMacros"]),
  ],
  traits: [
    .trait(
      name: "Macros",
      description: "The macros of FetchedResultsMacros, for which swift-syntax is built."),
    .default(enabledTraits: ["Macros"]),
  ],
  dependencies: [
    .package(
      url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    // Built only for those who use the product FetchedResultsMacros with its macros.
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    // Files that become a part of the program.
    .plugin(name: "EmbedFiles", capability: .buildTool()),

    // Leaves.
    .systemLibrary(
      name: "CLibEdit",
      pkgConfig: "libedit",
      providers: [.apt(["libedit-dev"])]),
    // What the C libraries of the systems call differently.
    .target(name: "CLibrary", swiftSettings: settings),
    // Files, signals and processes.
    .target(
      name: "Platform", dependencies: ["CLibrary"], exclude: ["README.md"], swiftSettings: settings),
    // Searches, widths and safe forms of text, and random numbers that can be repeated.
    .target(name: "Basics", swiftSettings: hot),
    .target(name: "PredicateSyntax", dependencies: ["Basics"], swiftSettings: hot),

    // The language: text in, statements out.
    .target(
      name: "ScriptSyntax",
      dependencies: ["Basics", "PredicateSyntax"],
      exclude: ["README.md"],
      swiftSettings: hot),

    // ICU, by whatever name the system has it.
    .target(name: "CICU"),
    // The engine: no terminal, no script, no SQLite.
    .target(
      name: "FetchedResults",
      dependencies: ["Basics", "CICU", "Platform", "PredicateSyntax"],
      exclude: [
        "Cache/README.md", "Changes/README.md", "Concurrency/README.md", "Context/README.md",
        "Model/README.md", "Observing/README.md", "Predicates/README.md", "README.md",
      ],
      swiftSettings: hot,
      linkerSettings: [
        .linkedLibrary("_FoundationICU", .when(platforms: [.linux])),
        .linkedLibrary("icucore", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
      ]),

    // The store on disk.
    .target(
      name: "FetchedResultsSQLite",
      dependencies: [
        "Basics", "FetchedResults", "Platform", "PredicateSyntax",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      exclude: ["README.md"],
      swiftSettings: hot),

    // Classes of one's own for entities, and the macro that writes their accessors.
    .macro(
      name: "FetchedResultsMacroPlugin",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ],
      swiftSettings: settings),
    .target(
      name: "FetchedResultsMacros",
      dependencies: [
        .target(name: "FetchedResultsMacroPlugin", condition: .when(traits: ["Macros"])),
        "FetchedResults", "PredicateSyntax",
      ],
      exclude: ["README.md"],
      swiftSettings: settings),

    // A table view without a screen.
    .target(
      name: "TableViews",
      dependencies: ["Basics", "FetchedResults"],
      swiftSettings: hot),

    // Statements × engine.
    .target(
      name: "ScriptRuntime",
      dependencies: ["Basics", "FetchedResults", "PredicateSyntax", "ScriptSyntax", "TableViews"],
      exclude: ["README.md"],
      swiftSettings: hot),
    .target(
      name: "GoldenTesting",
      dependencies: [
        "Basics", "FetchedResults", "Platform", "PredicateSyntax", "ScriptRuntime", "ScriptSyntax",
        "TableViews",
      ],
      exclude: ["README.md"],
      swiftSettings: settings),

    .target(
      name: "NaiveModel",
      dependencies: ["FetchedResults"],
      swiftSettings: hot),
    .target(
      name: "ScriptFuzzing",
      dependencies: [
        "Basics", "FetchedResults", "GoldenTesting", "NaiveModel", "PredicateSyntax",
        "ScriptRuntime", "ScriptSyntax",
      ],
      exclude: ["README.md"],
      swiftSettings: settings),

    // Scripts, and random turns for a list of the user's own, in a test target.
    .target(
      name: "FetchedResultsTesting",
      dependencies: [
        "Basics", "FetchedResults", "FetchedResultsSQLite", "GoldenTesting", "Platform",
        "PredicateSyntax", "ScriptFuzzing", "ScriptRuntime", "ScriptSyntax", "TableViews",
      ],
      swiftSettings: settings),

    // A script's run as a page that plays it, and as pictures.
    .target(
      name: "ScriptPages",
      dependencies: ["Basics", "FetchedResults", "ScriptRuntime", "ScriptSyntax", "TableViews"],
      exclude: ["README.md", "Page"],
      swiftSettings: settings,
      plugins: ["EmbedFiles"]),

    // Scripts as a package that runs them on Core Data, and Swift files for apps. Of the targets that
    // are ready, SwiftPM builds the one whose name is last in the alphabet first. frc and its tests
    // wait for this one, so a name that begins with A would be late.
    .target(
      name: "ScriptExport",
      dependencies: ["FetchedResults", "ScriptRuntime", "ScriptSyntax"],
      exclude: ["README.md", "Files", "Kit"],
      swiftSettings: unoptimised,
      plugins: ["EmbedFiles"]),
    // Logs of apps: what they say, what broke, and a script that does it again.
    .target(
      name: "LogReplay",
      dependencies: [
        "Basics", "FetchedResults", "ScriptRuntime", "ScriptSyntax", "TableViews",
      ],
      exclude: ["README.md"],
      swiftSettings: settings),

    // A course: lessons, their grading, and a learner's way through them.
    .target(
      name: "Lessons",
      dependencies: [
        "Basics", "FetchedResults", "GoldenTesting", "ScriptFuzzing", "ScriptRuntime",
        "ScriptSyntax", "TableViews",
      ],
      exclude: ["README.md", "Course"],
      swiftSettings: unoptimised,
      plugins: ["EmbedFiles"]),

    // The terminal.
    .target(
      name: "LineEditor",
      dependencies: ["Basics", "CLibEdit", "Platform"],
      exclude: ["README.md"],
      swiftSettings: settings),
    // What the prompt offers beside running statements.
    .target(
      name: "PromptTools",
      dependencies: [
        "Basics", "FetchedResults", "LineEditor", "Platform", "PredicateSyntax",
        "ScriptRuntime", "ScriptSyntax", "TableViews",
      ],
      exclude: ["README.md"],
      swiftSettings: unoptimised),

    // The language for editors: the protocol and documents, without files and processes.
    .target(
      name: "LanguageServer",
      dependencies: [
        "Basics", "FetchedResults", "GoldenTesting", "PromptTools", "ScriptRuntime", "ScriptSyntax",
      ],
      exclude: ["README.md"],
      swiftSettings: unoptimised),

    // The playground in a browser: who may use it, its sessions, the class and the page.
    .target(
      name: "PlaygroundServer",
      dependencies: [
        "FetchedResults", "GoldenTesting", "Lessons", "PromptTools", "ScriptPages",
        "ScriptRuntime", "ScriptSyntax",
      ],
      exclude: ["README.md", "Page", "Examples"],
      swiftSettings: unoptimised,
      plugins: ["EmbedFiles"]),

    // The program.
    .executableTarget(
      name: "frc",
      dependencies: [
        "Basics", "FetchedResults", "FetchedResultsSQLite", "GoldenTesting", "LanguageServer",
        "Lessons", "LineEditor", "LogReplay", "Platform", "PlaygroundServer", "PredicateSyntax",
        "PromptTools", "ScriptExport", "ScriptFuzzing", "ScriptPages", "ScriptRuntime",
        "ScriptSyntax", "TableViews",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["README.md"],
      swiftSettings: unoptimised),

    // Tests mirror the targets.
    .testTarget(
      name: "BasicsTests", dependencies: ["Basics"], swiftSettings: settings),
    .testTarget(
      name: "PredicateSyntaxTests",
      dependencies: ["Basics", "PredicateSyntax", "RandomLaws", "RepositoryFiles"],
      swiftSettings: settings),
    .testTarget(
      name: "ScriptSyntaxTests",
      dependencies: ["Basics", "PredicateSyntax", "RandomLaws", "RepositoryFiles", "ScriptSyntax"],
      swiftSettings: settings),
    .testTarget(
      name: "FetchedResultsTests",
      dependencies: [
        "Basics", "CICU", "EngineWorlds", "FetchedResults", "NaiveModel", "PredicateSyntax",
        "RandomLaws", "RepositoryFiles",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "FetchedResultsSQLiteTests",
      dependencies: [
        "Basics", "EngineWorlds", "FetchedResults", "FetchedResultsSQLite", "MigrationProbe",
        "PseudoTerminal", "RandomLaws", "RepositoryFiles",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    // It runs the plugin through the compiler, and must not depend on it: SwiftPM would build every
    // test as a part of the compiler's tools.
    .testTarget(
      name: "FetchedResultsMacrosTests",
      dependencies: ["Basics", "FetchedResultsMacros", "FetchedResultsSQLite", "RepositoryFiles"],
      swiftSettings: settings),
    .testTarget(
      name: "TableViewsTests",
      dependencies: ["Basics", "FetchedResults", "RandomLaws", "TableViews"],
      swiftSettings: settings),
    .testTarget(
      name: "ScriptRuntimeTests",
      dependencies: [
        "Basics", "FetchedResults", "RandomLaws", "RepositoryFiles", "ScriptRuntime",
        "ScriptSyntax", "ScriptWorlds",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PromptToolsTests",
      dependencies: [
        "Basics", "FetchedResults", "LineEditor", "Platform", "PromptTools", "PseudoTerminal",
        "RandomLaws", "ScriptRuntime", "ScriptSyntax", "ScriptWorlds", "TableViews",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "LanguageServerTests",
      dependencies: [
        "Basics", "GoldenTesting", "LanguageServer", "RandomLaws", "ScriptRuntime", "ScriptSyntax",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ScriptPagesTests",
      dependencies: [
        "Basics", "FetchedResults", "RepositoryFiles", "ScriptPages", "ScriptRuntime",
        "ScriptSyntax", "ScriptWorlds",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "LogReplayTests",
      dependencies: [
        "Basics", "FetchedResults", "LogReplay", "RandomLaws", "RepositoryFiles", "ScriptRuntime",
        "ScriptSyntax", "ScriptWorlds", "TableViews",
      ],
      exclude: ["Logs"],
      swiftSettings: settings),
    .testTarget(
      name: "PlaygroundServerTests",
      dependencies: [
        "FetchedResults", "GoldenTesting", "Lessons", "PlaygroundServer", "ScriptRuntime",
        "ScriptSyntax",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "LessonsTests",
      dependencies: [
        "FetchedResults", "GoldenTesting", "Lessons", "RepositoryFiles", "ScriptRuntime",
        "ScriptSyntax", "ScriptWorlds",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "GoldenTestingTests",
      dependencies: [
        "Basics", "GoldenTesting", "RandomLaws", "ScriptRuntime", "ScriptSyntax", "ScriptWorlds",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "GoldenTests",
      dependencies: [
        "FetchedResults", "GoldenTesting", "RepositoryFiles", "ScriptRuntime", "ScriptSyntax",
        "ScriptWorlds",
      ],
      exclude: ["Goldens"],
      swiftSettings: settings),
    .testTarget(
      name: "ScriptFuzzingTests",
      dependencies: [
        "Basics", "FetchedResults", "FetchedResultsSQLite", "GoldenTesting", "PromptTools",
        "RandomLaws", "ScriptFuzzing", "ScriptRuntime", "ScriptSyntax", "ScriptWorlds",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "FetchedResultsTestingTests",
      dependencies: ["FetchedResults", "FetchedResultsMacros", "FetchedResultsTesting"],
      exclude: ["EmptyFolder", "Scripts", "WrongScripts"],
      swiftSettings: settings),
    .testTarget(
      name: "LineEditorTests",
      dependencies: [
        "Basics", "LineEditor", "LineEditorProbe", "Platform", "PseudoTerminal", "RandomLaws",
      ],
      swiftSettings: settings),

    .testTarget(
      name: "frcTests",
      dependencies: [
        "Basics", "FetchedResults", "FetchedResultsSQLite", "frc", "GoldenTesting", "HistoryProbe",
        "LanguageServer", "Lessons", "LineEditor", "Platform", "PredicateSyntax", "PromptTools",
        "PseudoTerminal", "RandomLaws", "RepositoryFiles", "ScriptFuzzing", "ScriptRuntime",
        "ScriptSyntax", "ScriptWorlds",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["Attacks", "Breaks", "Courses", "Reports", "TestFixtures"],
      swiftSettings: settings),

    // The files of the repository, for tests that read them.
    .target(
      name: "RepositoryFiles", path: "Tests/RepositoryFiles", swiftSettings: settings),

    // How long random laws run, and by which seeds.
    .target(name: "RandomLaws", path: "Tests/RandomLaws", swiftSettings: settings),
    // Objects that tests of either store change at random.
    .target(
      name: "EngineWorlds",
      dependencies: ["AllocatedMemory", "Basics", "FetchedResults", "RandomLaws"],
      path: "Tests/EngineWorlds",
      swiftSettings: settings),
    .target(name: "AllocatedMemory", path: "Tests/AllocatedMemory"),

    // A process that uses the library in a wrong way.
    .executableTarget(
      name: "MisuseProbe",
      dependencies: ["FetchedResults", "TableViews", "TypedEngine"],
      path: "Tests/MisuseProbe",
      exclude: ["check", "expected.txt"],
      swiftSettings: settings),
    // The typed classes' files once more, through links, but without the macros: a release build
    // of their compiler plugin takes minutes.
    .target(
      name: "TypedEngine",
      dependencies: ["FetchedResults", "PredicateSyntax"],
      path: "Tests/TypedEngine",
      swiftSettings: settings),

    // Which targets depend on which, and a command that prints it.
    .testTarget(
      name: "ArchitectureTests",
      dependencies: ["RepositoryFiles", "SourceArrows"],
      swiftSettings: settings),
    .target(
      name: "SourceArrows",
      path: "Tests/SourceArrows",
      swiftSettings: settings),
    .executableTarget(
      name: "arrows",
      dependencies: ["SourceArrows"],
      path: "Tests/Arrows",
      swiftSettings: settings),

    // Sessions of scripts that tests look into.
    .target(
      name: "ScriptWorlds",
      dependencies: ["FetchedResults", "FetchedResultsSQLite", "ScriptRuntime", "ScriptSyntax"],
      path: "Tests/ScriptWorlds",
      swiftSettings: settings),

    // What reads bytes of strangers, for the fuzzer, and the inputs that it found.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "CLibrary", "FetchedResults", "GoldenTesting", "Lessons", "LineEditor", "LogReplay",
        "Platform", "PredicateSyntax", "ScriptRuntime", "ScriptSyntax",
      ],
      path: "Tests/Fuzzing/Targets",
      swiftSettings: settings),
    .testTarget(
      name: "FuzzTargetsTests",
      dependencies: ["FuzzTargets", "RepositoryFiles"],
      swiftSettings: settings),

    // A terminal for tests, and a program to sit in it.
    .target(
      name: "PseudoTerminal",
      path: "Tests/PseudoTerminal",
      swiftSettings: settings),
    // A process that saves into a file which others write.
    .executableTarget(
      name: "HistoryProbe",
      dependencies: ["Basics", "FetchedResults", "FetchedResultsSQLite"],
      path: "Tests/HistoryProbe",
      swiftSettings: settings),
    // A process that migrates a file.
    .executableTarget(
      name: "MigrationProbe",
      dependencies: ["FetchedResults", "FetchedResultsSQLite"],
      path: "Tests/MigrationProbe",
      swiftSettings: settings),
    .executableTarget(
      name: "LineEditorProbe",
      dependencies: ["CLibEdit", "LineEditor", "Platform"],
      path: "Tests/LineEditorProbe",
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// libFuzzer brings a main function of its own, so no other build has this program.
if Context.environment["FRC_FUZZING"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzzing",
      dependencies: ["FuzzTargets"],
      path: "Tests/Fuzzing/Program",
      swiftSettings: settings))
}

#if os(Linux)
// Apple's names for the engine, so that code for Core Data runs where Core Data is not.
package.targets.append(
  .target(
    name: "CoreData", dependencies: ["FetchedResults"], path: "Tests/CoreDataStandIn",
    swiftSettings: settings))
// The file of 'frc swift --fuzzer', in both language modes.
package.targets += [("ListFuzzer5Tests", .v5), ("ListFuzzer6Tests", .v6)].map { name, mode in
  Target.testTarget(
    name: name, dependencies: ["CoreData"], swiftSettings: [.swiftLanguageMode(mode)])
}
// What an exported package does, run against that module.
package.targets.append(
  .target(
    name: "Conformance", dependencies: ["CoreData"], path: "Sources/ScriptExport/Kit",
    exclude: ["ConformanceTests.swift"], swiftSettings: settings))
// SwiftData's names for the observers, so that exported tests of them run here.
package.targets += [
  .macro(
    name: "SwiftDataMacros",
    dependencies: [
      .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
      .product(name: "SwiftSyntax", package: "swift-syntax"),
      .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
      .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
    ],
    path: "Tests/SwiftDataMacros", swiftSettings: settings),
  .target(
    name: "SwiftData",
    dependencies: [
      "FetchedResults", "FetchedResultsMacros", "FetchedResultsSQLite", "SwiftDataMacros",
    ],
    path: "Tests/SwiftDataStandIn", swiftSettings: settings),
]
package.targets.append(
  .testTarget(
    name: "ScriptExportTests",
    dependencies: [
      "Conformance", "FetchedResults", "GoldenTesting", "RepositoryFiles", "ScriptExport",
      "ScriptRuntime", "ScriptSyntax", "ScriptWorlds",
    ],
    swiftSettings: settings))
// Apps with the recorder, which runs there as it is. It has no settings but those of an app.
package.targets += [
  .target(
    name: "RecordedApps",
    dependencies: ["Basics", "CoreData", "FetchedResults", "TableViews"],
    path: "Tests/RecordedApps"),
  .target(
    name: "RecorderInSwift5", dependencies: ["CoreData"], path: "Tests/RecorderInSwift5",
    swiftSettings: [.swiftLanguageMode(.v5)]),
]
for target in package.targets where target.name == "LogReplayTests" {
  target.dependencies += ["RecordedApps", "RecorderInSwift5"]
}
#endif

// FRC_TESTS="BasicsTests LessonsTests" leaves only these tests and what they need, so that a
// change in one target is tested in a fraction of a whole build.
if let names = Context.environment["FRC_TESTS"]?.split(separator: " ").map(String.init) {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var kept: Set<String> = []
  var next = names
  while let name = next.popLast() {
    guard let target = targets[name], kept.insert(name).inserted else { continue }
    next += target.dependencies.compactMap { dependency in
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _): name
      default: nil
      }
    }
  }
  // The plugin is no dependency: targets name it apart.
  package.targets.removeAll { !kept.contains($0.name) && $0.type != .plugin }
  package.products.removeAll { product in
    let parts = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets
    return !kept.isSuperset(of: parts ?? [])
  }
}
