package import FetchedResults

/// The number of things that a session's statements have done so far.
///
/// The difference between two tallies, from before and after a statement, shows what the statement
/// did.
package struct SessionTally: Hashable, Sendable {
  package internal(set) var inserted = 0
  package internal(set) var updated = 0
  package internal(set) var deleted = 0
  package internal(set) var saved = 0
  package internal(set) var rolledBack = 0
  /// The number of turns that were undone or redone.
  package internal(set) var undone = 0
  /// The number of callbacks that controllers have sent.
  package internal(set) var callbacks = 0
  /// The number of changed objects of each entity, by its name.
  package internal(set) var changes: [String: Int] = [:]
  package internal(set) var lastInserted: ObjectID?

  /// Creates the tally of a session in which nothing has run.
  package init() {}

  mutating func noteInsertion(of object: ObjectID, entity: String) {
    noteInsertions(1, of: object, entity: entity)
  }

  /// Counts inserted objects of an entity, and records the last one.
  mutating func noteInsertions(_ count: Int, of last: ObjectID, entity: String) {
    inserted += count
    changes[entity, default: 0] += count
    lastInserted = last
  }

  mutating func noteUpdate(entity: String) {
    updated += 1
    changes[entity, default: 0] += 1
  }

  mutating func noteDeletion(entity: String) {
    deleted += 1
    changes[entity, default: 0] += 1
  }
}
