import Foundation
import GoldenTesting
import Platform
import ScriptSyntax

/// The files that differ from a revision of the git repository around the working folder.
struct ChangedFiles {
  struct Failure: Error {
    let reason: String
  }

  /// The real path of the repository's folder.
  let repository: String
  /// The bytes of the real paths of the files.
  let files: Set<[UInt8]>

  /// Finds the files that were changed, added, renamed or deleted since the working tree branched
  /// from a revision.
  ///
  /// Untracked files are included.
  ///
  /// - Parameter revision: A revision that `git rev-parse` accepts.
  init(since revision: String) throws(Failure) {
    let top = try Self.git(["rev-parse", "--show-toplevel"])
      .trimmingCharacters(in: .newlines)
    // Later changes on the other branch do not count.
    let start =
      (try? Self.git(["merge-base", "--end-of-options", revision, "HEAD"]))?
      .trimmingCharacters(in: .newlines) ?? revision
    let changed = try Self.git(
      ["-C", top, "diff", "--name-only", "--no-renames", "-z", "--end-of-options", start, "--"])
    let new = try Self.git(["-C", top, "ls-files", "--others", "--exclude-standard", "-z"])
    repository = RealPath.ofMissing(top)
    files = Set((changed + new).split(separator: "\0").map { RealPath.bytes(top + "/" + $0) })
  }

  /// Whether git knows a file: its path leads into the repository, or through a link in it.
  func mayHave(_ path: String) -> Bool {
    ReachedFiles.places(of: path).contains { place in
      RealPath.isBelow(repository, String(decoding: place, as: UTF8.self))
    }
  }

  /// Returns the bytes of the real paths of files that git has and that were deleted from the
  /// working tree.
  ///
  /// Empty if the working folder is in no repository. A file that was removed with `git rm` is not
  /// one of them.
  static func deleted() -> Set<[UInt8]> {
    // A setting of the repository names this program, and the repository may be a stranger's.
    let safe = ["-c", "core.fsmonitor=false"]
    guard let top = try? git(safe + ["rev-parse", "--show-toplevel"]),
      let list = try? git(
        safe + ["-C", top.trimmingCharacters(in: .newlines), "ls-files", "--deleted", "-z"])
    else { return [] }
    let folder = top.trimmingCharacters(in: .newlines)
    return Set(list.split(separator: "\0").map { RealPath.bytes(folder + "/" + $0) })
  }

  private static func git(_ arguments: [String]) throws(Failure) -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git"] + arguments
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw Failure(reason: "git cannot be started")
    }
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let lines = String(decoding: complaint, as: UTF8.self).split(separator: "\n")
      throw Failure(reason: "git says: \(lines.first ?? "nothing")")
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Finds the files that tests use, from the paths in scripts.
///
/// A script that several tests include is read only once.
final class ReachedFiles {
  /// The files that a test uses.
  struct Reach {
    /// The bytes of the real paths of the files, including the test's own, and of the links that
    /// lead to them.
    ///
    /// A folder, such as a model, stands for everything in it.
    var files: Set<[UInt8]> = []
    /// The included scripts, as sorted paths relative to the working folder.
    var includes: [String] = []
    /// Whether the list is complete.
    ///
    /// It is not if a script computes a path.
    var isComplete = true

    /// Whether one of some files is in the list or in one of its folders, or is itself a folder of
    /// one of the files.
    ///
    /// Such a folder is a submodule, or a link to a folder leads to it now.
    func contains(anyOf paths: Set<[UInt8]>) -> Bool {
      paths.contains { Self.isItself($0, orAFolderIn: files) }
        || files.contains { Self.isItself($0, orAFolderIn: paths) }
    }

    /// Whether a file or a folder that it is in is one of some files.
    private static func isItself(_ path: [UInt8], orAFolderIn files: Set<[UInt8]>) -> Bool {
      if files.contains(path) { return true }
      var end = path.lastIndex(of: UInt8(ascii: "/"))
      while let slash = end, slash > path.startIndex {
        let folder = path[..<slash]
        if files.contains(Array(folder)) { return true }
        end = folder.lastIndex(of: UInt8(ascii: "/"))
      }
      return false
    }
  }

  /// The paths in each script that was read, by the bytes of its real path.
  private var uses: [[UInt8]: FileUses] = [:]
  private let permissions: Permissions

  /// - Parameter permissions: The files that may be read. Of other files only the names are used.
  init(_ permissions: Permissions) { self.permissions = permissions }

  /// Returns the files that a test uses.
  func reach(of test: PreparedTest) -> Reach {
    var reach = Reach()
    let path = test.test.source.name
    uses[RealPath.bytes(path)] = FileUses(test.script)
    // A golden file that was deleted is a change, too.
    add(GoldenTest.goldenPath(of: path), to: &reach)
    var includes: [String] = []
    var open = [path]
    add(path, to: &reach)
    while let script = open.popLast() {
      let uses = uses(of: script)
      if !uses.isComplete { reach.isComplete = false }
      for other in uses.others {
        add(FileEnvironment.place(of: other, from: script), to: &reach)
      }
      for included in uses.scripts {
        let place = FileEnvironment.place(of: included, from: script)
        guard add(place, to: &reach) else { continue }
        includes.append(place)
        open.append(place)
      }
    }
    reach.includes = includes.inByteOrder()
    return reach
  }

  private func uses(of script: String) -> FileUses {
    let key = RealPath.bytes(script)
    if let known = uses[key] { return known }
    let source =
      (try? permissions.script(at: script, named: script)) ?? SourceText(name: script, text: "")
    let found = FileUses(ScriptParser.parse(source))
    uses[key] = found
    return found
  }

  /// Adds a file, and the links in its path: one that leads elsewhere is a change, too.
  ///
  /// - Returns: Whether the file is new.
  @discardableResult
  private func add(_ path: String, to reach: inout Reach) -> Bool {
    let places = Self.places(of: path)
    let isNew = places.first.map { !reach.files.contains($0) } ?? false
    reach.files.formUnion(places)
    return isNew
  }

  /// Returns the bytes of the real path of a file, and after it of the links in the file's path.
  static func places(of path: String) -> [[UInt8]] {
    var places = [RealPath.bytes(path)]
    var rest = path[...]
    while !rest.isEmpty {
      let slash = rest.lastIndex(of: "/")
      if (try? FileStatus(String(rest), followsLinks: false))?.isLink == true {
        let name = slash.map { rest[rest.index(after: $0)...] } ?? rest
        let folder = slash.map { String(rest[...$0]) } ?? "."
        places.append(RealPath.bytes(folder) + Array("/\(name)".utf8))
      }
      rest = slash.map { rest[..<$0] } ?? ""
    }
    return places
  }
}
