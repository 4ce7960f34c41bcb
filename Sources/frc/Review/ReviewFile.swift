import Foundation
import GoldenTesting
import Platform

/// `.frc/review.json` in the project's folder: the answers of a review that is
/// not over, and what was rejected.
struct ReviewFile {
  private let path: String
  private let folder: ProjectRecords

  init(_ project: Project) {
    folder = ProjectRecords(project)
    path = folder.path(of: "review.json")
  }

  /// What the file says; nothing if there is none, or if it is damaged.
  func read() -> ReviewRecord {
    let bytes = FileManager.default.contents(atPath: path)
    return bytes.flatMap { try? JSONDecoder().decode(ReviewRecord.self, from: $0) }
      ?? ReviewRecord()
  }

  /// Keeps answers; of none the file goes.
  func write(_ record: ReviewRecord) throws(UnwritableFile) {
    guard !record.isEmpty else {
      try? FileManager.default.removeItem(atPath: path)
      return
    }
    guard let bytes = try? JSONEncoder().encode(record) else { return }
    try folder.write(Array(bytes), to: "review.json")
  }
}
