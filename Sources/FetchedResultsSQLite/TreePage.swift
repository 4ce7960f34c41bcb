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
