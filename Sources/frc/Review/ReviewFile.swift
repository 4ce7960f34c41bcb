import Foundation
import GoldenTesting

/// The file `.frc/review.json` in the project's folder, with the answers of an unfinished review
/// and the rejected blocks.
struct ReviewFile {
  private static let name = "review.json"
  private let records: ProjectRecords

  init(_ project: Project) { records = ProjectRecords(project) }

  /// Returns the contents of the file; empty if there is no file, or if it is damaged.
  func read() -> ReviewRecord {
    records.read(Self.name).flatMap {
      try? JSONDecoder().decode(ReviewRecord.self, from: Data($0))
    } ?? ReviewRecord()
  }

  /// Saves answers.
  ///
  /// If there are none, removes the file.
  func write(_ record: ReviewRecord) throws(UnwritableFile) {
    guard !record.isEmpty else { return records.remove(Self.name) }
    guard let bytes = try? JSONEncoder().encode(record) else { return }
    try records.write(Array(bytes), to: Self.name)
  }
}
