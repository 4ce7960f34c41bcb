import Foundation

/// A file with the statements of the current world, in case a trap ends the process.
///
/// The file is removed when the run ends without a trap.
final class TurnsFile {
  private let url: URL
  private let file: FileHandle?

  /// Creates the file, and prints its path and the seed to standard error.
  init(_ place: TestPlace, _ seed: UInt64) {
    let name = "frc-fuzz-\(place.file)-\(place.line)-\(UUID().uuidString.prefix(8)).frc"
    url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    let isMade = FileManager.default.createFile(atPath: url.path, contents: nil)
    file = isMade ? FileHandle(forWritingAtPath: url.path) : nil
    let words =
      "\(place.path):\(place.line): fuzz with seed \(seed); after a trap, '\(url.path)' has the "
      + "statements that led to it\n"
    FileHandle.standardError.write(Data(words.utf8))
  }

  deinit {
    try? file?.close()
    try? FileManager.default.removeItem(at: url)
  }

  /// Receives the statements that are about to run; nil begins a new world.
  func hear(_ statements: String?) {
    // A file that cannot be written does not stop the test, because it is needed only after a trap.
    guard let statements else {
      try? file?.truncate(atOffset: 0)
      return
    }
    try? file?.write(contentsOf: Data(statements.utf8))
  }
}
