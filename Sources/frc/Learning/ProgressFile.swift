import Foundation
import Lessons
import Platform

/// The file with a learner's progress, beside the history.
struct ProgressFile {
  let path: String

  /// `$FRC_PROGRESS`, otherwise `lessons.json` among the program's other states; nil if the
  /// variable is empty or the user has no home, for progress that ends with the visit.
  ///
  /// - Parameter variable: Returns the value of a variable of the environment.
  init?(_ variable: (String) -> String? = { ProcessEnvironment[$0] }) {
    if let path = variable("FRC_PROGRESS") {
      guard !path.isEmpty else { return nil }
      self.path = path
      return
    }
    guard let folder = StateFolder.path(variable) else { return nil }
    path = folder + "/lessons.json"
  }

  /// What the file says; nothing if there is none, or if it is damaged.
  func read() -> LearnerProgress {
    FileManager.default.contents(atPath: path)
      .flatMap { try? JSONDecoder().decode(LearnerProgress.self, from: $0) } ?? LearnerProgress()
  }

  /// Keeps the progress in one course; that in others stays as it is in the file now.
  func write(_ progress: CourseProgress, in course: Course) throws(UnwritableFile) {
    var all = read()
    all[course] = progress
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(all) else { return }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    // If the folder is not there then, writing says why.
    try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try FileEnvironment.replace(path, with: Array(bytes) + [UInt8(ascii: "\n")])
  }
}
