import Basics
public import Foundation

/// One save of a store, as the store's history keeps it: Core Data's
/// NSPersistentHistoryTransaction.
public struct PersistentHistoryTransaction: Hashable, Sendable {
  /// The UUID of the store.
  public let storeID: String
  /// The transaction's number; later ones have higher numbers.
  public let transactionNumber: Int64
  /// When the save happened.
  public let timestamp: Date
  /// The `transactionAuthor` of the context that saved.
  public let author: String?
  /// The `name` of the context that saved.
  public let contextName: String?
  /// The name of the process that saved.
  public let processID: String?
  /// The saved changes, each object once.
  public let changes: [PersistentHistoryChange]

  package init(
    storeID: String, transactionNumber: Int64, timestamp: Date, author: TransactionAuthor,
    changes: [PersistentHistoryChange]
  ) {
    self.storeID = storeID
    self.transactionNumber = transactionNumber
    self.timestamp = timestamp
    self.author = author.name
    contextName = author.contextName
    processID = author.processName
    self.changes = changes
  }

  /// The place of the transaction in the store's history.
  ///
  /// Later transactions are fetched with it.
  public var token: PersistentHistoryToken {
    PersistentHistoryToken(storeID: storeID, transactionNumber: transactionNumber)
  }
}

/// One object's part in a transaction: Core Data's NSPersistentHistoryChange.
public struct PersistentHistoryChange: Hashable, Sendable {
  /// The change's number in the store's history.
  public let changeID: Int64
  /// The object that was inserted, changed or deleted.
  public let changedObjectID: ObjectID
  /// The kind of change.
  public let changeType: PersistentHistoryChangeType
  /// The names of the properties that an update wrote, sorted; nil for an insert and a delete, and
  /// if the store does not know them.
  public let updatedProperties: [String]?

  package init(
    changeID: Int64, changedObjectID: ObjectID, changeType: PersistentHistoryChangeType,
    updatedProperties: [String]?
  ) {
    self.changeID = changeID
    self.changedObjectID = changedObjectID
    self.changeType = changeType
    self.updatedProperties = updatedProperties
  }
}

/// The kind of a change of an object, with its number in Core Data's tables.
public enum PersistentHistoryChangeType: Int, Hashable, Sendable, CaseIterable {
  /// The object was inserted.
  case insert = 0
  /// Values of the object changed.
  case update = 1
  /// The object was deleted.
  case delete = 2
}

/// A place in a store's history: Core Data's NSPersistentHistoryToken.
///
/// An app keeps the token of the last transaction that it has merged, in a file of its own. When it
/// runs again, it fetches the transactions after the token.
public struct PersistentHistoryToken: Hashable, Sendable, Codable {
  /// The UUID of the store that the token belongs to.
  public let storeID: String
  /// The number of the transaction; 0 before the first.
  public let transactionNumber: Int64

  package init(storeID: String, transactionNumber: Int64) {
    self.storeID = storeID
    self.transactionNumber = transactionNumber
  }
}

/// Who saves, as a store's history records it.
package struct TransactionAuthor: Hashable, Sendable {
  package var name: String?
  package var contextName: String?
  package var processName: String?
  /// The time of the save.
  package var moment: Date

  package init(
    name: String? = nil, contextName: String? = nil, processName: String? = nil,
    moment: Date = Date(timeIntervalSinceReferenceDate: 0)
  ) {
    self.name = name
    self.contextName = contextName
    self.processName = processName
    self.moment = moment
  }
}

/// A set of transaction numbers, most of which are consecutive.
package struct TransactionNumbers: Sendable {
  private var ranges: [ClosedRange<Int64>] = []

  package init() {}

  /// The highest of the numbers.
  package var last: Int64? { ranges.last?.upperBound }

  /// Adds a number that is higher than all others.
  package mutating func append(_ number: Int64) {
    if let last = ranges.last, last.upperBound == number - 1 {
      ranges[ranges.count - 1] = last.lowerBound...number
    } else {
      ranges.append(number...number)
    }
  }

  /// - Complexity: O(*r*) in the runs of numbers; the latest is checked first.
  package func contains(_ number: Int64) -> Bool {
    for range in ranges.reversed() where range.lowerBound <= number {
      return number <= range.upperBound
    }
    return false
  }
}

extension EntityDescription {
  /// The places in a ``ObjectSnapshot`` of the properties that a store keeps, in order of their names:
  /// the order in which Core Data's history counts them.
  package var historyPlaces: [Int] {
    let stored =
      attributes.indices.filter { !attributes[$0].isTransient }
      + relationships.indices.filter { !relationships[$0].isTransient }.map {
        attributes.count + $0
      }
    let names = propertyNames
    return stored.ordered { names[$0] < names[$1] }
  }

  /// The names of properties by their places in a ``ObjectSnapshot``, in order of the names.
  package func historyNames(of places: [Int]) -> [String] {
    let places = Set(places)
    let names = propertyNames
    return historyPlaces.filter(places.contains).map { names[$0] }
  }
}
