import Foundation

/// The books of a text file, read piece by piece, so that memory holds one piece.
struct BookFile: AsyncSequence, Sendable {
  let path: String

  func makeAsyncIterator() -> Iterator { Iterator(path: path) }

  struct Iterator: AsyncIteratorProtocol {
    private let path: String
    private var file: FileHandle?
    private var lines: [BookDraft] = []
    private var rest = Data()
    private var isAtEnd = false

    init(path: String) { self.path = path }

    mutating func next() async throws -> BookDraft? {
      while lines.isEmpty, !isAtEnd { try readPiece() }
      return lines.popLast()
    }

    private mutating func readPiece() throws {
      // A file in which there are no books can be long, too.
      try Task.checkCancellation()
      if file == nil { file = try open() }
      let piece = try file?.read(upToCount: 1 << 16) ?? Data()
      isAtEnd = piece.isEmpty
      rest += piece
      // Without the rest of a line, which comes with the next piece.
      let end =
        isAtEnd ? rest.endIndex : (rest.lastIndex(of: UInt8(ascii: "\n")) ?? rest.startIndex)
      lines = String(decoding: rest[..<end], as: UTF8.self).split(whereSeparator: \.isNewline)
        .compactMap { BookDraft(line: String($0)) }.reversed()
      rest = Data(rest[end...])
      guard rest.count < Self.longestLine else { throw NoTextFile(path: path) }
    }

    /// Text without line breaks would be in memory as a whole.
    private static var longestLine: Int { 1 << 20 }

    private func open() throws -> FileHandle {
      // To open a pipe waits for its writer, and no one can cancel that. A device may never end.
      var status = stat()
      if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
        throw NoTextFile(path: path)
      }
      return try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    }
  }
}

/// A folder, a pipe or a device, or a file of something else than lines.
private struct NoTextFile: LocalizedError {
  let path: String

  var errorDescription: String? {
    let name = URL(fileURLWithPath: path).lastPathComponent
    return "'\(name)' is no file of text; choose one with a line for each book"
  }
}
