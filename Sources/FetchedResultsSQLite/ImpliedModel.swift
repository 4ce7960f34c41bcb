package import FetchedResults
import GRDB

/// The entities that a store's file implies, for when its model is not available.
///
/// A file shows tables and the numbers of entities. It does not show what only the model knows:
/// upper and lower case, inverses of to-one relationships, and what is optional. frc guesses these,
/// and records each guess as a ``Doubt``.
package struct ImpliedModel {
  /// The entities, each after its parent.
  package let entities: [EntityDescription]
  /// Where the file holds each attribute and to-one relationship, by the entity's name and then the
  /// property's.
  let columns: [String: [String: PropertyColumns]]
  /// The guesses, by the entity's name and then the property's.
  package let doubts: [String: [String: [Doubt]]]
  /// The parts of the file that could not be assigned to an entity.
  package let omissions: [Omission]

  /// A guess about a property.
  package enum Doubt: Hashable, Sendable {
    /// No row has a value, so nothing is known but the column.
    case noValue
    /// Every row has a value: it may not be optional.
    case alwaysSet(rows: Int)
    /// The values fit these other types as well.
    case perhaps([AttributeType])
    /// Only objects of a sub-entity have values, so the property was given to that sub-entity.
    case ownerByRows
    /// The values are numbers of objects of several entities, which are listed.
    case destinations([String])
    /// No entity has objects with these numbers, so the property became an integer attribute.
    case noDestination
    /// The file does not contain the name, so frc made one up.
    case madeUpName
    /// It may be the inverse of this property.
    case perhapsInverse(of: String)
    /// The column looks like a relationship's, and has no index.
    case withoutIndex
    /// The column's digits were taken for a sibling's property of the same name. If they are part
    /// of the name, the property is called this.
    case perhapsNamed(String)
  }

  /// A part of the file that was not assigned to any entity.
  package enum Omission: Hashable, Sendable {
    /// An entity has no table, or its table is not one of Core Data's.
    case entity(String)
    case column(String, table: String)
    case joinTable(String)
    /// Two properties of an entity would have the same name.
    case property(String, entity: String)
  }

  /// Reads a store's file and guesses its model.
  ///
  /// It reads a copy, so neither the file nor the files that SQLite keeps beside it change. In a
  /// table with many rows, it looks at some of them.
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
        return try ImpliedModelReader.model(of: database, schema)
      }
    } catch {
      throw StoreError(error, store: name)
    }
  }

  init(
    entities: [EntityDescription], columns: [String: [String: PropertyColumns]],
    doubts: [String: [String: [Doubt]]], omissions: [Omission]
  ) {
    self.entities = entities
    self.columns = columns
    self.doubts = doubts
    self.omissions = omissions
  }
}
