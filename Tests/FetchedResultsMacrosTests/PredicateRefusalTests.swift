import FetchedResultsMacros
import Foundation
import Testing

/// A predicate that no store can check is refused with an error that names the expression.
@Suite("Refused predicates")
struct PredicateRefusalTests {
  /// A predicate, a part of the name of the refused expression, and the reason.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let predicate: Predicate<Book>
    let reason: String

    init(_ name: String, _ predicate: Predicate<Book>, _ reason: String) {
      testDescription = name
      self.predicate = predicate
      self.reason = reason
    }
  }

  private static let counts = [1, 2]
  private static let places =
    "the format language does not look into a string by places; use contains, "
    + "starts(with:) or isEmpty"
  private static let unknown = "the format language has no such operation"

  static let cases: [Case] = {
    let counts = Self.counts
    return [
      Case(
        "Book", #Predicate { $0.isLong },
        "it is not an attribute or relationship of Book; a store does not know what a class computes"
      ),
      Case("title.collectionCount", #Predicate { $0.title.count > 3 }, places),
      Case("title.", #Predicate { $0.title.first == nil }, places),
      Case("title.", #Predicate { $0.title.last == nil }, places),
      Case(
        "shelf.books.collectionFirst", #Predicate { $0.shelf.flatMap { $0.books.first } == nil },
        "a store does not know the order of objects; use contains(where:)"),
      Case("SequenceMaximum", #Predicate { (counts.max() ?? 0) == $0.pages }, unknown),
      Case("SequenceMinimum", #Predicate { (counts.min() ?? 0) == $0.pages }, unknown),
      Case("title.", #Predicate { $0.title.hashValue == 3 }, places),
      Case(
        "CollectionIndexSubscript", #Predicate { $0.shelf.flatMap { $0.books[0].pages } == 3 },
        unknown),
    ]
  }()

  @Test("are described in the same words by 'localizedDescription'")
  func localized() {
    let error = #expect(throws: PredicateTranslationError.self) {
      try FetchPredicate(#Predicate<Book> { $0.isLong })
    }
    #expect(error?.localizedDescription == error?.description)
  }

  @Test("name the expression and a way out", arguments: Self.cases)
  func refusal(_ test: Case) throws {
    let error = #expect(throws: PredicateTranslationError.self) {
      try FetchPredicate(test.predicate)
    }
    #expect(error?.reason == test.reason)
    #expect(error?.expression.contains(test.testDescription) == true, "\(error?.expression ?? "")")
    #expect(error?.description == "cannot fetch by \(error?.expression ?? ""): \(test.reason)")
  }

  @Test("a raw value of what cannot list its cases")
  func rawValue() throws {
    let error = #expect(throws: PredicateTranslationError.self) {
      try FetchPredicate(#Predicate<Shelf> { $0.mark.rawValue > 0 })
    }
    #expect(
      error?.reason
        == "a store knows the raw value of Mark only; compare with a value of the type, or let it "
        + "be CaseIterable and ask for rawValue")
  }
}
