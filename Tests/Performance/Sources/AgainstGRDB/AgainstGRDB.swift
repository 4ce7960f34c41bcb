import Foundation

/// Compares what a client does with typed classes and a container on a SQLite file with the same
/// work in GRDB, in one run, and prints a table; ends with status 1 where a target is missed.
///
/// Both sides have a new file for each writing, and both read a file of the same rows. The sides
/// take turns, and a cell is the median. Writing and reading are measured by the time of a
/// processor, and single saves by the clock, because they wait for the disk.
///
/// Arguments: how many rows (default 100000), how many rounds (default 9), and the folder of the
/// files (default a temporary one). The folder decides what waiting for the disk means. `reading`
/// leaves out what writes, `writing` what reads, and both leave out the single saves.
@main
struct AgainstGRDB {
  @MainActor
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let numbers = arguments.compactMap { Int($0) }
    let rows = SourceRow.rows(numbers.first ?? 100_000)
    let parent =
      arguments.first { $0.contains("/") }.map { URL(filePath: $0) }
      ?? FileManager.default.temporaryDirectory
    let contest = Contest(
      rounds: numbers.dropFirst().first ?? 9,
      folder: parent.appending(path: "frc-against-grdb-\(UUID().uuidString)"), rows: rows)
    try FileManager.default.createDirectory(
      at: contest.folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: contest.folder) }

    print("\(rows.count) rows, medians of \(contest.rounds) rounds, milliseconds")
    print(Contest.row(["", "compared with", "frc", "other", "ratio", "target"]))
    let (reads, writes) = (arguments.contains("reading"), arguments.contains("writing"))
    var isReached = true
    if !writes || reads { isReached = try await reading(rows, contest) }
    if !reads || writes { isReached = try await writing(rows, contest) && isReached }
    if !reads && !writes {
      isReached = try await saving(Array(rows.prefix(1_000)), contest) && isReached
    }
    exit(isReached ? 0 : 1)
  }

  @MainActor
  private static func reading(_ rows: [SourceRow], _ contest: Contest) async throws -> Bool {
    let objects = contest.folder.appending(path: "objects.sqlite")
    let records = contest.folder.appending(path: "records.sqlite")
    try await Objects.insertInLoop(rows, Objects.container(objects))
    try Records.insert(rows, Records.queue(records))
    let codable = try await contest.measure(
      "fetch and read", "Codable records", 1, ours: { try Objects.read(objects) },
      theirs: { try Records.readRecords(records) })
    let byIndex = try await contest.measure(
      "fetch and read", "rows by index", 2, ours: { try Objects.read(objects) },
      theirs: { try Records.readRows(records) })
    let untyped = try await contest.measure(
      "fetch and read", "the same by name", 1.1, ours: { try Objects.read(objects) },
      theirs: { try Objects.readByName(objects) })
    return codable && byIndex && untyped
  }

  @MainActor
  private static func writing(_ rows: [SourceRow], _ contest: Contest) async throws -> Bool {
    let batch = try await contest.measure(
      "batch insert", "prepared statement", 1.15, rows: rows.count,
      prepared: { (try Objects.container($0), try Records.queue($1)) },
      ours: { try await Objects.insertBatch(rows, $0) }, theirs: { try Records.insert(rows, $0) })
    let loop = try await contest.measure(
      "insert in a task", "Codable records", 1, rows: rows.count,
      prepared: { (try Objects.container($0), try Records.queue($1)) },
      ours: { try await Objects.insertInLoop(rows, $0) },
      theirs: { try Records.insertRecords(rows, $0) })
    let stream = try await contest.measure(
      "insertObjects(of:from:)", "loop in a task", 1.1, rows: rows.count,
      prepared: { (try Objects.container($0), try Objects.container($1)) },
      ours: { try await Objects.insertStream(rows, $0) },
      theirs: { try await Objects.insertInLoop(rows, $0) })
    return batch && loop && stream
  }

  @MainActor
  private static func saving(_ rows: [SourceRow], _ contest: Contest) async throws -> Bool {
    let normal = try await contest.measure(
      "1000 single saves, normal", "Codable records", 1.5, rows: rows.count, byClock: true,
      prepared: { (try Objects.container($0, isFull: false), try Records.pool($1, isFull: false)) },
      ours: { try Objects.saveEach(rows, $0) }, theirs: { try Records.saveEach(rows, $0) })
    let full = try await contest.measure(
      "1000 single saves, full", "Codable records", 1.2, rows: rows.count, byClock: true,
      prepared: { (try Objects.container($0), try Records.pool($1, isFull: true)) },
      ours: { try Objects.saveEach(rows, $0) }, theirs: { try Records.saveEach(rows, $0) })
    return normal && full
  }
}

/// A row that both sides write.
struct SourceRow: Sendable {
  let title: String
  let pages: Int
  let price: Double

  static func rows(_ count: Int) -> [SourceRow] {
    (0..<count).map {
      SourceRow(
        title: "Title \($0 &* 2_654_435_761 & 0xffff_ffff)", pages: $0 % 1000,
        price: Double($0 % 5000) / 100)
    }
  }
}

/// What a side computed of the rows that it read, and what it has to release afterwards.
struct Reading {
  let sum: Int
  let rows: Any
}
