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
      if file == nil { file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) }
      let piece = try file?.read(upToCount: 1 << 16) ?? Data()
      isAtEnd = piece.isEmpty
      rest += piece
      // Without the rest of a line, which comes with the next piece.
      let end =
        isAtEnd ? rest.endIndex : (rest.lastIndex(of: UInt8(ascii: "\n")) ?? rest.startIndex)
      lines = String(decoding: rest[..<end], as: UTF8.self).split(whereSeparator: \.isNewline)
        .compactMap { BookDraft(line: String($0)) }.reversed()
      rest = Data(rest[end...])
    }
  }
}
