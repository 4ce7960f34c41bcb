import Foundation
import Platform

/// The files that differ from a revision of the git repository around the working folder.
enum ChangedFiles {
  struct Failure: Error {
    let reason: String
  }

  /// Returns the real paths of files that were changed, added, renamed or deleted since the working
  /// tree branched from a revision.
  ///
  /// Untracked files are included.
  ///
  /// - Parameter revision: A revision that `git rev-parse` accepts.
  static func since(_ revision: String) throws(Failure) -> Set<String> {
    let top = try git(["rev-parse", "--show-toplevel"])
      .trimmingCharacters(in: .newlines)
    // Later changes on the other branch do not count.
    let start =
      (try? git(["merge-base", "--end-of-options", revision, "HEAD"]))?
      .trimmingCharacters(in: .newlines) ?? revision
    let changed = try git(
      ["-C", top, "diff", "--name-only", "--no-renames", "-z", "--end-of-options", start, "--"])
    let new = try git(["-C", top, "ls-files", "--others", "--exclude-standard", "-z"])
    return Set(
      (changed + new).split(separator: "\0").map { RealPath.ofMissing(top + "/" + $0) })
  }

  /// Returns the real paths of files that git has and that were deleted from the working tree.
  ///
  /// Empty if the working folder is in no repository. A file that was removed with `git rm` is not
  /// one of them.
  static func deleted() -> Set<String> {
    // A setting of the repository names this program, and the repository may be a stranger's.
    let safe = ["-c", "core.fsmonitor=false"]
    guard let top = try? git(safe + ["rev-parse", "--show-toplevel"]),
      let list = try? git(
        safe + ["-C", top.trimmingCharacters(in: .newlines), "ls-files", "--deleted", "-z"])
    else { return [] }
    let folder = top.trimmingCharacters(in: .newlines)
    return Set(list.split(separator: "\0").map { RealPath.ofMissing(folder + "/" + $0) })
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
