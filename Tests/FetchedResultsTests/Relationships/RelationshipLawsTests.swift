import Basics
import FetchedResults
import NaiveModel
import RandomLaws
import Testing

@Suite("laws of relationships, under random editing")
struct RelationshipLawsTests {
  @Test("both sides agree, and nothing leads to what is gone")
  func laws() throws {
    // Six seeds have all pairs of a delete rule and an order.
    for seed in LawSeeds(seconds: 0.5, atLeast: 6) {
      var editor = try Editor(seed: seed)
      for step in 0..<120 {
        let what = try editor.edit()
        if let fault = editor.fault() {
          Issue.record("seed \(seed), step \(step): \(what): \(fault)")
          return
        }
      }
    }
  }
}

/// Edits a bookcase at random.
private struct Editor {
  let bookcase: Bookcase
  var generator: SeededGenerator
  let isCascading: Bool

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    isCascading = seed.isMultiple(of: 2)
    bookcase = try Bookcase(
      booksRule: isCascading ? .cascade : .nullify, booksAreOrdered: seed.isMultiple(of: 3))
  }

  private var objects: [ManagedObject] {
    [bookcase.author, bookcase.book, bookcase.shelf].flatMap {
      bookcase.context.registeredObjects(of: $0)
    }.filter { !$0.isDeleted }
  }

  mutating func edit() throws -> String {
    let context = bookcase.context
    switch Int.random(in: 0..<10, using: &generator) {
    case 0, 1:
      let entities = [bookcase.author, bookcase.book, bookcase.manga, bookcase.shelf]
      let entity = try #require(entities.randomElement(using: &generator))
      return "insert \(context.insert(entity).objectID)"
    case 2:
      guard let object = objects.randomElement(using: &generator) else { return "nothing" }
      context.delete(object)
      return "delete \(object.objectID)"
    case 3:
      context.processPendingChanges()
      return "process"
    case 4:
      try context.save()
      return "save"
    case 5 where Bool.random(using: &generator):
      context.rollback()
      return "rollback"
    default: return try relate()
    }
  }

  private mutating func relate() throws -> String {
    guard let object = objects.randomElement(using: &generator),
      let ordinal = object.entity.relationships.indices.randomElement(using: &generator)
    else { return "nothing" }
    let relationship = object.entity.relationships[ordinal]
    let candidates = objects.filter { candidate in
      relationship.destination == "Book"
        ? candidate.entity.isKindOf(entity: bookcase.book)
        : candidate.entity.name == relationship.destination
    }.map(\.objectID)
    let chosen = candidates.shuffled(using: &generator)
      .prefix(Int.random(in: 0...3, using: &generator)).map(PropertyValue.object)
    guard relationship.isToMany else {
      try object.setValue(chosen.first ?? .null, forKey: relationship.name)
      return "\(object.objectID).\(relationship.name) = \(chosen.first ?? .null)"
    }
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: try object.setValue(.list(chosen), forKey: relationship.name)
    case 1: try object.add(.list(chosen), to: ordinal)
    default: try object.remove(.list(chosen), from: ordinal)
    }
    return "\(object.objectID).\(relationship.name) ± \(chosen)"
  }

  /// Returns the first violation of a law; nil if there is none.
  func fault() -> String? {
    let context = bookcase.context
    let isSettled = !context.hasUnprocessedChanges
    let isSaved = !context.hasChanges
    for object in objects {
      for (ordinal, relationship) in object.entity.relationships.enumerated() {
        let place = "\(object.objectID).\(relationship.name)"
        let members = object.members(at: ordinal)
        if Set(members).count < members.count { return "\(place) has \(members) twice" }
        if relationship.isToMany, !relationship.isOrdered {
          let numbers = members.map(\.number)
          if numbers != numbers.sorted() { return "\(place) has \(members) out of order" }
        }
        for id in members {
          guard let other = context.findObject(with: id) else {
            if isSaved { return "\(place) leads to \(id), which is gone after a save" }
            if relationship.inverse != nil { return "\(place) leads to \(id), which is gone" }
            continue
          }
          guard let inverse = relationship.inverse else { continue }
          if other.isDeleted {
            if isSettled { return "\(place) leads to \(id), which is deleted" }
          } else if let back = other.entity.relationshipOrdinal(named: inverse),
            !other.members(at: back).contains(object.objectID)
          {
            return "\(place) leads to \(id), which does not lead back"
          }
        }
      }
    }
    return nil
  }
}
