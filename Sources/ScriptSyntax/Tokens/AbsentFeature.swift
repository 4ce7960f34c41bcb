/// A feature of Core Data that scripts do not have.
///
/// `Documentation/Rules.md` has the same list.
package enum AbsentFeature: String, Hashable, Sendable, CaseIterable {
  case queryGenerations = "query generations"
  case asynchronousFetches = "asynchronous fetches"
  case compositeAttributes = "composite attributes"
  case fetchedProperties = "fetched properties"
  case configurations
  case partialObjects = "partial objects"

  /// Returns the feature that a word of Core Data names; nil for any other word.
  init?(word: String) {
    guard let feature = Self.words[word.lowercased()] else { return nil }
    self = feature
  }

  private static let words: [String: Self] = [
    "setquerygenerationfrom": .queryGenerations, "nsquerygenerationtoken": .queryGenerations,
    "querygeneration": .queryGenerations, "querygenerationtoken": .queryGenerations,
    "nsasynchronousfetchrequest": .asynchronousFetches,
    "nsasynchronousfetchresult": .asynchronousFetches, "async": .asynchronousFetches,
    "composite": .compositeAttributes, "nscompositeattributedescription": .compositeAttributes,
    "fetched": .fetchedProperties, "fetchedproperty": .fetchedProperties,
    "nsfetchedpropertydescription": .fetchedProperties,
    "configuration": .configurations, "configurations": .configurations,
    "configurationname": .configurations,
    "propertiestofetch": .partialObjects, "includespropertyvalues": .partialObjects,
  ]

  /// Returns the feature that a text of several words mentions; nil if there is none.
  init?(in text: String) {
    let words = text.split { !($0.isLetter || $0.isNumber) }
    guard let feature = words.lazy.compactMap({ AbsentFeature(word: String($0)) }).first else {
      return nil
    }
    self = feature
  }

  /// The nearest feature that scripts have.
  var nearest: String {
    switch self {
    case .queryGenerations: "each fetch reads the newest saved state"
    case .asynchronousFetches: "a fetch ends before the next statement"
    case .compositeAttributes: "write an attribute for each part"
    case .fetchedProperties: "write a 'request' and fetch it"
    case .configurations: "all entities are in one store"
    case .partialObjects: "a fetch reads whole objects; write 'values title' for dictionaries"
    }
  }
}
