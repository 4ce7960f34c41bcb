/// An array over all integers, in pages that exist only where an element was stored.
///
/// Objects are numbered densely from 1, so pages are well filled, and a lookup is two loads instead
/// of a hash. But a file may contain any number. Elements at indices below 0, or far above those of
/// objects in memory, are in a dictionary. So the list of pages takes a megabyte at most.
package struct PagedArray<Element> {
  private static var pageSize: Int { 1024 }
  /// How many pages the list may have: 134 million elements.
  private static var mostPages: Int { 1 << 17 }

  private var pages: ContiguousArray<ContiguousArray<Element>> = []
  /// The elements outside of the pages.
  private var far: [Int64: Element] = [:]
  private let placeholder: Element
  /// How many pages have memory.
  private var pageCount = 0

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
      pageCount += 1
    }
  }

  /// The element at an index; the placeholder if none was stored.
  package subscript(index: Int64) -> Element {
    @inline(__always) get {
      let page = Int(index) / Self.pageSize
      guard index >= 0, page < pages.count, !pages[page].isEmpty else { return farElement(index) }
      return pages[page][Int(index) % Self.pageSize]
    }
    @inline(__always) set {
      let page = Int(index) / Self.pageSize
      guard index >= 0, page < pages.count, !pages[page].isEmpty else {
        return setFarElement(index, to: newValue)
      }
      pages[page][Int(index) % Self.pageSize] = newValue
    }
  }

  /// Stores an element for which there may be no page.
  @inline(never)
  private mutating func setFarElement(_ index: Int64, to element: Element) {
    let page = Int(index) / Self.pageSize
    guard index >= 0, page < max(Self.mostPages, pages.count) else {
      far[index] = element
      return
    }
    while pages.count <= page { pages.append([]) }
    if pages[page].isEmpty {
      pages[page] = ContiguousArray(repeating: placeholder, count: Self.pageSize)
      pageCount += 1
    }
    pages[page][Int(index) % Self.pageSize] = element
  }

  /// Not inlined, so that a lookup in a page stays short.
  @inline(never)
  private func farElement(_ index: Int64) -> Element {
    far.isEmpty ? placeholder : far[index] ?? placeholder
  }

  /// How many elements there is memory for, apart from those outside of the pages.
  package var capacity: Int { pageCount * Self.pageSize }

  /// The elements of every existing page by index, placeholders included, and then those outside of
  /// the pages.
  package var stored: some Sequence<Element> { parts.lazy.joined() }

  /// The elements of ``stored``, page by page.
  package var parts: ContiguousArray<ContiguousArray<Element>> {
    if far.isEmpty { return pages }
    return pages + [ContiguousArray(far.sorted { $0.key < $1.key }.map(\.value))]
  }

  package mutating func removeAll() {
    pages = []
    far = [:]
    pageCount = 0
  }

  /// Frees the pages of some indices that have no elements but placeholders.
  ///
  /// - Parameter isPlaceholder: Whether an element is one.
  /// - Complexity: O(*k*) in the indices, and in the elements of their pages.
  package mutating func freePages(
    of indices: some Sequence<Int64>, where isPlaceholder: (Element) -> Bool
  ) {
    for page in Set(indices.map { Int($0) / Self.pageSize }) {
      guard pages.indices.contains(page), !pages[page].isEmpty,
        pages[page].allSatisfy(isPlaceholder)
      else { continue }
      pages[page] = []
      pageCount -= 1
    }
  }
}
