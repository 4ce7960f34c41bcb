import Foundation

/// Times two sides in turns.
struct Contest {
  let rounds: Int
  let folder: URL

  /// Times two sides that read, and returns whether the target is reached.
  ///
  /// Both must compute the same sum. What they read is released outside of the time.
  @MainActor
  func measure(
    _ name: String, _ other: String, _ target: Double, ours: () throws -> Reading,
    theirs: () throws -> Reading
  ) async throws -> Bool {
    var times: (ours: [Double], theirs: [Double]) = ([], [])
    for round in 0..<rounds {
      for isOurs in round.isMultiple(of: 2) ? [true, false] : [false, true] {
        let start = Self.time(byClock: false)
        let reading = try isOurs ? ours() : theirs()
        let time = Self.time(byClock: false) - start
        if isOurs { times.ours.append(time) } else { times.theirs.append(time) }
        guard reading.sum == expected else { throw WrongResult(name: name, found: reading.sum) }
      }
    }
    return report(name, other, target, times.ours, times.theirs)
  }

  /// The sum of the pages and of the lengths of the titles, which is the same in every round.
  private let expected: Int

  init(rounds: Int, folder: URL, rows: [SourceRow]) {
    self.rounds = rounds
    self.folder = folder
    expected = rows.reduce(0) { $0 + $1.pages + $1.title.utf8.count }
  }

  /// Times two sides that write into new files, and returns whether the target is reached.
  ///
  /// Each returns how many rows its file has afterwards.
  @MainActor
  func measure<Ours, Theirs>(
    _ name: String, _ other: String, _ target: Double, rows: Int, byClock: Bool = false,
    prepared: (URL, URL) throws -> (Ours, Theirs), ours: (Ours) async throws -> Int,
    theirs: (Theirs) async throws -> Int
  ) async throws -> Bool {
    var times: (ours: [Double], theirs: [Double]) = ([], [])
    for round in 0..<rounds {
      let files = folder.appending(path: "round")
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: files) }
      let (our, their) = try prepared(
        files.appending(path: "ours.sqlite"), files.appending(path: "theirs.sqlite"))
      for isOurs in round.isMultiple(of: 2) ? [true, false] : [false, true] {
        let start = Self.time(byClock: byClock)
        let found = try await isOurs ? ours(our) : theirs(their)
        let time = Self.time(byClock: byClock) - start
        if isOurs { times.ours.append(time) } else { times.theirs.append(time) }
        guard found == rows else { throw WrongResult(name: name, found: found) }
      }
    }
    return report(name, other, target, times.ours, times.theirs)
  }

  private func report(
    _ name: String, _ other: String, _ target: Double, _ ours: [Double], _ theirs: [Double]
  ) -> Bool {
    // The sides of a round ran one after the other, on a machine in the same state.
    let ratio = Self.median(zip(ours, theirs).map { $0 / $1 })
    print(
      Self.row([
        name, other, Self.digits(Self.median(ours), 1), Self.digits(Self.median(theirs), 1),
        Self.digits(ratio, 2), Self.digits(target, 2),
      ]))
    return ratio <= target
  }

  static func row(_ cells: [String]) -> String {
    cells.enumerated().map { index, cell in
      let width = index == 0 ? 28 : index == 1 ? 20 : 10
      let blanks = String(repeating: " ", count: max(0, width - cell.count))
      return index < 2 ? cell + blanks : blanks + cell
    }.joined()
  }

  private static func digits(_ number: Double, _ count: Int) -> String {
    String(format: "%.\(count)f", number)
  }

  private static func median(_ numbers: [Double]) -> Double {
    numbers.sorted()[numbers.count / 2]
  }

  /// Milliseconds of the clock, or of the processor by all threads, on which other programs have
  /// little influence.
  private static func time(byClock: Bool) -> Double {
    var time = timespec()
    clock_gettime(byClock ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

/// A side that read or wrote other rows than it was given.
struct WrongResult: Error {
  let name: String
  let found: Int
}
