import Platform

/// What SQLite's write-ahead log has after a place in it: the newest version of each page.
///
/// Only whole transactions count, as SQLite counts them: frames carry the log's salts and a sum
/// over everything before them, and the last frame of a transaction says how long the database is.
struct LogFrames {
  /// A place in a log, after a transaction.
  ///
  /// Equal places follow equal bytes, by the sum.
  struct Position: Hashable {
    /// The log's header, another one whenever the log begins again.
    let header: [UInt8]
    /// Where the next frame is.
    fileprivate(set) var offset: Int
    fileprivate var first: UInt32
    fileprivate var second: UInt32
  }

  /// Where the content of each page is in the log.
  private(set) var offsets: [UInt32: Int] = [:]
  /// How many pages the database has; nil if there is no transaction.
  private(set) var pageCount: Int?
  /// The place after the last transaction; nil if there is no log.
  private(set) var end: Position?
  private(set) var pageSize = 0

  /// Reads what a log has.
  ///
  /// - Parameters:
  ///   - file: The log.
  ///   - start: Where to begin; nil for the whole log.
  ///   - mostPages: How many pages may be found.
  /// - Throws: ``Unfollowable/tooMuch``, or ``SystemError``.
  /// - Complexity: O(*k*) in the bytes after the start.
  init(_ file: FileDescriptor, after start: Position?, mostPages: Int = .max) throws {
    let header = try file.read(upTo: 32, at: 0)
    guard let log = LogHeader(header) else { return }
    var position = start ?? log.start
    guard position.header == header else { return }
    end = position
    pageSize = log.pageSize
    var waiting: [UInt32: Int] = [:]
    let frameSize = 24 + pageSize
    // Large reads cost less; a frame that is cut off is read again with the next piece.
    let piece = max(1 << 20 / frameSize, 1) * frameSize
    while true {
      let from = position.offset
      let bytes = try file.read(upTo: piece, at: from)
      var place = 0
      while place + frameSize <= bytes.count {
        let page = bytes.bigEndian(at: place)
        guard page > 0, Array(bytes[place + 8..<place + 16]) == log.salts else { return }
        log.add(bytes, place..<place + 8, to: &position.first, &position.second)
        log.add(bytes, place + 24..<place + frameSize, to: &position.first, &position.second)
        guard position.first == bytes.bigEndian(at: place + 16),
          position.second == bytes.bigEndian(at: place + 20)
        else { return }
        waiting[page] = from + place + 24
        guard offsets.count + waiting.count <= mostPages else { throw Unfollowable.tooMuch }
        place += frameSize
        position.offset = from + place
        let pages = bytes.bigEndian(at: place - frameSize + 4)
        guard pages > 0 else { continue }
        offsets.merge(waiting) { $1 }
        waiting = [:]
        pageCount = Int(pages)
        end = position
      }
      guard place > 0 else { return }
    }
  }
}

/// The first bytes of a log.
private struct LogHeader {
  let pageSize: Int
  let salts: [UInt8]
  let start: LogFrames.Position
  private let sumsBigEndian: Bool

  /// - Returns: Nil if it is not that of a log.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    let magic = bytes.bigEndian(at: 0)
    guard magic & ~1 == 0x377f_0682, bytes.bigEndian(at: 4) == 3_007_000 else { return nil }
    let pageSize = Int(bytes.bigEndian(at: 8))
    guard 512...65536 ~= pageSize, pageSize & (pageSize - 1) == 0 else { return nil }
    self.pageSize = pageSize
    salts = Array(bytes[16..<24])
    sumsBigEndian = magic & 1 == 1
    var (first, second): (UInt32, UInt32) = (0, 0)
    Self.add(bytes, 0..<24, bigEndian: sumsBigEndian, to: &first, &second)
    guard first == bytes.bigEndian(at: 24), second == bytes.bigEndian(at: 28) else { return nil }
    start = LogFrames.Position(header: bytes, offset: 32, first: first, second: second)
  }

  func add(
    _ bytes: [UInt8], _ range: Range<Int>, to first: inout UInt32, _ second: inout UInt32
  ) {
    Self.add(bytes, range, bigEndian: sumsBigEndian, to: &first, &second)
  }

  /// Adds bytes, eight at a time, to SQLite's sum over a log.
  private static func add(
    _ bytes: [UInt8], _ range: Range<Int>, bigEndian: Bool, to first: inout UInt32,
    _ second: inout UInt32
  ) {
    bytes.withUnsafeBytes { buffer in
      var place = range.lowerBound
      while place + 8 <= range.upperBound {
        let left = buffer.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        let right = buffer.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
        first &+= (bigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
        second &+= (bigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
        place += 8
      }
    }
  }
}

extension [UInt8] {
  /// The number of four bytes, the first one the highest; 0 where there are fewer.
  func bigEndian(at place: Int) -> UInt32 {
    guard place >= 0, place + 4 <= count else { return 0 }
    return UInt32(self[place]) << 24 | UInt32(self[place + 1]) << 16 | UInt32(self[place + 2]) << 8
      | UInt32(self[place + 3])
  }

  /// The number of two bytes, the first one the higher; 0 where there are fewer.
  func shortBigEndian(at place: Int) -> Int {
    guard place >= 0, place + 2 <= count else { return 0 }
    return Int(self[place]) << 8 | Int(self[place + 1])
  }

  /// Writes a number as four bytes, if there are so many.
  mutating func setBigEndian(_ number: UInt32, at place: Int) {
    guard place >= 0, place + 4 <= count else { return }
    for index in 0..<4 {
      self[place + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32(index)))
    }
  }
}

/// Why the changes of a file cannot be told by its pages.
///
/// All of it can be read again then.
enum Unfollowable: Error, Hashable {
  /// So much has changed that reading everything is as fast.
  case tooMuch
  /// Another page size, or tables that are other ones now.
  case otherLayout
  /// A transaction that was never ended, which SQLite must undo.
  case journal
  /// A page that does not hold what it must, or a kind of table that is not known.
  case unknownPage(UInt32)
}
