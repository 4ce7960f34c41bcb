/// One edit on the way from a list's old items to its new ones.
package enum ListEdit: Equatable {
  /// Keeps this number of items.
  case keep(Int)
  /// Deletes this number of items.
  case delete(Int)
  case insert([ListItem])
}

extension [ListEdit] {
  /// Creates the edits that turn the old items into the new ones; none if they are equal.
  ///
  /// If an item has moved, the shorter of the two ways from the present place is taken. So a few
  /// changes give few edits, but not always the fewest.
  ///
  /// - Complexity: O(*n*).
  init(from old: [ListItem], to new: [ListItem]) {
    self = []
    var start = 0
    let shorter = Swift.min(old.count, new.count)
    while start < shorter, old[start] == new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    guard start + end < Swift.max(old.count, new.count) else { return }

    append(.keep(start))
    addMiddle(old[start..<old.count - end], new[start..<new.count - end])
    append(.keep(end))
  }

  private mutating func addMiddle(_ old: ArraySlice<ListItem>, _ new: ArraySlice<ListItem>) {
    let oldPlaces = Self.places(of: old)
    let newPlaces = Self.places(of: new)
    var (i, j) = (old.startIndex, new.startIndex)
    while i < old.endIndex || j < new.endIndex {
      if i < old.endIndex, j < new.endIndex, old[i] == new[j] {
        add(.keep(1))
        i += 1
        j += 1
        continue
      }
      // The distance to the place of each item in the other list, if it is there at all.
      let next = i < old.endIndex ? newPlaces[old[i]].map { $0 - j } : nil
      let wanted = j < new.endIndex ? oldPlaces[new[j]].map { $0 - i } : nil
      let isGoing =
        i < old.endIndex
        && (j == new.endIndex || next.map { $0 < 0 } ?? true
          || wanted.map { $0 > 0 && $0 < next ?? 0 } ?? false)
      if isGoing {
        add(.delete(1))
        i += 1
      } else {
        add(.insert([new[j]]))
        j += 1
      }
    }
  }

  private static func places(of items: ArraySlice<ListItem>) -> [ListItem: Int] {
    Dictionary(zip(items, items.indices), uniquingKeysWith: { first, _ in first })
  }

  /// Appends an edit, or adds it to the last one if both have the same kind.
  private mutating func add(_ edit: ListEdit) {
    switch (last, edit) {
    case (.keep(let count)?, .keep(let more)): self[self.count - 1] = .keep(count + more)
    case (.delete(let count)?, .delete(let more)): self[self.count - 1] = .delete(count + more)
    case (.insert(let items)?, .insert(let more)): self[self.count - 1] = .insert(items + more)
    case (nil, _), (.keep, _), (.delete, _), (.insert, _): append(edit)
    }
  }
}
