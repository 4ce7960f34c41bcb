import CMalloc
import Foundation

/// Times an import in the background with a sectioned list that follows it on the main actor: by
/// a fetched results controller, and by GRDB's ValueObservation.
///
/// Both sides do the same work. A background task writes the rows into a new file, some in each
/// transaction. The list is sorted by section and title. It receives differences of rows and
/// sections, and applies each to its arrays on the main actor, until it has all rows. In the end
/// both lists must be equal.
///
/// The observation has what helps it most: an index for the sort, and a difference that is made
/// off the main actor by one walk along the two sorted lists.
///
/// Arguments: how many rows (default 100000), how many rounds (default 5), how many rows in a
/// transaction (default 1000). The sides take turns, and the table has medians.
@main
struct Import {
  static func main() {
    // A run loop keeps the main actor on the main thread, as in an app.
    Task {
      do {
        try await measure()
        exit(EXIT_SUCCESS)
      } catch {
        print(error)
        exit(EXIT_FAILURE)
      }
    }
    RunLoop.main.run()
  }

  @MainActor
  private static func measure() async throws {
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let rows = ImportedRow.rows(arguments.first ?? 100_000)
    let rounds = arguments.dropFirst().first ?? 5
    let size = arguments.dropFirst(2).first ?? 1_000
    var results: (controller: [Measurement], observation: [Measurement]) = ([], [])
    for round in 0..<rounds {
      // The side that goes first changes in each round.
      var lists: [[Int64]] = []
      for isController in round.isMultiple(of: 2) ? [true, false] : [false, true] {
        let folder = URL.temporaryDirectory.appending(path: "frc-import-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        joinFreedMemory()
        let side = isController ? ControllerSide.run : ObservationSide.run
        let (measurement, list) = try await side(
          rows, size, folder.appending(path: "books.sqlite"))
        lists.append(list)
        if isController {
          results.controller.append(measurement)
        } else {
          results.observation.append(measurement)
        }
      }
      guard lists[0] == lists[1], lists[0].count == rows.count else {
        print("the lists differ")
        exit(EXIT_FAILURE)
      }
    }
    print("\(rows.count) rows, \(size) in a transaction, medians of \(rounds) rounds")
    print(Measurement.heading)
    print("controller " + Measurement.median(results.controller).line)
    print("observation" + Measurement.median(results.observation).line)
  }
}

/// Lets the C library join the memory that was freed.
///
/// Else the first large allocation of a round joins what the list of the round before used. That
/// takes some milliseconds, and has nothing to do with the round's import.
private func joinFreedMemory() {
  #if os(Linux)
  malloc_trim(0)
  #endif
}

/// A row to import, with a section and a title.
struct ImportedRow: Sendable {
  let section: String
  let title: String

  /// Returns rows in an order that is independent of their titles.
  static func rows(_ count: Int) -> [ImportedRow] {
    var state: UInt64 = 42
    return (0..<count).map { number in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let random = state >> 33
      return ImportedRow(
        section: "Section \(100 + random % 100)", title: "Title \(random / 100) \(number)")
    }
  }
}
