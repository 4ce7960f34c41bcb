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

  /// Whether each page that the database has, by the log, can be somewhere.
  ///
  /// Another program may have written any number, and memory is needed for each page.
  ///
  /// - Parameter known: How many pages there are without this log, or before the start.
  func canHaveAllPages(knowing known: Int) -> Bool {
    // The page that SQLite uses for its locks is never written.
    (pageCount ?? 0) <= known + offsets.count + 1
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

/// Why the pages of a file do not show its changes.
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

/// A page of one of SQLite's trees, whose bytes were not checked yet.
struct TreePage {
  enum Kind: UInt8 {
    case indexBranch = 0x02
    case tableBranch = 0x05
    case indexLeaf = 0x0a
    case tableLeaf = 0x0d

    var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }
  }

  let number: UInt32
  let kind: Kind
  let bytes: [UInt8]
  private let start: Int
  private let cellCount: Int

  init(_ number: UInt32, _ bytes: [UInt8]) throws(Unfollowable) {
    // The first page begins with the header of the file.
    start = number == 1 ? 100 : 0
    guard bytes.count >= 512, let kind = Kind(rawValue: bytes[start]) else {
      throw .unknownPage(number)
    }
    self.number = number
    self.kind = kind
    self.bytes = bytes
    cellCount = bytes.shortBigEndian(at: start + 3)
    guard start + 12 + 2 * cellCount <= bytes.count else { throw .unknownPage(number) }
  }

  /// The pages below a branch.
  func children() throws(Unfollowable) -> [UInt32] {
    var children: [UInt32] = []
    children.reserveCapacity(cellCount + 1)
    for cell in 0..<cellCount { children.append(bytes.bigEndian(at: try place(cell, 12))) }
    children.append(bytes.bigEndian(at: start + 8))
    guard !children.contains(0) else { throw .unknownPage(number) }
    return children
  }

  /// The rows of a table's leaf.
  ///
  /// - Parameter usableSize: How many bytes of a page SQLite uses.
  func rows(usableSize: Int) throws(Unfollowable) -> [TreeRow] {
    var rows: [TreeRow] = []
    rows.reserveCapacity(cellCount)
    for cell in 0..<cellCount {
      var place = try place(cell, 8)
      guard let size = bytes.variableNumber(at: &place),
        let rowID = bytes.variableNumber(at: &place),
        0...Int64(Int32.max) ~= size
      else { throw .unknownPage(number) }
      let local = Self.localSize(ofPayload: Int(size), usableSize: usableSize)
      var overflow: UInt32?
      if local < Int(size) {
        overflow = bytes.bigEndian(at: place + local)
        guard overflow != 0, place + local + 4 <= bytes.count else { throw .unknownPage(number) }
      }
      guard place + local <= bytes.count else { throw .unknownPage(number) }
      rows.append(
        TreeRow(
          rowID: rowID, size: Int(size), local: bytes[place..<place + local], overflow: overflow))
    }
    return rows
  }

  /// Where a cell begins.
  private func place(_ cell: Int, _ headerSize: Int) throws(Unfollowable) -> Int {
    let place = bytes.shortBigEndian(at: start + headerSize + 2 * cell)
    guard place >= start + headerSize, place + 4 <= bytes.count else { throw .unknownPage(number) }
    return place
  }

  /// How many bytes of a row are in its leaf; the rest is in pages of its own.
  private static func localSize(ofPayload size: Int, usableSize: Int) -> Int {
    let most = usableSize - 35
    guard size > most else { return size }
    let least = (usableSize - 12) * 32 / 255 - 23
    let fitting = least + (size - least) % (usableSize - 4)
    return fitting <= most ? fitting : least
  }
}

/// A row in a leaf of a table.
struct TreeRow {
  let rowID: Int64
  let size: Int
  /// What is in the leaf.
  let local: ArraySlice<UInt8>
  /// The first page of the rest; nil if there is none.
  let overflow: UInt32?
}

/// A row's values, as SQLite keeps them: the types of all columns, and then their bytes.
struct TreeRecord {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number in a column; nil if it holds something else, or nothing.
  func integer(at column: Int) -> Int64? {
    var place = 0
    guard let headerSize = bytes.variableNumber(at: &place), 0...Int64(bytes.count) ~= headerSize
    else { return nil }
    var value = Int(headerSize)
    for index in 0...column {
      guard place < Int(headerSize), let type = bytes.variableNumber(at: &place) else { return nil }
      let size: Int
      switch type {
      case 0, 8, 9: size = 0
      case 1...4: size = Int(type)
      case 5: size = 6
      case 6, 7: size = 8
      case 12...Int64(Int32.max): size = Int(type - 12) / 2
      default: return nil
      }
      guard index == column else {
        value += size
        continue
      }
      switch type {
      case 8: return 0
      case 9: return 1
      case 1...6:
        guard value + size <= bytes.count else { return nil }
        var number: Int64 = bytes[value] & 0x80 == 0 ? 0 : -1
        for byte in bytes[value..<value + size] { number = number << 8 | Int64(byte) }
        return number
      default: return nil
      }
    }
    return nil
  }
}

extension [UInt8] {
  /// Reads a number of one to nine bytes, each of which says whether another one follows.
  ///
  /// - Returns: Nil at the end of the bytes.
  fileprivate func variableNumber(at place: inout Int) -> Int64? {
    var number: UInt64 = 0
    for index in 0..<9 {
      guard place < count else { return nil }
      let byte = self[place]
      place += 1
      if index == 8 { return Int64(bitPattern: number << 8 | UInt64(byte)) }
      number = number << 7 | UInt64(byte & 0x7f)
      if byte & 0x80 == 0 { return Int64(bitPattern: number) }
    }
    return nil
  }
}

/// Which page of a database belongs to which of its trees.
///
/// Only branches are read: they name their leaves. So it costs about a hundredth of reading all.
struct TreeMap {
  /// For each page, from number 1 on, the place of its tree and whether it is a leaf.
  private var owners: [UInt32]
  private let pageCount: Int

  private static let leaf: UInt32 = 1 << 31

  /// - Parameters:
  ///   - roots: The first page of each tree.
  ///   - page: Returns the bytes of a page.
  /// - Throws: ``Unfollowable``, or what `page` throws.
  /// - Complexity: O(*n*) in the pages, of which only branches are read.
  init(_ roots: [UInt32], pageCount: Int, page: (UInt32) throws -> [UInt8]) throws {
    owners = Array(repeating: 0, count: pageCount + 1)
    self.pageCount = pageCount
    for (tree, root) in roots.enumerated() { try walk(UInt32(tree + 1), from: root, page) }
  }

  /// The place of the tree that a page belongs to; nil if none does.
  func tree(of number: UInt32) -> Int? {
    guard number < owners.count else { return nil }
    let owner = owners[Int(number)] & ~Self.leaf
    return owner == 0 ? nil : Int(owner) - 1
  }

  /// Whether a page is a leaf of a tree.
  func isLeaf(_ number: UInt32) -> Bool {
    number < owners.count && owners[Int(number)] & Self.leaf != 0
  }

  /// The leaves of a tree.
  func leaves(of tree: Int) -> [UInt32] {
    let owner = UInt32(tree + 1) | Self.leaf
    return owners.indices.lazy.filter { owners[$0] == owner }.map { UInt32($0) }
  }

  /// The pages that are not of the same tree in another map, or not of the same kind.
  func pages(differingFrom other: TreeMap) -> [UInt32] {
    (1...max(owners.count, other.owners.count)).lazy.filter { number in
      let one = number < owners.count ? owners[number] : 0
      return one != (number < other.owners.count ? other.owners[number] : 0)
    }.map { UInt32($0) }
  }

  private mutating func walk(
    _ tree: UInt32, from root: UInt32, _ page: (UInt32) throws -> [UInt8]
  ) throws {
    // All leaves of a tree are equally deep.
    var depth = 0
    var number = root
    while true {
      let first = try TreePage(number, page(number))
      if first.kind.isLeaf { break }
      depth += 1
      guard depth < 30, let child = try first.children().first else {
        throw Unfollowable.unknownPage(number)
      }
      number = child
    }
    var level = [root]
    for distance in stride(from: depth, through: 0, by: -1) {
      var below: [UInt32] = []
      for number in level {
        // A page in two places is damage, and could lead round in a circle.
        guard number > 0, Int(number) <= pageCount, owners[Int(number)] == 0 else {
          throw Unfollowable.unknownPage(number)
        }
        owners[Int(number)] = tree | (distance == 0 ? Self.leaf : 0)
        if distance > 0 { below += try TreePage(number, page(number)).children() }
      }
      level = below
    }
  }
}
