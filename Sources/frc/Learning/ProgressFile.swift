import Foundation
import Lessons
import Platform
import ScriptRuntime

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

  /// Returns the contents of the file; no progress if there is no file, or if it is empty.
  ///
  /// - Throws: The reason why the file cannot be read. It must stay as it is then, because it may
  ///   have the progress in other courses.
  func read() throws(UnreadableSource) -> LearnerProgress {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try OpenFile.contents(of: path)
    } catch {
      if error == .missing { return LearnerProgress() }
      throw error == .invalid
        ? UnreadableSource(reason: "it is not a regular file") : UnreadableSource(error)
    }
    if bytes.isEmpty { return LearnerProgress() }
    guard let progress = try? JSONDecoder().decode(LearnerProgress.self, from: Data(bytes)) else {
      throw UnreadableSource(reason: "it is damaged, or a newer frc wrote it")
    }
    return progress
  }

  /// Changes the progress in one course.
  ///
  /// Processes that run at the same time do this one after the other. The progress in other courses
  /// stays as it is in the file now.
  ///
  /// - Returns: The progress in the course, with what other processes have changed.
  @discardableResult
  func change(
    in course: Course, _ change: (inout CourseProgress) -> Void
  ) throws(UnwritableFile) -> CourseProgress {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    // If the folder still does not exist, the lock gives the error.
    try? NewFolder.makeWithParents(folder.path, permissions: 0o700)
    let lock = try FileEnvironment.lock(folder.path)
    defer { withExtendedLifetime(lock) {} }
    var all: LearnerProgress
    do throws(UnreadableSource) {
      all = try read()
    } catch {
      throw UnwritableFile(reason: error.reason)
    }
    var progress = all[course]
    change(&progress)
    all[course] = progress
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(all) else { return progress }
    try FileEnvironment.replace(path, with: Array(bytes) + [UInt8(ascii: "\n")])
    return progress
  }
}
