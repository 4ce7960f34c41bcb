import Foundation

/// A number that orders as a key's value does, as far as 64 bits go.
///
/// Most comparisons of a long sort are then made on numbers that lie side by
/// side, and do not touch the values.
package struct SortCode {
  package let number: UInt64
  /// Whether another value of the attribute has another number.
  package let isExact: Bool

  private init(_ number: UInt64, isExact: Bool) {
    self.number = number
    self.isExact = isExact
  }

  /// Creates the code of a value by its own order, ascending.
  package init(_ value: PropertyValue) {
    switch value {
    case .null: self.init(0, isExact: true)
    case .bool(let value): self.init(Self.present | (value ? 1 : 0), isExact: true)
    case .int(let value):
      let bound: Int64 = 1 << 62
      let near = min(max(value, -bound), bound - 1)
      self.init(Self.present | UInt64(near + bound), isExact: near == value)
    case .double(let value): self.init(double: value)
    case .date(let value): self.init(double: value.timeIntervalSinceReferenceDate)
    case .string(let value):
      var value = value
      self = value.withUTF8 { Self(bytes: $0) }
    case .decimal, .uuid, .uri, .data, .object, .list:
      self.init(Self.present, isExact: false)
    }
  }

  /// How many bytes of a text a code has.
  static let textLength = LetterRanks.codeLength

  /// Creates the code of bytes from an offset on; the bytes order as `memcmp` has it.
  init(bytes: UnsafeBufferPointer<UInt8>, from offset: Int = 0) {
    let left = max(bytes.count - offset, 0)
    if left > Self.textLength, let start = bytes.baseAddress {
      let eight = UnsafeRawPointer(start + offset).loadUnaligned(as: UInt64.self)
      self.init(Self.present | UInt64(bigEndian: eight) >> 8, isExact: false)
      return
    }
    var number: UInt64 = 0
    var hasZero = false
    for index in 0..<Self.textLength {
      let byte = index < left ? bytes[offset + index] : 0
      number = number << 8 | UInt64(byte)
      hasZero = hasZero || index < left && byte == 0
    }
    // A shorter text and one that continues with a zero have the same code.
    self.init(Self.present | number, isExact: !hasZero)
  }

  /// Whether a text with this code may be longer than the code's part of it.
  ///
  /// Then all texts with this code are, since none of them ends within that part.
  static func mayContinue(_ code: UInt64) -> Bool {
    (0..<textLength).allSatisfy { code >> UInt64($0 * 8) & 0xFF != 0 }
  }

  /// Creates the code of a text by that of its letters.
  init(letters code: UInt64) { self.init(Self.present | code, isExact: false) }

  private init(double value: Double) {
    guard !value.isNaN else {
      self.init(Self.present, isExact: false)
      return
    }
    // Positive zero and negative zero are the same.
    let bits = (value == 0 ? 0 : value).bitPattern
    let ordered = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    self.init(Self.present | ordered >> 1, isExact: false)
  }

  /// Set in every code but that of null, which comes before all others.
  private static let present: UInt64 = 1 << 63
}

/// The bytes by which strings of rows compare where comparing the strings
/// themselves is dear: by folding or by the rules of a locale.
///
/// Bounded: each place of the table has one row's bytes at most. Rows that are compared again and
/// again, those at the top of each search, get one. A row that is met once is compared as it is,
/// which is cheaper than computing its bytes. Texts that ``LetterRanks`` tells apart need none.
/// An entry has its string, which is compared at each use. So a changed row needs no notice.
package final class CollationKeys {
  private struct Entry {
    var number: Int64
    var key: Int
    var text: String
    var value: CollationKey
  }

  private let capacity: Int
  // A comparison calls no code that uses the table.
  /// By place; made for the first string, since most controllers need none.
  @exclusivity(unchecked) private var entries: ContiguousArray<Entry?> = []
  /// For each place the row that was met there last without an entry.
  @exclusivity(unchecked) private var met: ContiguousArray<UInt64> = []

  /// - Parameter capacity: How many keys are kept at most.
  package init(capacity: Int = 16_384) {
    var size = 1
    while size * 2 <= capacity { size *= 2 }
    self.capacity = size
  }

  /// Compares a row's string with the key of another one.
  ///
  /// - Parameters:
  ///   - number: The row.
  ///   - key: Which of the sort keys.
  ///   - order: How strings compare.
  ///   - other: The key of the other string, with its text.
  /// - Returns: A negative number where the row comes first, 0 or a positive number.
  /// - Complexity: O(1) comparisons of bytes where the row is known.
  func compare(
    _ text: String, number: Int64, key: Int, order: StringOrder, with other: CollationProbe
  ) -> Int {
    if let result = order.compareLetters(text, other.text) { return result }
    if entries.isEmpty {
      entries = ContiguousArray(repeating: nil, count: capacity)
      met = ContiguousArray(repeating: 0, count: capacity)
    }
    var hash = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(key)
    hash ^= hash >> 29
    let place = Int(hash & UInt64(capacity - 1))
    if entries[place]?.number == number, entries[place]?.key == key,
      entries[place]?.text.hasSameScalars(as: text) == true,
      let result = entries[place]?.value.compare(with: other.key)
    {
      return result
    }
    // Nearly all rows of a search are met once: those at its end.
    guard met[place] == hash else {
      met[place] = hash
      return order.compare(text, other.text)
    }
    let value = CollationKey(order.key(for: text))
    entries[place] = Entry(number: number, key: key, text: text, value: value)
    return value.compare(with: other.key)
  }

  /// How many keys are kept.
  package var count: Int { entries.count { $0 != nil } }
}

/// Bytes that compare as a string does, and their beginning as numbers.
struct CollationKey {
  private let first: UInt64
  private let second: UInt64
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    first = Self.number(bytes, from: 0)
    second = Self.number(bytes, from: 8)
  }

  private static func number(_ bytes: [UInt8], from start: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in start..<start + 8 {
      number = number << 8 | UInt64(index < bytes.count ? bytes[index] : 0)
    }
    return number
  }

  @inline(__always)
  func compare(with other: Self) -> Int {
    if first != other.first { return first < other.first ? -1 : 1 }
    if second != other.second { return second < other.second ? -1 : 1 }
    return bytes.withUnsafeBufferPointer { a in
      other.bytes.withUnsafeBufferPointer { b in a.comparedBytes(with: b) }
    }
  }
}

/// A string that is compared with those of many rows, with its key.
final class CollationProbe {
  let text: String
  private let order: StringOrder
  /// Computed for the first row that needs it, since many searches meet none.
  private(set) lazy var key = CollationKey(order.key(for: text))

  init(text: String, order: StringOrder) {
    self.text = text
    self.order = order
  }
}

/// What a row is compared with many others by, as far as the codes of its first
/// two sort keys tell them apart.
///
/// It refers to nothing, and a comparison holds nothing: so the processor goes
/// on to the next one while it waits for an object.
package struct ProbeCode {
  @usableFromInline package struct Part {
    @usableFromInline let attribute: Int
    @usableFromInline let ascending: Bool
    @usableFromInline let code: SortCode

    init(_ key: RowOrder.Key, _ snapshot: ObjectSnapshot) {
      attribute = key.attribute
      ascending = key.ascending
      code = SortCode(snapshot[key.attribute])
    }
  }

  @usableFromInline let first: Part
  @usableFromInline let second: Part?

  /// - Returns: Nil if the order compares strings otherwise than by their own bytes, or has no key.
  package init?(_ snapshot: ObjectSnapshot, order: RowOrder) {
    guard order.comparesPlainly, let key = order.keys.first else { return nil }
    first = Part(key, snapshot)
    second = order.keys.count > 1 ? Part(order.keys[1], snapshot) : nil
  }

  /// Returns whether another row comes before this one, or nil if the codes do not tell.
  ///
  /// - Parameter value: Gives the other row's value of an attribute.
  @inlinable @inline(__always)
  package func isAfter(_ value: (Int) -> PropertyValue) -> Bool? {
    let other = SortCode(value(first.attribute))
    if other.number != first.code.number {
      return first.ascending == (other.number < first.code.number)
    }
    guard let second, other.isExact, first.code.isExact else { return nil }
    let next = SortCode(value(second.attribute))
    guard next.number != second.code.number else { return nil }
    return second.ascending == (next.number < second.code.number)
  }
}

/// A row that is compared with many others: what its keys cost is paid once.
package final class RowProbe {
  private let order: RowOrder
  private let number: Int64
  private let snapshot: ObjectSnapshot
  /// For each sort key the string with the bytes to compare by, where those are not the
  /// value's own.
  private let probes: [CollationProbe?]
  private let cache: CollationKeys
  /// The letters of the keys' locale, if all keys compare by bytes or by letters.
  private let ranks: LetterRanks?
  private let places: [Place]

  /// What a comparison by letters needs of a sort key, without a reference to anything.
  private struct Place {
    let attribute: Int
    let ascending: Bool
    let isByLetters: Bool
    let isNumeric: Bool
  }

  /// - Parameter cache: Keeps the bytes of the rows that this one is compared
  ///   with.
  package init(
    _ snapshot: ObjectSnapshot, number: Int64, order: RowOrder, cache: CollationKeys
  ) {
    self.order = order
    self.number = number
    self.snapshot = snapshot
    self.cache = cache
    probes =
      order.comparesPlainly ? [] : order.keys.map { $0.collationProbe(of: snapshot) }
    var ranks = order.comparesPlainly ? nil : LetterRanks.root
    places =
      order.comparesPlainly
      ? []
      : order.keys.map { key in
        let collator: Collator? =
          switch key.strings {
          case .collated(let collator): collator
          case .scalars, .folded: nil
          }
        if !key.strings.isPlain, collator?.ranks == nil { ranks = nil }
        return Place(
          attribute: key.attribute, ascending: key.ascending, isByLetters: collator != nil,
          isNumeric: collator?.isNumeric == true)
      }
    self.ranks = ranks
  }

  /// Returns whether another row comes before this one.
  @inline(__always)
  package func isAfter(_ other: ObjectSnapshot, _ otherNumber: Int64) -> Bool {
    order.comparesPlainly
      ? order.compare(other, otherNumber, snapshot, number) < 0
      : isAfter(otherNumber) { other[$0] }
  }

  /// Returns whether another row comes before this one, where strings compare by their own bytes;
  /// nil if a key is neither a text nor a whole number.
  ///
  /// It counts no reference. So a search need not wait for a row before it looks at the next one.
  @inline(__always)
  func isPlainlyAfter(_ other: ObjectSnapshot, _ otherNumber: Int64) -> Bool? {
    for key in 0..<order.keys.count {
      guard let result = other.comparePlainly(at: order.keys[key].attribute, with: snapshot) else {
        return nil
      }
      if result != 0 { return order.keys[key].ascending == (result < 0) }
    }
    return otherNumber < number
  }

  /// Returns whether another row comes before this one, where strings compare by the rules of a
  /// locale; nil if letters and whole numbers do not tell.
  ///
  /// It counts no reference, like ``isPlainlyAfter(_:_:)``.
  @inline(__always)
  func isAfterByLetters(_ other: ObjectSnapshot) -> Bool? {
    guard let ranks else { return nil }
    for index in 0..<places.count {
      let place = places[index]
      let result = other.compare(at: place.attribute, with: snapshot) { left, right in
        place.isByLetters
          ? ranks.compare(left, right, isNumeric: place.isNumeric)
          : left.comparedBytes(with: right)
      }
      guard let result else { return nil }
      if result != 0 { return place.ascending == (result < 0) }
    }
    return nil
  }

  /// Whether strings compare otherwise than by their own bytes, so that ``ProbeCode`` does not
  /// help.
  package var comparesByKeys: Bool { !order.comparesPlainly }

  /// Returns whether another row comes before this one, where strings compare by keys.
  ///
  /// - Parameter value: Gives the other row's value of an attribute.
  package func isAfter(_ otherNumber: Int64, _ value: (Int) -> PropertyValue) -> Bool {
    for index in order.keys.indices {
      let attribute = order.keys[index].attribute
      let other = value(attribute)
      let result: Int
      if let mine = probes[index], case .string(let text) = other {
        result = cache.compare(
          text, number: otherNumber, key: index, order: order.keys[index].strings, with: mine)
      } else {
        result = order.keys[index].compare(other, snapshot[attribute])
      }
      if result != 0 { return order.keys[index].ascending == (result < 0) }
    }
    return otherNumber < number
  }
}

extension RowOrder.Key {
  /// Returns a row's string with its bytes; nil if its value compares as it is.
  fileprivate func collationProbe(of snapshot: ObjectSnapshot) -> CollationProbe? {
    guard !strings.isPlain, case .string(let text) = snapshot[attribute] else { return nil }
    return CollationProbe(text: text, order: strings)
  }
}

/// Reads the value that a key path of a sort or a section leads to: an
/// attribute, or one of an object on the other side of to-one relationships.
struct KeyReader: Sendable {
  /// The to-one relationships on the way, by their ordinals.
  private let steps: [Int]
  private let end: End

  private enum End: Sendable {
    case attribute(String)
    case relationship(Int)
  }

  /// Looks a key path up.
  ///
  /// - Parameter isSort: Whether the values are sorted by, which transient ones
  ///   cannot be.
  /// - Throws: ``FetchError`` with Apple's text: for an unknown key, a
  ///   transient one to sort by, a to-many relationship or a collection
  ///   operator.
  init(_ keyPath: String, entity: EntityDescription, isSort: Bool) throws(FetchError) {
    if keyPath.contains("@") { throw FetchError.aggregateKeyPath(keyPath) }
    var steps: [Int] = []
    var owner = entity
    var end: End?
    for key in keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
      if case .relationship(let ordinal)? = end {
        steps.append(ordinal)
        do throws(ModelError) {
          owner = try owner.link(at: ordinal).destination
        } catch {
          throw FetchError.model(error)
        }
        end = nil
      }
      guard end == nil, let index = owner.propertyIndex(named: key) else {
        throw FetchError.unknownKeyPath(keyPath, entity: entity.name)
      }
      if isSort, owner.isTransient(at: index) {
        throw FetchError.transientKeyPath(keyPath, key: key, entity: entity.name)
      }
      if index < owner.attributes.count {
        end = .attribute(key)
      } else {
        let ordinal = index - owner.attributes.count
        if owner.relationships[ordinal].isToMany { throw FetchError.toManyKey }
        end = .relationship(ordinal)
      }
    }
    guard let end else { throw FetchError.unknownKeyPath(keyPath, entity: entity.name) }
    self.steps = steps
    self.end = end
  }

  /// Returns the value for an object; null where something on the way is.
  func value(of object: ObjectValues) -> PropertyValue {
    var object = object
    for ordinal in steps {
      guard let id = object.member(at: ordinal), let next = object.values(of: id) else {
        return .null
      }
      object = next
    }
    switch end {
    case .attribute(let key): return object.value(forKey: key) ?? .null
    case .relationship(let ordinal):
      return object.member(at: ordinal).map(PropertyValue.object) ?? .null
    }
  }
}

extension ObjectValues {
  /// The object on the other side of a to-one relationship.
  fileprivate func member(at ordinal: Int) -> ObjectID? {
    snapshot[objectID.entity.attributes.count + ordinal].objectID
  }
}
