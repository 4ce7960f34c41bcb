import GoldenTesting
import Platform
import ScriptSyntax

/// Finds the files that tests use, from the paths in scripts.
///
/// A script that several tests include is read only once.
final class ReachedFiles {
  /// The files that a test uses.
  struct Reach {
    /// The real paths of the files, including the test's own.
    ///
    /// A folder, such as a model, stands for everything in it.
    var files: Set<String> = []
    /// The included scripts, as sorted paths relative to the working folder.
    var includes: [String] = []
    /// Whether the list is complete.
    ///
    /// It is not if a script computes a path.
    var isComplete = true

    /// Whether a file is in the list or in one of its folders.
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

  /// The paths in each script that was read, by its real path.
  private var uses: [String: FileUses] = [:]
  private let permissions: Permissions

  /// - Parameter permissions: The files that may be read. Of other files only the names are used.
  init(_ permissions: Permissions) { self.permissions = permissions }

  /// Returns the files that a test uses.
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

  /// Returns the real path of a file, which may not exist.
  private func real(_ path: String) -> String { RealPath.ofMissing(path) }
}
