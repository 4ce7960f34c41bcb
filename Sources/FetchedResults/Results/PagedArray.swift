/// An array over all of the integers from 0 up, in pages that exist only where
/// something was stored.
///
/// Objects are numbered densely from 1, so a page is well filled, and a lookup
/// is two loads instead of a hash.
package struct PagedArray<Element> {
  private static var pageSize: Int { 1024 }

  private var pages: ContiguousArray<ContiguousArray<Element>> = []
  private let placeholder: Element

  package init(placeholder: Element) { self.placeholder = placeholder }

  /// Creates an array of elements from index 0 on.
  package init(_ elements: ContiguousArray<Element>, placeholder: Element)
  where Element: Equatable {
    self.placeholder = placeholder
    for start in stride(from: 0, to: elements.count, by: Self.pageSize) {
      let end = min(start + Self.pageSize, elements.count)
      var page = ContiguousArray(elements[start..<end])
      if page.allSatisfy({ $0 == placeholder }) {
        pages.append([])
        continue
      }
      page.append(contentsOf: repeatElement(placeholder, count: Self.pageSize - page.count))
      pages.append(page)
    }
  }

  /// The element at an index; the placeholder where none was stored.
  package subscript(index: Int64) -> Element {
    @inline(__always) get {
      let page = Int(index) / Self.pageSize
      guard index >= 0, page < pages.count, !pages[page].isEmpty else { return placeholder }
      return pages[page][Int(index) % Self.pageSize]
    }
    set {
      let page = Int(index) / Self.pageSize
      while pages.count <= page { pages.append([]) }
      if pages[page].isEmpty {
        pages[page] = ContiguousArray(repeating: placeholder, count: Self.pageSize)
      }
      pages[page][Int(index) % Self.pageSize] = newValue
    }
  }

  /// The elements of every page that exists, placeholders included.
  package var stored: some Sequence<Element> { pages.lazy.joined() }

  package mutating func removeAll() { pages = [] }
}
