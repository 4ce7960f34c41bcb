import Foundation
import PackagePlugin

/// Compiles the files of a target that are not Swift sources into the target, as string literals.
///
/// SwiftPM's own `.embedInCode` writes arrays of bytes, which the compiler takes seconds over. The
/// target gets an enum `PackageResources` with a constant for each file, such as `page_css`, and
/// with the list `all`. The files are UTF-8 text without carriage returns.
@main
struct EmbedFiles: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let target = target as? SourceModuleTarget else { return [] }
    let sources = Set(target.sourceFiles(withSuffix: "swift").map(\.url.path))
    // It describes the target.
    let readme = target.directoryURL.appending(path: "README.md")
    let files = try Self.files(in: target.directoryURL)
      .filter { !sources.contains($0.path) && $0.path != readme.path }
    let output = context.pluginWorkDirectoryURL.appending(path: "PackageResources.swift")
    return [
      .buildCommand(
        displayName: "Embedding \(files.count) files in \(target.name)",
        executable: URL(fileURLWithPath: "/bin/sh"),
        arguments: ["-ec", Self.script, "embed", output.path] + files.map(\.path),
        inputFiles: files, outputFiles: [output])
    ]
  }

  /// Returns the files of a folder and of the folders in it, sorted by name, also where a folder is
  /// a link.
  private static func files(in folder: URL) throws -> [URL] {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(atPath: folder.path).sorted().flatMap { name in
      let url = folder.appending(path: name)
      var isFolder: ObjCBool = false
      guard manager.fileExists(atPath: url.path, isDirectory: &isFolder) else { return [URL]() }
      return isFolder.boolValue ? try files(in: url) : [url]
    }
  }

  /// Writes the file that is its first argument.
  private static let script = #####"""
    output=$1
    shift
    name() { basename "$1" | sed 's/[^A-Za-z0-9]/_/g; s/^[0-9]/_&/'; }
    {
      echo 'enum PackageResources {'
      for file; do
        printf '  static let %s = ####"""\n' "$(name "$file")"
        cat "$file"
        printf '\n"""####\n'
      done
      echo '  static let all: [(name: String, text: String)] = ['
      for file; do printf '    ("%s", %s),\n' "$(basename "$file")" "$(name "$file")"; done
      printf '  ]\n}\n'
    } >"$output"
    """#####
}
