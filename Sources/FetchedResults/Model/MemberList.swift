import Basics
import Synchronization

/// The objects of a long to-many relationship, in blocks.
///
/// A turn keeps the relationship as it was before. With one array, the first change of a turn would
/// copy all members. Here it copies one block and the list of blocks. Short relationships are plain
/// lists, which are smaller.
@usableFromInline package struct MemberList: Sendable {
  /// From how many members on a list that changes is kept in blocks.
  package static var least: Int { 512 }
  private static var blockSize: Int { 128 }

  /// The members in their order; no block is empty.
  private var blocks: [[PropertyValue]]
  /// The names of the blocks, in ascending order; empty unless the relationship is ordered.
  private var names: [Int32] = []
  /// Which block has which member; nil unless the relationship is ordered.
  private var directory: MemberDirectory?
  /// How many members there are.
  package private(set) var count: Int
  private var joined = JoinedMembers()

  /// Divides members into blocks; nil if a member is not an object, or is repeated.
  ///
  /// - Parameters:
  ///   - members: The members; by number, unless the relationship is ordered.
  ///   - isOrdered: Whether the relationship has an order of its own.
  /// - Complexity: O(*n*).
  package init?(_ members: [PropertyValue], isOrdered: Bool) {
    blocks = stride(from: 0, to: members.count, by: Self.blockSize).map { start in
      Array(members[start..<min(start + Self.blockSize, members.count)])
    }
    count = members.count
    let numbers = members.compactMap { $0.objectID?.number }
    guard numbers.count == count else { return nil }
    if isOrdered {
      names = blocks.indices.map { Int32($0) }
      directory = MemberDirectory(numbers, inBlocksOf: Self.blockSize)
      guard directory?.count == count else { return nil }
    } else {
      guard zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    }
  }

  /// The members in their order.
  ///
  /// - Complexity: O(*n*) after a change, then O(1).
  @usableFromInline package var members: [PropertyValue] {
    joined.members { blocks.flatMap(\.self) }
  }

  /// Whether an object is a member.
  ///
  /// - Complexity: O(log *n*).
  package func contains(_ id: ObjectID) -> Bool { place(of: id) != nil }

  /// Adds an object: after the others of an ordered relationship, or by its number.
  ///
  /// - Returns: Whether it was not a member before.
  /// - Complexity: O(log *n*); O(*n* / 128) for the first change after a copy was made.
  package mutating func insert(_ id: ObjectID) -> Bool {
    guard directory != nil else { return insertByNumber(id) }
    if contains(id) { return false }
    if blocks.last.map({ $0.count >= Self.blockSize }) ?? true {
      blocks.append([])
      names.append((names.last ?? -1) + 1)
    }
    blocks[blocks.count - 1].append(.object(id))
    directory?.insert(id.number, inBlock: names[names.count - 1])
    didChange(by: 1)
    return true
  }

  /// Removes an object.
  ///
  /// - Returns: Whether it was a member.
  /// - Complexity: O(log *n*); O(*n* / 128) for the first change after a copy was made, and if a
  ///   block becomes empty.
  package mutating func remove(_ id: ObjectID) -> Bool {
    guard let (block, index) = place(of: id) else { return false }
    blocks[block].remove(at: index)
    directory?.remove(id.number)
    if blocks[block].isEmpty {
      blocks.remove(at: block)
      if directory != nil { names.remove(at: block) }
    }
    didChange(by: -1)
    return true
  }

  private mutating func didChange(by difference: Int) {
    count += difference
    if !isKnownUniquelyReferenced(&joined) { joined = JoinedMembers() } else { joined.forget() }
  }

  private mutating func insertByNumber(_ id: ObjectID) -> Bool {
    let block = min(block(reaching: id.number), blocks.count - 1)
    guard block >= 0 else {
      blocks = [[.object(id)]]
      didChange(by: 1)
      return true
    }
    let index = blocks[block].partitioningIndex { $0.number >= id.number }
    if index < blocks[block].count, blocks[block][index].number == id.number { return false }
    blocks[block].insert(.object(id), at: index)
    if blocks[block].count > 2 * Self.blockSize {
      let rest = Array(blocks[block][Self.blockSize...])
      blocks[block].removeSubrange(Self.blockSize...)
      blocks.insert(rest, at: block + 1)
    }
    didChange(by: 1)
    return true
  }

  /// The block of a member, and the member's place there.
  private func place(of id: ObjectID) -> (block: Int, index: Int)? {
    let member = PropertyValue.object(id)
    if let directory {
      guard let name = directory.block(of: id.number) else { return nil }
      let block = names.partitioningIndex { $0 >= name }
      guard block < names.count, let index = blocks[block].firstIndex(of: member) else {
        return nil
      }
      return (block, index)
    }
    let block = block(reaching: id.number)
    guard block < blocks.count else { return nil }
    let index = blocks[block].partitioningIndex { $0.number >= id.number }
    return index < blocks[block].count && blocks[block][index] == member ? (block, index) : nil
  }

  /// The first block whose last number is not below a number.
  private func block(reaching number: Int64) -> Int {
    blocks.partitioningIndex { block in block.last.map { $0.number >= number } ?? true }
  }
}

extension MemberList: Equatable {
  /// Whether both have the same members in the same order; blocks that are shared are not compared.
  @usableFromInline
  package static func == (left: MemberList, right: MemberList) -> Bool {
    guard left.count == right.count else { return false }
    if left.blocks.elementsEqual(right.blocks, by: { $0.count == $1.count }) {
      return left.blocks == right.blocks
    }
    return left.blocks.joined().elementsEqual(right.blocks.joined())
  }

  /// Whether the members are those of a list.
  func hasMembers(_ members: [PropertyValue]) -> Bool {
    count == members.count && blocks.joined().elementsEqual(members)
  }
}

extension PropertyValue {
  /// The number of an object.
  fileprivate var number: Int64 { objectID?.number ?? .max }
}

/// Which block has which member of an ordered relationship, by the member's number.
///
/// A change of a copy copies one group of entries, and not all.
private struct MemberDirectory: Sendable {
  private var groups: [[Int64: Int32]]
  private(set) var count = 0

  private static var groupSize: Int { 64 }

  init(_ numbers: [Int64], inBlocksOf size: Int) {
    groups = Array(repeating: [:], count: max(8, numbers.count / Self.groupSize))
    for (place, number) in numbers.enumerated() { insert(number, inBlock: Int32(place / size)) }
  }

  func block(of number: Int64) -> Int32? { groups[group(of: number)][number] }

  mutating func insert(_ number: Int64, inBlock block: Int32) {
    let group = group(of: number)
    if groups[group].updateValue(block, forKey: number) == nil { count += 1 }
    if count > 4 * Self.groupSize * groups.count { regroup() }
  }

  mutating func remove(_ number: Int64) {
    let group = group(of: number)
    if groups[group].removeValue(forKey: number) != nil { count -= 1 }
  }

  private mutating func regroup() {
    let old = groups
    groups = Array(repeating: [:], count: 4 * old.count)
    for (number, block) in old.joined() { groups[group(of: number)][number] = block }
  }

  /// Neighbouring numbers come together, as they do in the blocks of most relationships.
  private func group(of number: Int64) -> Int {
    let run = UInt64(bitPattern: number) / 32 &* 0x9E37_79B9_7F4A_7C15
    return Int((run >> 32) % UInt64(groups.count))
  }
}

/// The members of a list as one array, after the first access to it.
private final class JoinedMembers: Sendable {
  private let known = Mutex<[PropertyValue]?>(nil)

  func members(_ join: () -> [PropertyValue]) -> [PropertyValue] {
    known.withLock { known in
      if let known { return known }
      let members = join()
      known = members
      return members
    }
  }

  func forget() { known.withLock { $0 = nil } }
}
