import FetchedResults
import ScriptRuntime
import ScriptSyntax

/// Finds objects by their shown text: `Book/` lists the books by their titles, and a part of a
/// title finds the book.
struct NamedObjects {
  let session: Session
  /// The largest number of objects that are searched.
  private static let reach = 20_000

  /// An object and its shown text.
  struct Found {
    let id: ObjectID
    let display: String
  }

  /// Returns the objects that a word after `Book/` can mean: those whose number begins with it, or
  /// whose shown text contains a word that does.
  ///
  /// - Parameters:
  ///   - text: The entry.
  ///   - offset: The cursor's position, in UTF-8 bytes.
  ///   - limit: The largest number of objects.
  /// - Returns: The candidates and where the replaced text begins; nil if there is no such word.
  func numbered(
    in text: String, at offset: Int, atMost limit: Int
  ) -> (start: Int, candidates: [(text: String, detail: String)], omitted: Int)? {
    guard let object = TypedObject(in: text, at: offset),
      let entity = session.coordinator.managedObjectModel.entitiesByName[object.entity]
    else { return nil }
    let typed = object.typed
    let isNumber = typed.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    let wanted = typed.utf8.map(Self.folded)
    var candidates: [(text: String, detail: String)] = []
    var omitted = 0
    each(of: entity) { found in
      let number = String(found.id.number)
      guard isNumber ? number.hasPrefix(typed) : Self.holds(found.display, wanted) else {
        return true
      }
      if candidates.count < limit {
        candidates.append((number, found.display.quoted))
      } else {
        omitted += 1
      }
      return limit > 2 || candidates.count < limit
    }
    return (object.start, candidates, omitted)
  }

  /// Returns objects of any entity whose shown text contains a word that begins with `typed`.
  func shown(as typed: String, except known: Set<ObjectID>, atMost limit: Int) -> [Found] {
    guard typed.utf8.count > 1 else { return [] }
    let wanted = typed.utf8.map(Self.folded)
    var found: [Found] = []
    for entity in session.entities.prefix(200)
    where entity.superentity == nil && found.count < limit {
      each(of: entity) { object in
        if Self.holds(object.display, wanted), !known.contains(object.id) { found.append(object) }
        return found.count < limit
      }
    }
    return found
  }

  private func each(of entity: EntityDescription, _ body: (Found) -> Bool) {
    // Most objects have the same entity as the object before.
    var last: EntityDescription?
    var place = -1
    session.context.glance(at: entity, atMost: Self.reach) { id, snapshot in
      if last !== id.entity {
        last = id.entity
        place =
          id.entity.shownAttribute(besides: nil).flatMap { id.entity.propertyIndex(named: $0) }
          ?? -1
      }
      return body(Found(id: id, display: place < 0 ? "" : snapshot[place].description))
    }
  }

  /// Whether a text contains a word with this start.
  ///
  /// Case is ignored.
  ///
  /// - Parameter wanted: The start of the word, folded.
  private static func holds(_ text: String, _ wanted: [UInt8]) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var isStart = true
      // Bytes are compared as numbers, because thousands of objects are searched between two key
      // presses.
      for start in 0..<bytes.count {
        if start + wanted.count > bytes.count { return false }
        var matched = 0
        while isStart, matched < wanted.count, folded(bytes[start + matched]) == wanted[matched] {
          matched += 1
        }
        if isStart, matched == wanted.count { return true }
        let byte = bytes[start]
        isStart = !(byte >= 0x80 || 0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20)
      }
      return false
    }
  }

  private static func folded(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
}
