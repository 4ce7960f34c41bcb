import Platform

/// A file with the statements of the current world, in case a trap ends the process.
///
/// The file is removed when the run ends without a trap.
final class TurnsFile {
  private let folder: TemporaryFolder?
  private let file: OpenFile?
  private let descriptor: FileDescriptor?

  /// Creates the file, and prints its path and the seed to standard error.
  init(_ place: TestPlace, _ seed: UInt64) {
    let name = "\(place.file)-\(place.line).frc"
    folder = try? TemporaryFolder(prefix: "frc-fuzz")
    if let opened = try? folder?.opened().open(name, .creating) {
      descriptor = opened.descriptor
      file = consume opened
    } else {
      descriptor = nil
      file = nil
    }
    let path = folder?.path(of: name) ?? "no file"
    let words =
      "\(place.path):\(place.line): fuzz with seed \(seed); after a trap, '\(path)' has the "
      + "statements that led to it\n"
    try? FileDescriptor.standardError.write(words.utf8)
  }

  /// How much the file has.
  private var size = 0

  /// Receives the statements that are about to run; nil begins a new world.
  func record(_ statements: String?) {
    // A file that cannot be written does not stop the test, because it is needed only after a trap.
    guard let statements else {
      file?.shorten(to: 0)
      size = 0
      return
    }
    let bytes = Array(statements.utf8)
    try? descriptor?.write(bytes, at: size)
    size += bytes.count
  }
}
