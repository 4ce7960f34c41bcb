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
    Self.record(records.read(Self.name))
  }

  /// Saves the answers of a review.
  ///
  /// The answers for scripts of other reviews stay as they are in the file now. If there are no
  /// answers, the file is removed.
  ///
  /// - Parameter files: The scripts of this review.
  func write(_ record: ReviewRecord, about files: Set<String>) throws(UnwritableFile) {
    try records.change(Self.name) { old in
      let all = Self.record(old).replacing(answersFor: files, by: record)
      return all.isEmpty ? nil : (try? JSONEncoder().encode(all)).map(Array.init) ?? old
    }
  }

  private static func record(_ bytes: [UInt8]?) -> ReviewRecord {
    bytes.flatMap { try? JSONDecoder().decode(ReviewRecord.self, from: Data($0)) }
      ?? ReviewRecord()
  }
}
