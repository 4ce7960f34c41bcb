import GoldenTesting
import Platform
import ScriptSyntax

/// Which files tests look at, found by the paths that scripts name.
///
/// A script that several tests include is read once.
final class ReachedFiles {
  /// What a test looks at.
  struct Reach {
    /// The files by their real paths, the test's own among them.
    ///
    /// A folder, such as a model, represents what is in it.
    var files: Set<String> = []
    /// The scripts that are included, as paths from the working folder, sorted.
    var includes: [String] = []
    /// Whether these are all files: not if a script computes a path.
    var isComplete = true

    /// Whether a file is one of them, or in one of their folders.
    func contains(_ path: String) -> Bool {
      if files.contains(path) { return true }
      var end = path.lastIndex(of: "/")
      while let slash = end, slash > path.startIndex {
        let folder = path[..<slash]
        if files.contains(String(folder)) { return true }
        end = folder.lastIndex(of: "/")
      }
      return false
    }
  }

  /// What is named in each script that was read, by its real path.
  private var uses: [String: FileUses] = [:]
  private let permissions: Permissions

  /// - Parameter permissions: What may be read; other files are known by their names alone.
  init(_ permissions: Permissions) { self.permissions = permissions }

  /// Returns what a test looks at.
  func reach(of test: PreparedTest) -> Reach {
    var reach = Reach()
    let path = test.test.source.name
    let own = real(path)
    uses[own] = FileUses(test.script)
    if let golden = test.test.golden { reach.files.insert(real(golden.name)) }
    var includes: Set<String> = []
    var open = [path]
    reach.files.insert(own)
    while let script = open.popLast() {
      let uses = uses(of: script)
      if !uses.isComplete { reach.isComplete = false }
      for other in uses.others {
        reach.files.insert(real(FileEnvironment.place(of: other, includedFrom: script)))
      }
      for included in uses.scripts {
        let place = FileEnvironment.place(of: included, includedFrom: script)
        guard reach.files.insert(real(place)).inserted else { continue }
        includes.insert(place)
        open.append(place)
      }
    }
    reach.includes = includes.sorted()
    return reach
  }

  private func uses(of script: String) -> FileUses {
    let key = real(script)
    if let known = uses[key] { return known }
    let source =
      (try? permissions.script(at: script, named: script)) ?? SourceText(name: script, text: "")
    let found = FileUses(ScriptParser.parse(source))
    uses[key] = found
    return found
  }

  /// Where a file really is, or would be.
  private func real(_ path: String) -> String { RealPath.ofMissing(path) }
}
