import Foundation
import Lessons
import Platform

/// The file with a learner's progress, next to the history.
struct ProgressFile {
  let path: String

  /// Uses `$FRC_PROGRESS`, or else `lessons.json` in the program's state folder.
  ///
  /// Nil if the variable is empty or the user has no home; then progress ends with the process.
  ///
  /// - Parameter variable: Returns the value of an environment variable.
  init?(_ variable: (String) -> String? = { ProcessEnvironment[$0] }) {
    if let path = variable("FRC_PROGRESS") {
      guard !path.isEmpty else { return nil }
      self.path = path
      return
    }
    guard let folder = StateFolder.path(variable) else { return nil }
    path = folder + "/lessons.json"
  }

  /// Returns the contents of the file; empty if there is no file, or if it is damaged.
  func read() -> LearnerProgress {
    (try? OpenFile.contents(of: path))
      .flatMap { try? JSONDecoder().decode(LearnerProgress.self, from: Data($0)) }
      ?? LearnerProgress()
  }

  /// Changes the progress in one course.
  ///
  /// Processes that run at the same time do this one after the other. The progress in other courses
  /// stays as it is in the file now.
  func change(
    in course: Course, _ change: (inout CourseProgress) -> Void
  ) throws(UnwritableFile) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    // If the folder still does not exist, the lock gives the error.
    try? NewFolder.makeWithParents(folder.path, permissions: 0o700)
    let lock = try FileEnvironment.lock(folder.path)
    defer { withExtendedLifetime(lock) {} }
    var all = read()
    var progress = all[course]
    change(&progress)
    all[course] = progress
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(all) else { return }
    try FileEnvironment.replace(path, with: Array(bytes) + [UInt8(ascii: "\n")])
  }
}
