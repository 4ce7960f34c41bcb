import Foundation

/// An operation on Core Data, as it is in the exported data.
struct Step: Decodable {
  /// The line of the script, counted from 1.
  let line: Int
  /// The name of the operation.
  let name: String
  /// The context for the operation; nil for `main`.
  let place: String?

  let object: String?
  let objects: [String]?
  let entity: String?
  let values: [String: Value]?
  let key: String?
  let value: Value?
  let context: String?
  let contexts: [String]?
  let contextName: String?
  let parent: String?
  let from: String?
  let on: Bool?
  let merging: Bool?
  let policy: String?
  let fails: Bool?
  let controller: String?
  let request: Request?
  let section: String?
  let methods: [String]?
  let counts: Bool?
  let prints: String?

  enum CodingKeys: String, CodingKey {
    case line
    case name = "do"
    case place = "in"
    case object, objects, entity, values, key, value, context, contexts
    case contextName = "name"
    case parent, from, on, merging, policy, fails, controller, request, section, methods, counts
    case prints
  }

  /// Returns a field that the operation requires.
  func needed<Field>(_ field: Field?, _ name: String) throws -> Field {
    guard let field else { throw KitError("line \(line): '\(self.name)' needs '\(name)'") }
    return field
  }
}

/// The request of a fetch or of a controller.
struct Request: Decodable {
  let entity: String
  let format: String?
  let arguments: [Value]?
  let sort: [Sort]
  let limit: Int?
  let offset: Int?
  let batch: Int?
  let exact: Bool?
  let savedOnly: Bool?
  let noFaults: Bool?
  let refreshes: Bool?
  let prefetch: [String]?
  let ids: Bool?

  struct Sort: Decodable {
    let key: String
    let descending: Bool?
    let selector: String?
  }

  enum CodingKeys: String, CodingKey {
    case entity
    case format = "where"
    case arguments, sort, limit, offset, batch, exact, savedOnly, noFaults, refreshes, prefetch, ids
  }
}

/// An entity of the model.
struct Entity: Decodable {
  let name: String
  let parent: String?
  let abstract: Bool?
  let attributes: [Attribute]
  let relationships: [Relationship]
  let unique: [[String]]?
  let indexes: [Index]?

  struct Index: Decodable {
    let name: String
    let properties: [String]
    let descending: [Bool]
  }

  struct Attribute: Decodable {
    let name: String
    let type: String
    let optional: Bool?
    let initial: Value?
    let transient: Bool?
    let external: Bool?
    let min: Value?
    let max: Value?
    let pattern: String?

    enum CodingKeys: String, CodingKey {
      case name, type, optional
      case initial = "default"
      case transient, external, min, max, pattern
    }
  }

  struct Relationship: Decodable {
    let name: String
    let to: String
    let inverse: String?
    let many: Bool?
    let ordered: Bool?
    let optional: Bool?
    let transient: Bool?
    let min: Int?
    let max: Int?
    let onDelete: String
  }
}
