/// A reference to a section of some results, valid while the section exists.
///
/// The section's number is used again for another section. The count of uses tells the two apart.
package struct SectionReference {
  fileprivate let directory: SectionDirectory
  fileprivate let number: Int32
  fileprivate let use: UInt32
}

/// The sections of one controller by number: their names, and their leaves in the tree.
///
/// The elements of the tree are only numbers. They are moved and compared often, which counts no
/// reference this way.
final class SectionDirectory {
  private struct Record {
    var key: ScalarString
    var leaf: Int32 = -1
    var use: UInt32 = 0
  }

  @exclusivity(unchecked) private var records: ContiguousArray<Record> = []
  @exclusivity(unchecked) private var freeNumbers: [Int32] = []
  @exclusivity(unchecked) private var numbers: [ScalarString: Int32] = [:]

  /// How many sections there are.
  var count: Int { numbers.count }

  func reserveCapacity(_ capacity: Int) {
    records.reserveCapacity(capacity)
    numbers.reserveCapacity(capacity)
  }

  /// Gives a section with a name a number.
  func add(_ key: ScalarString) -> Int32 {
    let number: Int32
    if let free = freeNumbers.popLast() {
      number = free
      records[Int(number)].key = key
    } else {
      number = Int32(records.count)
      records.append(Record(key: key))
    }
    numbers[key] = number
    return number
  }

  /// Removes a section.
  ///
  /// Its number can be used again.
  func remove(_ number: Int32) {
    numbers[records[Int(number)].key] = nil
    records[Int(number)].key = .empty
    records[Int(number)].use &+= 1
    freeNumbers.append(number)
  }

  func key(of number: Int32) -> ScalarString { records[Int(number)].key }

  func leaf(of number: Int32) -> Int32 { records[Int(number)].leaf }

  func place(_ number: Int32, in leaf: Int32) { records[Int(number)].leaf = leaf }

  func number(named key: ScalarString) -> Int32? { numbers[key] }

  func reference(to number: Int32) -> SectionReference {
    SectionReference(directory: self, number: number, use: records[Int(number)].use)
  }

  /// Returns the number of a section, or nil if it is gone or belongs to other results.
  func number(of section: SectionReference) -> Int32? {
    guard section.directory === self, records[Int(section.number)].use == section.use else {
      return nil
    }
    return section.number
  }
}

/// The place of an object in a controller's results.
public struct ResultsIndexPath: Hashable, Sendable, Codable {
  /// The index of the section, counted from 0.
  public var section: Int
  /// The index of the object in its section, counted from 0.
  public var row: Int

  /// Creates an index path.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }
}

extension ResultsIndexPath: Comparable {
  /// Orders by section and then by row.
  public static func < (left: Self, right: Self) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }
}

extension ResultsIndexPath: CustomStringConvertible {
  /// `[1, 0]`.
  public var description: String { "[\(section), \(row)]" }
}
