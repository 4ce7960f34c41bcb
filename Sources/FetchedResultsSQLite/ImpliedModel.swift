package import FetchedResults
import GRDB

/// The entities that a store's file implies, where its model is not at hand.
///
/// A file has tables and numbers of entities. It does not have what only the model knows: the
/// letters' case, inverses of to-one relationships, what is optional. These are guessed, and
/// each guess is a ``Doubt``.
package struct ImpliedModel {
  /// The entities, each after its parent.
  package let entities: [EntityDescription]
  /// What is a guess, by the entity's name and then the property's.
  package let doubts: [String: [String: [Doubt]]]
  /// What the file has and no entity could be given.
  package let omissions: [Omission]

  /// A guess about a property.
  package enum Doubt: Hashable, Sendable {
    /// No row has a value, so nothing is known but the column.
    case noValue
    /// Every row has a value: it may not be optional.
    case alwaysSet(rows: Int)
    /// The values fit other types as well.
    case perhaps([AttributeType])
    /// Only objects of a sub-entity have values, so it was given the property.
    case ownerByRows
    /// The values are numbers of objects of these entities.
    case destinations([String])
    /// No entity has objects of these numbers; it is a number here.
    case noDestination
    /// The name is made up: the file has none.
    case madeUpName
    /// It may be the inverse of this property.
    case perhapsInverse(of: String)
    /// The column looks like a relationship's, and has no index.
    case withoutIndex
  }

  /// A part of the file that is in no entity.
  package enum Omission: Hashable, Sendable {
    /// An entity has no table, or its table is not one of Core Data's.
    case entity(String)
    case column(String, table: String)
    case joinTable(String)
    /// Two properties of an entity would have one name.
    case property(String, entity: String)
  }

  /// Looks at a store's file.
  ///
  /// A copy is looked at, so neither the file nor what SQLite keeps beside it changes. Of a table
  /// with many rows some are looked at.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - name: What to call it in errors.
  /// - Throws: ``StoreError`` if it cannot be read, or is not a store.
  /// - Complexity: O(*n*) in the rows, for each column.
  package init(ofStoreAt path: String, named name: String) throws(StoreError) {
    do {
      let copy = try PrivateCopy(of: path)
      let queue = try DatabaseQueue(path: copy.path)
      self = try queue.read { database in
        let schema = try StoreSchema(database)
        copy.removeName()
        guard schema.isStore else { throw UnusableFile.noStore }
        var reader = try ImpliedModelReader(database, schema)
        return try reader.read()
      }
    } catch {
      throw StoreError(error, store: name)
    }
  }

  init(
    entities: [EntityDescription], doubts: [String: [String: [Doubt]]], omissions: [Omission]
  ) {
    self.entities = entities
    self.doubts = doubts
    self.omissions = omissions
  }
}
