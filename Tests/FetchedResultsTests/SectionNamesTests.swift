import FetchedResults
import Foundation
import Testing

@Suite("how sections are named")
struct SectionNamesTests {
  let shelf: Shelf

  init() throws { shelf = try Shelf() }

  private let nilLine =
    "CoreData: error: (NSFetchedResultsController) A section returned nil value for section name "
    + "key path 'publisher'. Objects will be placed in unnamed section"

  @Test("a nil value goes to a section without a name, with one console line a fetch")
  func nilValue() throws {
    var console: [String] = []
    shelf.context.console = { console.append($0) }
    shelf.insert("n1")
    shelf.insert("n2")
    shelf.insert("a", "A")

    let (controller, delegate) = try shelf.tracked(sort: "publisher", section: "publisher")
    #expect(controller.shown == [": n1, n2", "A: a"])
    #expect(console == [nilLine])

    shelf.insertInTurn("n3")
    #expect(console == [nilLine, nilLine])
    #expect(delegate.history == ["will", "insert n3 -> [0, 2]", "did"])
  }

  @Test("nil and an empty name are one section")
  func nilAndEmpty() throws {
    shelf.insert("n")
    shelf.insert("e", "")
    let (controller, delegate) = try shelf.tracked(sort: "publisher", section: "publisher")
    #expect(controller.shown == [": n, e"])

    shelf.insert("e2", "")
    #expect(delegate.received() == ["will", "insert e2 -> [0, 2]", "did"])
  }

  @Test("Booleans give 0 and 1")
  func booleans() throws {
    shelf.insert("yes")["isAvailable"] = true
    shelf.insert("no")["isAvailable"] = false
    let (controller, _) = try shelf.tracked(sort: "isAvailable", section: "isAvailable")
    #expect(controller.shown == ["0: no", "1: yes"])
  }

  @Test("numbers and dates give their description, a date in UTC")
  func descriptions() throws {
    let object = shelf.insert("a", pages: 12)
    object["price"] = 2.5
    object["published"] = .date(Date(timeIntervalSinceReferenceDate: 0))
    for (key, name) in [
      ("pages", "12"), ("price", "2.5"), ("published", "2001-01-01 00:00:00 +0000"),
    ] {
      let (controller, _) = try shelf.tracked(sort: key, section: key)
      #expect(controller.shown == ["\(name): a"])
    }
  }

  @Test("numbers that are equal are in one section: zero, whatever its sign, and all NaNs")
  func zeros() throws {
    for (index, price) in [0, -0.0, 0, Double.nan, -Double.nan].enumerated() {
      shelf.insert("\(index)")["price"] = .double(price)
    }
    let (controller, delegate) = try shelf.tracked(sort: "price", section: "price")
    #expect(controller.shown == ["nan: 3, 4", "0: 0, 1, 2"])

    shelf.insert("5")["price"] = -0.0
    #expect(delegate.received() == ["will", "insert 5 -> [1, 3]", "did"])
  }

  @Test("dates of any year are named by the calendar that prints them")
  func dates() throws {
    let times = [-63_114_076_800, -13_197_686_400, -978_307_200.5, 252_423_993_599]
    for (title, time) in zip(["a", "b", "c", "d"], times) {
      shelf.insert(title)["published"] = .date(Date(timeIntervalSinceReferenceDate: time))
    }
    let (controller, _) = try shelf.tracked(sort: "published", section: "published")
    let names: [String] = [
      "0001-01-01 00:00:00 +0000: a", "1582-10-04 00:00:00 +0000: b",
      "1969-12-31 23:59:59 +0000: c", "9999-12-31 23:59:59 +0000: d",
    ]
    #expect(controller.shown == names)
  }

  @Test("names that differ in their scalars alone are two sections")
  func normalisation() throws {
    shelf.insert("composed", "\u{E9}")
    shelf.insert("decomposed", "e\u{301}")
    let (controller, _) = try shelf.tracked(sort: "publisher", section: "publisher")
    #expect(controller.sections?.map(\.objects.count) == [1, 1])
    #expect(controller.shown == ["e\u{301}: decomposed", "\u{E9}: composed"])
  }

  @Test("a section key path that the entity lacks is a fetch error")
  func unknownKeyPath() throws {
    let controller = try shelf.controller(sort: "title", section: "colour")
    #expect(throws: FetchedResultsError.fetch(.unknownKeyPath("colour", entity: "Book"))) {
      try controller.performFetch()
    }
  }
}
