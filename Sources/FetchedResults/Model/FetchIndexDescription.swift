/// An index by which a store finds and sorts the objects of an entity.
///
/// An index makes fetches faster and saves slower, and changes no result. A store in memory ignores
/// it.
///
/// ```swift
/// FetchIndexDescription(name: "byTitle", elements: ["title", .descending("pages")])
/// ```
public struct FetchIndexDescription: Hashable, Sendable {
  /// The name, which no other index has that the same entity adds.
  public let name: String
  /// The properties, in the order in which the index compares them.
  public let elements: [FetchIndexElementDescription]

  /// Creates an index.
  public init(name: String, elements: [FetchIndexElementDescription]) {
    self.name = name
    self.elements = elements
  }

  /// Creates the index of a single attribute, which has the attribute's name.
  public init(attribute: String) {
    self.init(name: attribute, elements: [FetchIndexElementDescription(propertyName: attribute)])
  }

  /// The attribute that `indexed` after an attribute of a script means; nil for another index.
  package var soleAttribute: String? { self == Self(attribute: name) ? name : nil }
}

/// A property in an index.
///
/// A string literal is the name of a property with smaller values first:
/// `["title", .descending("pages")]`.
public struct FetchIndexElementDescription: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name of an attribute, or of a to-one relationship.
  public let propertyName: String
  /// Whether smaller values come first.
  public let isAscending: Bool

  /// Creates an element.
  public init(propertyName: String, isAscending: Bool = true) {
    self.propertyName = propertyName
    self.isAscending = isAscending
  }

  /// Creates an element with smaller values first.
  public init(stringLiteral propertyName: String) { self.init(propertyName: propertyName) }

  /// Returns an element with larger values first.
  public static func descending(_ propertyName: String) -> Self {
    Self(propertyName: propertyName, isAscending: false)
  }
}

extension EntityDescription {
  /// The indexes that the entity adds to its parent's.
  package var ownIndexes: ArraySlice<FetchIndexDescription> {
    indexes[(superentity?.indexes.count ?? 0)...]
  }

  /// The reason why a store cannot index a property; nil if it can.
  package func obstacle(toIndexing property: String) -> ModelError.IndexObstacle? {
    guard let place = propertyIndex(named: property) else { return nil }
    if isTransient(at: place) { return .transient }
    if place < attributes.count {
      return attributes[place].allowsExternalBinaryDataStorage ? .external : nil
    }
    return relationships[place - attributes.count].isToMany ? .toMany : nil
  }

  /// Checks the indexes that the entity adds to its parent's.
  func checkIndexes() throws(ModelError) {
    var names: Set<String> = []
    for index in ownIndexes {
      guard names.insert(index.name).inserted else {
        throw ModelError.duplicateIndex(index.name, entity: name)
      }
      guard !index.elements.isEmpty else {
        throw ModelError.emptyIndex(index.name, entity: name)
      }
      var properties: Set<String> = []
      for element in index.elements {
        let property = element.propertyName
        guard propertyIndex(named: property) != nil else {
          throw ModelError.unknownProperty(property, entity: name)
        }
        if let obstacle = obstacle(toIndexing: property) {
          throw ModelError.unindexable(property, entity: name, obstacle)
        }
        guard properties.insert(property).inserted else {
          throw ModelError.repeatedInIndex(property, index: index.name, entity: name)
        }
      }
    }
  }
}
