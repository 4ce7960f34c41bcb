package import FetchedResults
import Foundation
import Synchronization

/// The number of things that a session's statements have done so far.
///
/// The difference between two tallies, from before and after a statement, shows what the statement
/// did.
package struct SessionTally: Hashable, Sendable {
  package internal(set) var inserted = 0
  package internal(set) var updated = 0
  package internal(set) var deleted = 0
  package internal(set) var saved = 0
  /// The number of batch requests that were carried out.
  package internal(set) var batches = 0
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

  /// Returns the objects that were inserted, updated and deleted since an earlier tally.
  func since(_ earlier: SessionTally) -> SessionTally {
    var tally = SessionTally()
    tally.inserted = inserted - earlier.inserted
    tally.updated = updated - earlier.updated
    tally.deleted = deleted - earlier.deleted
    return tally
  }

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

/// Estimates the memory of a session's objects and variables, so that a script that uses too much
/// is stopped before the system kills the program.
///
/// Only memory that stays in use counts. The temporary memory of a statement is not counted. The
/// memory of a deleted object still counts, because undo keeps the object.
package final class MemoryMeter: Sendable {
  private let used = Atomic(0)

  /// Creates a meter for sessions in which nothing has run.
  package init() {}

  /// The approximate number of bytes in use.
  package var bytes: Int { used.load(ordering: .relaxed) }

  /// Counts an inserted object.
  func noteObject(_ values: some Sequence<PropertyValue>) {
    add(values.reduce(Self.bytesPerObject) { $0 + Self.bytes(of: $1) })
  }

  /// Counts a value that an object got.
  func note(_ value: PropertyValue) { add(Self.bytes(of: value)) }

  /// Counts what a variable has instead of its old value; nil if there is no variable.
  @inline(__always)
  func noteVariable(from old: ScriptValue?, to new: ScriptValue?) {
    let change = Self.bytes(of: new) - Self.bytes(of: old)
    if change != 0 { add(change) }
  }

  private func add(_ count: Int) { used.wrappingAdd(count, ordering: .relaxed) }

  /// The size of an object without its values: the object itself, and its entries in the tables of
  /// the context, of undo, and of a controller's results.
  private static let bytesPerObject = 300

  private static func bytes(of variable: ScriptValue?) -> Int {
    if case .value(let value) = variable { bytes(of: value) } else { 0 }
  }

  private static func bytes(of value: PropertyValue) -> Int {
    switch value {
    case .string(let text): text.utf8.count + 16
    case .data(let data): data.count + 16
    case .uri(let uri): uri.absoluteString.utf8.count + 16
    case .list(let elements): elements.reduce(16) { $0 + bytes(of: $1) }
    case .null, .bool, .int, .double, .date, .decimal, .uuid, .object: 16
    }
  }
}

/// A batch request with resolved names and values.
enum BatchRequest {
  case insert(BatchInsertRequest)
  case update(BatchUpdateRequest)
  case delete(BatchDeleteRequest)

  /// How many objects it has in memory.
  var objectCount: Int {
    switch self {
    case .insert(let request): request.objectsToInsert.count
    case .update, .delete: 0
    }
  }

  /// - Throws: The error of the part that failed, for a script's message.
  func execute(in context: ManagedObjectContext) throws -> BatchResult {
    do throws(BatchRequestError) {
      switch self {
      case .insert(let request): return try context.execute(request)
      case .update(let request): return try context.execute(request)
      case .delete(let request): return try context.execute(request)
      }
    } catch {
      switch error {
      case .object(let error): throw error
      case .fetch(let error): throw error
      case .store(let error): throw error
      case .relationship, .transient, .notNumeric, .abstractEntity, .foreignEntity: throw error
      }
    }
  }
}
