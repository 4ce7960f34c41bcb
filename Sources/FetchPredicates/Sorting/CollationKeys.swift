/// The bytes by which strings of rows compare where comparing the strings
/// themselves is dear: by folding or by the rules of a locale.
///
/// Bounded. Rows that are compared again and again, those at the top of each
/// search, stay; the others make room after a while. An entry is known to be
/// right by its string, so that nobody has to say when a row changes.
package final class CollationKeys {
  /// A row's value of one sort key.
  private struct Place: Hashable {
    let number: Int64
    let key: Int
  }

  private struct Entry {
    let text: String
    let bytes: [UInt8]
  }

  private let capacity: Int
  private var young: [Place: Entry] = [:]
  private var old: [Place: Entry] = [:]

  /// - Parameter capacity: How many keys are kept at most.
  package init(capacity: Int = 16_384) { self.capacity = capacity }

  /// Returns the bytes of a row's string, computed where they are not known.
  ///
  /// - Complexity: O(1) where they are known.
  func bytes(of text: String, number: Int64, key: Int, order: StringOrder) -> [UInt8] {
    let place = Place(number: number, key: key)
    if let entry = young[place], entry.text.hasSameScalars(as: text) { return entry.bytes }
    let bytes: [UInt8]
    if let entry = old[place], entry.text.hasSameScalars(as: text) {
      bytes = entry.bytes
    } else {
      bytes = order.key(for: text)
    }
    if young.count >= capacity / 2 {
      old = young
      young.removeAll(keepingCapacity: true)
    }
    young[place] = Entry(text: text, bytes: bytes)
    return bytes
  }

  /// How many keys are kept.
  package var count: Int { young.count + old.count }
}
