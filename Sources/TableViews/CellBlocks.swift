import Basics

/// The cells of a section, in blocks.
///
/// A row that comes or goes moves the cells of one block only. With one array, *n* turns about a
/// section of *n* rows would move *n*² cells.
package struct CellBlocks<Content> {
  package typealias Element = TableCell<Content>

  private static var blockSize: Int { 512 }

  private var blocks: [[Element]] = []
  /// The row of each block's first cell.
  private var starts: [Int] = []
  package private(set) var count = 0

  init(_ cells: some Sequence<Element>) {
    var block: [Element] = []
    for cell in cells {
      if block.count == Self.blockSize {
        append(block)
        block = []
      }
      block.append(cell)
    }
    if !block.isEmpty { append(block) }
  }

  private mutating func append(_ block: [Element]) {
    starts.append(count)
    blocks.append(block)
    count += block.count
  }

  /// Inserts a cell before a row, or after the last.
  ///
  /// - Complexity: O(1) in the rows of the section, besides the list of blocks.
  mutating func insert(_ cell: Element, at row: Int) {
    guard !blocks.isEmpty else { return append([cell]) }
    let block = block(of: row)
    blocks[block].insert(cell, at: row - starts[block])
    shift(after: block, by: 1)
    guard blocks[block].count > 2 * Self.blockSize else { return }
    let rest = Array(blocks[block][Self.blockSize...])
    blocks[block].removeSubrange(Self.blockSize...)
    blocks.insert(rest, at: block + 1)
    starts.insert(starts[block] + Self.blockSize, at: block + 1)
  }

  /// Removes the cell of a row.
  ///
  /// - Complexity: O(1) in the rows of the section, besides the list of blocks.
  mutating func remove(at row: Int) {
    let block = block(of: row)
    blocks[block].remove(at: row - starts[block])
    shift(after: block, by: -1)
    guard blocks[block].isEmpty else { return }
    blocks.remove(at: block)
    starts.remove(at: block)
  }

  private mutating func shift(after block: Int, by difference: Int) {
    count += difference
    for later in starts.indices.dropFirst(block + 1) { starts[later] += difference }
  }

  /// The last block that begins at a row or before it.
  private func block(of row: Int) -> Int { starts.partitioningIndex { $0 > row } - 1 }
}

extension CellBlocks: RandomAccessCollection, MutableCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(row: Int) -> Element {
    get {
      let block = block(of: row)
      return blocks[block][row - starts[block]]
    }
    _modify {
      let block = block(of: row)
      yield &blocks[block][row - starts[block]]
    }
  }

  package func makeIterator() -> FlattenSequence<[[Element]]>.Iterator {
    blocks.joined().makeIterator()
  }
}
