import Foundation

/// What the compiler reports about source files that use the macros.
///
/// The compiler expands them with the plugin of this build, as it does for a client.
struct Compilation: Sendable {
  let diagnostics: [CompilerDiagnostic]
  /// The expansions of the macros, in the compiler's order.
  let expansions: [Expansion]

  /// The text that a macro added somewhere.
  struct Expansion: Sendable {
    /// The mangled name of the macro and the place.
    let symbol: String
    let text: String
  }

  /// Compiles files, given by name, as one module with the name `Fixture`.
  init(_ files: [String: String], options: [String] = []) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "frc-macros-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      try Data(text.utf8).write(to: folder.appending(path: name))
    }
    let printed = try Toolchain.run(
      ["swiftc", "-frontend", "-typecheck", "-swift-version", "6", "-module-name", "Fixture"]
        + options + Toolchain.moduleOptions()
        + ["-dump-macro-expansions", "-serialize-diagnostics-path", "diagnostics"]
        + files.keys.sorted(), in: folder)
    guard let file = try? Data(contentsOf: folder.appending(path: "diagnostics")) else {
      throw ToolchainError("the compiler wrote no diagnostics, but printed:\n\(printed)")
    }
    diagnostics = try DiagnosticsFile.read(file)
    guard diagnostics.allSatisfy({ !$0.file.isEmpty }) else {
      throw ToolchainError("the compiler could not load what the files import:\n\(printed)")
    }
    expansions = Self.expansions(in: printed)
  }

  /// Reads what `-dump-macro-expansions` prints: a name, and a text between two lines of dashes.
  private static func expansions(in printed: String) -> [Expansion] {
    let border = "------------------------------"
    var found: [Expansion] = []
    var lines = printed.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = lines.popFirst() {
      guard line.hasPrefix("@__swiftmacro_"), lines.first == border[...] else { continue }
      let text = lines.dropFirst().prefix { $0 != border }
      lines = lines.dropFirst(text.count + 2)
      found.append(
        Expansion(
          symbol: String(line.prefix { $0 != "." }), text: text.joined(separator: "\n")))
    }
    return found
  }
}

/// The compiler's programs, and the build that this test belongs to.
enum Toolchain {
  /// Runs a program that is in `PATH`, and returns everything that it printed.
  static func run(_ command: [String], in folder: URL? = nil) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    if let folder {
      process.currentDirectoryURL = folder
      // The compiler leaves expansions with errors in a folder for temporary files.
      let own = ["TMPDIR": folder.path]
      process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
    }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let printed = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    // What 'env' returns for a program that it cannot find.
    guard process.terminationStatus != 127 else {
      throw ToolchainError(
        "these tests run '\(command[0])', which is not in PATH; add the folder of the Swift "
          + "toolchain's programs to PATH (\(printed.trimmingCharacters(in: .whitespacesAndNewlines)))"
      )
    }
    return printed
  }

  /// The folder with everything that was built, which has the test bundle, too.
  private static var products: URL {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }

  /// Returns the options that let the compiler find the modules and the plugin of this build.
  static func moduleOptions() throws -> [String] {
    let plugin = products.appending(path: "FetchedResultsMacroPlugin-tool")
    guard FileManager.default.isExecutableFile(atPath: plugin.path) else {
      throw ToolchainError("these tests need the plugin, which was not built: \(plugin.path)")
    }
    return try moduleOptionsWithoutPlugin()
      + ["-load-plugin-executable", plugin.path + "#FetchedResultsMacroPlugin"]
  }

  /// Returns the options that let the compiler find the modules of this build.
  static func moduleOptionsWithoutPlugin() throws -> [String] {
    let folders = [products.appending(path: "Modules"), products.appending(path: "CICU.build")]
    return try (folders + headersOfDependencies(products)).flatMap { ["-I", $0.path] }
  }

  /// Returns the folders with the C modules of the packages that the library depends on.
  private static func headersOfDependencies(_ products: URL) throws -> [URL] {
    let files = FileManager.default
    // The products are in SCRATCH/TRIPLE/CONFIGURATION.
    let checkouts = products.appending(path: "../../checkouts").standardizedFileURL
    return try files.contentsOfDirectory(at: checkouts, includingPropertiesForKeys: nil)
      .flatMap { package in
        let sources = package.appending(path: "Sources")
        let targets = try? files.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
        return (targets ?? []).map { $0.appending(path: "include") }
      }
      .filter { files.fileExists(atPath: $0.appending(path: "module.modulemap").path) }
  }
}

/// Why the compiler could not be asked.
struct ToolchainError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
