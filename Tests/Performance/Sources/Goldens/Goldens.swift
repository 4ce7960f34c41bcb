import Foundation

/// Writes scripts of ten blocks each, fills in their output with `frc test --update`, and prints
/// how long `frc test` takes for all of them.
///
/// `Goldens [FILES] [ROUNDS]`; the defaults are 1,000 files and 5 rounds.
@main
struct Goldens {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let files = arguments.first ?? 1000
    let rounds = arguments.dropFirst().first ?? 5
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-goldens-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(files, to: folder)
    let (update, _) = try frc("test", "--update", folder.path)
    let times = try (0..<rounds).map { _ in try frc("test", folder.path).seconds }.sorted()
    let (_, isRight) = try frc("test", folder.path)
    let median = times[times.count / 2]
    print("\(files * 10) blocks in \(files) files")
    print(String(format: "frc test --update  %6.3f s (each block twice, and written)", update))
    print(String(format: "frc test           %6.3f s median of \(rounds)", median))
    print(String(format: "best, worst        %6.3f s, %.3f s", times[0], times[rounds - 1]))
    if !isRight { exit(1) }
    if files == 1000, median > 2 {
      print("at most 2 s wanted")
      exit(1)
    }
  }

  /// Writes scripts of ten blocks: a model, two controllers, and turns with every kind of change.
  private static func write(_ count: Int, to folder: URL) throws {
    for number in 0..<count {
      let topic = folder.appendingPathComponent("topic-\(number % 20)")
      try FileManager.default.createDirectory(at: topic, withIntermediateDirectories: true)
      let text = """
        # Rule \(number): what a few turns are reported as.
        entity Book { title: String, publisher: String = "unknown", pages: Int = 0 }
        insert 20 Book(title: "Book \\(i * \(number % 7 + 3) % 23)", publisher: "P\\(i % 4)")
        controller books = Book sort by publisher, title section by publisher
        controller long = Book where pages > 10 sort by pages desc, title
        perform { fetch books; fetch long; print count(Book) }
        print books.sectionIndexTitles
        insert Book(title: "New \(number)", publisher: "P\(number % 6)", pages: \(number % 30))
        perform {
          update Book where publisher == "P1" { pages = pages + 20 }
          delete Book/3
        }
        Book/7.publisher = "P\(number % 5)"
        for b in 1...2 { Book/2.pages += b * 10 }
        show books
        try print Book/99.title
        save
        count Book where pages > 10 AND title CONTAINS "1"
        fetch Book where publisher == "P2" sort by title

        """
      try Data(text.utf8).write(to: topic.appendingPathComponent("rule-\(number).frc"))
    }
  }

  /// Runs the program in the same folder as this one.
  private static func frc(_ arguments: String...) throws -> (seconds: Double, succeeds: Bool) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("frc")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    let clock = ContinuousClock()
    let start = clock.now
    try process.run()
    process.waitUntilExit()
    return ((clock.now - start) / .seconds(1), process.terminationStatus == 0)
  }
}
