/// The number of rows of each section, laid over the rows one section after the other.
///
/// A statement that groups rows by the section key gives these numbers. It does not say which rows
/// a section has. If the sections are not in the order of the rows, rows stand under the header of
/// another section.
struct SectionCounts {
  private struct Section {
    let name: String
    let value: PropertyValue
    var count: Int
  }

  /// Whether sections are in ascending order of their values.
  private let ascends: Bool
  private var sections: [Section] = []
  private var places: [ScalarString: Int] = [:]

  /// - Parameter keyPath: The section key path. The direction is that of its sort descriptor, or
  ///   ascending if the rows are not sorted by it.
  init(keyPath: String, _ descriptors: [FetchSortDescriptor]) {
    ascends = descriptors.first { $0.key == keyPath }?.ascending ?? true
  }

  mutating func add(_ name: String, _ value: PropertyValue, count: Int) {
    let key = ScalarString(name)
    if let place = places[key] {
      sections[place].count += count
    } else {
      places[key] = sections.count
      sections.append(Section(name: name, value: value, count: count))
    }
  }

  /// Returns the sections in the order of their values.
  ///
  /// - Complexity: O(*s* log *s*) for *s* sections.
  func order() -> SectionOrder {
    var order = SectionOrder()
    let sorted = sections.sorted { first, second in
      let result = first.value.ordering(second.value) ?? .same
      return ascends ? result == .ascending : result == .descending
    }
    for section in sorted { order.append(section.name, count: section.count) }
    return order
  }
}
