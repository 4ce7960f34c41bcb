import FetchedResults
import Foundation

/// The property list that a store has in `Z_METADATA`.
///
/// Core Data's version hashes are never written, because their algorithm is not public.
struct StoreMetadata {
  private var entries: [String: PropertyListValue]

  /// The key of the model, which is stored as JSON.
  private static let model = "FRCModel"

  /// The metadata of a new store.
  init(for model: ManagedObjectModel) throws {
    entries = [
      "NSStoreType": .string("SQLite"),
      "NSStoreModelVersionIdentifiers": .array([.string("")]),
      "NSStoreModelVersionHashesVersion": .integer(3),
      "_NSAutoVacuumLevel": .string("2"),
    ]
    try setModel(model)
  }

  /// Reads the metadata of a file; nil if it is not a property list.
  init?(_ data: Data) {
    guard
      let entries = try? PropertyListDecoder().decode([String: PropertyListValue].self, from: data)
    else { return nil }
    self.entries = entries
  }

  /// The model that the metadata describes.
  var model: StoredModel? {
    guard case .string(let text)? = entries[Self.model] else { return nil }
    return try? JSONDecoder().decode(StoredModel.self, from: Data(text.utf8))
  }

  /// Notes the current model of the file, and removes entries about an earlier one.
  mutating func setModel(_ model: ManagedObjectModel) throws {
    for key in [
      "NSStoreModelVersionHashes", "NSStoreModelVersionHashesDigest",
      "NSStoreModelVersionChecksumKey",
    ] {
      entries[key] = nil
    }
    entries["NSStoreModelVersionIdentifiers"] = .array([.string("")])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    entries[Self.model] = .string(
      String(decoding: try encoder.encode(StoredModel(model)), as: UTF8.self))
  }

  var data: Data {
    get throws {
      // A statically linked Foundation has no types for PropertyListSerialization.
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .binary
      return try encoder.encode(entries)
    }
  }
}

/// Any value of a property list, so that entries of other programs are kept.
indirect enum PropertyListValue: Codable, Equatable {
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case date(Date)
  case data(Data)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .real(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Date.self) {
      self = .date(value)
    } else if let value = try? container.decode(Data.self) {
      self = .data(value)
    } else if let value = try? container.decode([PropertyListValue].self) {
      self = .array(value)
    } else {
      self = .dictionary(try container.decode([String: PropertyListValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .real(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .dictionary(let value): try container.encode(value)
    }
  }
}
