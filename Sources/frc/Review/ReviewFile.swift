import Foundation
import GoldenTesting

/// `.frc/review.json` in the project's folder: the answers of a review that is
/// not over, and what was rejected.
struct ReviewFile {
  private static let name = "review.json"
  private let records: ProjectRecords

  init(_ project: Project) { records = ProjectRecords(project) }

  /// What the file says; nothing if there is none, or if it is damaged.
  func read() -> ReviewRecord {
    records.read(Self.name).flatMap {
      try? JSONDecoder().decode(ReviewRecord.self, from: Data($0))
    } ?? ReviewRecord()
  }

  /// Keeps answers; of none the file goes.
  func write(_ record: ReviewRecord) throws(UnwritableFile) {
    guard !record.isEmpty else { return records.remove(Self.name) }
    guard let bytes = try? JSONEncoder().encode(record) else { return }
    try records.write(Array(bytes), to: Self.name)
  }
}
