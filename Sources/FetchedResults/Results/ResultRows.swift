/// The rows of one controller, in order, and their sections.
///
/// A row is an object's number; nothing else is kept. Finding a row by index path, finding the
/// index path of a row, and changing rows take O(log *n*).
///
/// A section without rows is removed. Only the one section of results without a section key path
/// stays.
package final class ResultRows {
  let rows: CountedTree<Row>
  private let sections: CountedTree<SectionSlot>
  private let locator: Locator
  private let directory: SectionDirectory
  /// Whether a key divides rows into sections.
  ///
  /// If not, there is always one section.
  package let isSectioned: Bool

  /// Creates results from numbers in order, and their sections.
  ///
  /// - Precondition: The counts of the sections add up to the number of rows. Without a section
  ///   key, `runs` is empty.
  /// - Complexity: O(*n*).
  package init(
    numbers: [Int64], runs: [SectionRun], isSectioned: Bool, shape: CountedTreeShape = .standard
  ) {
    let locator = Locator()
    self.locator = locator
    self.isSectioned = isSectioned
    rows = CountedTree(numbers.lazy.map(Row.init), shape: shape) { row, leaf in
      locator.place(row.number, in: leaf)
    }
    let runs = isSectioned ? runs : [SectionRun(name: "", count: numbers.count)]
    let directory = SectionDirectory()
    self.directory = directory
    directory.reserveCapacity(runs.count)
    let slots = runs.map {
      SectionSlot(number: directory.add(ScalarString($0.name)), rowCount: $0.count)
    }
    sections = CountedTree(slots, shape: shape.forSections) { slot, leaf in
      directory.place(slot.number, in: leaf)
    }
  }

  /// A name, and the number of consecutive rows that have it.
  package struct SectionRun: Hashable, Sendable {
    package let name: String
    package var count: Int
  }

  package struct Row: CountedElement {
    let number: Int64
    package var weight: Int { 1 }
  }

  /// The leaf of each number.
  private var located: Locator {
    if !locator.isReady { locator.prepare(rows) }
    return locator
  }

  /// The leaf of each number: 4 bytes for each object.
  private final class Locator {
    @exclusivity(unchecked) var leaves = PagedArray<Int32>(placeholder: -1)
    /// Whether the leaves are known.
    ///
    /// They are needed only to follow changes.
    @exclusivity(unchecked) var isReady = false

    @inline(__always)
    func place(_ number: Int64, in leaf: Int32) {
      if isReady { leaves[number] = leaf }
    }

    /// Forgets the leaves, because there are other ones.
    func forget() {
      leaves.removeAll()
      isReady = false
    }

    /// Notes the leaf of every row.
    ///
    /// Numbers come in no order, so looking up the page of each would take most of the time. Dense
    /// numbers are therefore noted in one array first.
    func prepare(_ rows: CountedTree<Row>) {
      isReady = true
      // A number below 0, which only a damaged file has, counts as a large one.
      var last: UInt64 = 0
      rows.forEachLeaf { _, rows in
        for row in rows { last = max(last, UInt64(bitPattern: row.number)) }
      }
      guard last < rows.count * 8 + 1024 else {
        rows.forEachLeaf { leaf, rows in for row in rows { leaves[row.number] = leaf } }
        return
      }
      var flat = ContiguousArray<Int32>(repeating: -1, count: Int(last) + 1)
      flat.withUnsafeMutableBufferPointer { flat in
        rows.forEachLeaf { leaf, rows in for row in rows { flat[Int(row.number)] = leaf } }
      }
      leaves = PagedArray(flat, placeholder: -1)
    }
  }
}

/// A section in the tree of sections.
package struct SectionSlot: CountedElement {
  let number: Int32
  private var size: Int32

  init(number: Int32, rowCount: Int) {
    self.number = number
    size = Int32(rowCount)
  }

  var rowCount: Int {
    get { Int(size) }
    set { size = Int32(newValue) }
  }
  package var weight: Int { rowCount }
}

// MARK: - Rows

extension ResultRows {
  package var rowCount: Int { rows.count }

  /// Returns the object number at a rank, counted from 0 over all sections.
  package func number(at rank: Int) -> Int64 { rows[rank].number }

  /// Returns the rank of an object, or nil if it is not a row.
  package func rank(of number: Int64) -> Int? {
    rows.rank(inLeaf: located.leaves[number]) { $0.number == number }
  }

  /// Returns the ranks of several objects at once, as ``rank(of:)`` would.
  package func ranks(of numbers: [Int64]) -> [Int?] {
    // A single search has no other to overlap its waits with.
    if numbers.count == 1 { return [rank(of: numbers[0])] }
    let located = located
    return rows.ranks(inLeaves: numbers.map { located.leaves[$0] }) { $1.number == numbers[$0] }
  }

  /// Returns whether an object is a row.
  package func contains(_ number: Int64) -> Bool { located.leaves[number] >= 0 }

  /// Returns, for each of several searches, the first rank of a range whose row does not satisfy
  /// `predicate`.
  ///
  /// All rows of the range before it must satisfy it, and none after it.
  ///
  /// - Parameters:
  ///   - ranks: The range of each search.
  ///   - touch: Called with a row's number some time before `predicate`.
  ///   - touchKeys: Called in between, if it is given.
  ///   - predicate: Called with the index of the search, and a row's number.
  package func partitionPoints(
    in ranks: [Range<Int>], touch: (Int64) -> Void, touchKeys: ((Int64) -> Void)?,
    _ predicate: (Int, Int64) -> Bool
  ) -> [Int] {
    guard let touchKeys else {
      return rows.partitionPoints(
        in: ranks, touch: { touch($0.number) }, { predicate($0, $1.number) })
    }
    return rows.partitionPoints(
      in: ranks, touch: { touch($0.number) }, touchKeys: { touchKeys($0.number) },
      { predicate($0, $1.number) })
  }

  /// The objects' numbers of all rows, in order.
  ///
  /// - Complexity: O(*n*).
  package var numbers: [Int64] {
    var numbers: [Int64] = []
    numbers.reserveCapacity(rowCount)
    while numbers.count < rowCount { numbers += run(from: numbers.count) }
    return numbers
  }

  /// Returns numbers from a rank on, up to the end of a leaf.
  package func run(from rank: Int) -> [Int64] { rows.run(from: rank).map(\.number) }

  func removeRow(at rank: Int) {
    let locator = located
    locator.leaves[rows.remove(at: rank).number] = -1
  }

  func insertRow(_ number: Int64, at rank: Int) {
    _ = located
    rows.insert(Row(number: number), at: rank)
  }

  /// Replaces all rows; the sections stay.
  ///
  /// - Complexity: O(*n*).
  func replaceRows(by numbers: [Int64]) {
    locator.forget()
    rows.replaceAll(by: numbers.lazy.map(Row.init))
  }
}

extension ResultRows {
  /// Replaces a row's number, if there is such a row.
  package func renumber(_ old: Int64, as new: Int64) {
    guard let rank = rank(of: old) else { return }
    removeRow(at: rank)
    insertRow(new, at: rank)
  }
}

// MARK: - Sections

extension ResultRows {
  package var sectionCount: Int { sections.count }

  /// Returns the index of the section that holds a rank, and the row in it.
  package func indexPath(ofRank rank: Int) -> ResultsIndexPath {
    guard isSectioned else { return ResultsIndexPath(section: 0, row: rank) }
    let found = sections.find(weight: rank)
    return ResultsIndexPath(section: found.rank, row: found.offset)
  }

  /// A section with its index and ranks.
  package struct SectionPlace {
    fileprivate let number: Int32
    package let index: Int
    package let firstRank: Int
    package let rowCount: Int

    /// The ranks of its rows.
    package var ranks: Range<Int> { firstRank..<firstRank + rowCount }
  }

  /// Returns the section that holds a rank.
  package func section(ofRank rank: Int) -> SectionPlace {
    place(sections.find(weight: rank), holding: rank)
  }

  /// Returns the sections that hold some ranks.
  package func sections(ofRanks ranks: [Int]) -> [SectionPlace] {
    if ranks.count == 1 { return [section(ofRank: ranks[0])] }
    return zip(sections.find(weights: ranks), ranks).map { place($0, holding: $1) }
  }

  private func place(
    _ found: CountedTree<SectionSlot>.Found, holding rank: Int
  ) -> SectionPlace {
    SectionPlace(
      number: found.element.number, index: found.rank, firstRank: rank - found.offset,
      rowCount: found.element.rowCount)
  }

  /// Returns the section of a name, or nil if there is none.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  package func place(named name: ScalarString) -> SectionPlace? {
    guard let number = directory.number(named: name), let found = find(number) else { return nil }
    return SectionPlace(
      number: number, index: found.index, firstRank: found.firstRank,
      rowCount: found.slot.rowCount)
  }

  /// Returns the name of a section in the form for lookups.
  package func key(of place: SectionPlace) -> ScalarString { directory.key(of: place.number) }

  /// Returns the name of the section at an index.
  package func name(ofSection index: Int) -> String {
    directory.key(of: sections[index].number).string
  }

  /// Returns the section at an index.
  package func section(at index: Int) -> SectionReference {
    directory.reference(to: sections[index].number)
  }

  /// Returns how many rows the section at an index has.
  package func rowCount(ofSection index: Int) -> Int { sections[index].rowCount }

  /// Returns the rank of a section's first row.
  package func firstRank(ofSection index: Int) -> Int { sections.weight(before: index) }

  /// Returns the section of a name, or nil if there is none.
  package func section(named name: ScalarString) -> SectionReference? {
    directory.number(named: name).map(directory.reference)
  }

  /// Returns the index of a section and the number of rows before it, or nil if it no longer
  /// exists.
  package func position(of section: SectionReference) -> (index: Int, firstRank: Int)? {
    directory.number(of: section).flatMap(find).map { ($0.index, $0.firstRank) }
  }

  private func find(
    _ number: Int32
  ) -> (slot: SectionSlot, index: Int, firstRank: Int)? {
    guard let leaf = sections.leaf(directory.leaf(of: number)),
      let offset = leaf.elements.firstIndex(where: { $0.number == number })
    else { return nil }
    let position = sections.position(inLeaf: leaf, offset: offset)
    return (leaf.elements[offset], position.rank, position.weight)
  }

  func removeSection(at index: Int) { directory.remove(sections.remove(at: index).number) }

  func insertSection(named name: ScalarString, rowCount: Int, at index: Int) {
    sections.insert(SectionSlot(number: directory.add(name), rowCount: rowCount), at: index)
  }

  func addRows(_ difference: Int, toSection index: Int) {
    sections.update(at: index) { $0.rowCount += difference }
  }

  /// Returns the rows and sections as they are now.
  ///
  /// - Parameter old: An earlier image of these results, with which the new one shares what has not
  ///   changed.
  func image(after old: ResultsImage?) -> ResultsImage {
    ResultsImage(
      rows: .image(of: rows, after: old?.rows, \.number),
      sections: .image(of: sections, after: old?.sections) {
        ResultsImage.Section(name: directory.key(of: $0.number), rowCount: $0.rowCount)
      })
  }

  /// Stops the program if the structure is inconsistent.
  ///
  /// - Complexity: O(*n*); for tests.
  package func checkInvariants() {
    rows.checkInvariants()
    sections.checkInvariants()
    require(sections.weight == rows.count, "the sections' rows do not add up")
    for rank in 0..<rowCount {
      require(self.rank(of: number(at: rank)) == rank, "a row is not found again")
    }
    for index in 0..<sectionCount {
      require(!isSectioned || rowCount(ofSection: index) > 0, "a section is empty")
      require(position(of: section(at: index))?.index == index, "a section is lost")
    }
    require(directory.count == sectionCount, "the names do not match the sections")
  }
}

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
