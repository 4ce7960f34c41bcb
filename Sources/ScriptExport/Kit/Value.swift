import Foundation

/// A value of an attribute or a relationship, as it is in the exported data.
indirect enum Value: Decodable {
  case null
  case bool(Bool)
  case string(String)
  case int(Int64)
  case double(Double)
  case date(Date)
  case decimal(Decimal)
  case uuid(UUID)
  case uri(URL)
  case data(Data)
  /// An object, by a name such as `Book/1`.
  case object(String)
  case list([Value])

  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let value = try? single.decode(Bool.self) {
      self = .bool(value)
    } else if let text = try? single.decode(String.self) {
      self = .string(text)
    } else if let list = try? single.decode([String: [Value]].self)["list"] {
      self = .list(list)
    } else {
      let typed = try single.decode([String: String].self)
      guard let (type, text) = typed.first, let value = Value(text, type: type) else {
        throw DecodingError.dataCorruptedError(
          in: single, debugDescription: "\(typed) is not a value")
      }
      self = value
    }
  }

  private init?(_ text: String, type: String) {
    let value: Value? =
      switch type {
      case "int": Int64(text).map { .int($0) }
      case "double": Double(text).map { .double($0) }
      case "date": Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      case "decimal": Decimal(string: text, locale: nil).map { .decimal($0) }
      case "uuid": UUID(uuidString: text).map { .uuid($0) }
      case "uri": URL(string: text).map { .uri($0) }
      case "data": Data(base64Encoded: text).map { .data($0) }
      case "object": .object(text)
      default: nil
      }
    guard let value else { return nil }
    self = value
  }

  /// Returns the value for Core Data; nil for null.
  ///
  /// - Parameter object: Returns the object with a name.
  func foundation(_ object: (String) throws -> Any) rethrows -> Any? {
    switch self {
    case .null: return nil
    case .bool(let value): return NSNumber(value: value)
    case .string(let text): return text
    case .int(let value): return NSNumber(value: value)
    case .double(let value): return NSNumber(value: value)
    case .date(let value): return value
    case .decimal(let value): return NSDecimalNumber(decimal: value)
    case .uuid(let value): return value
    case .uri(let value): return value
    case .data(let value): return value
    case .object(let name): return try object(name)
    case .list(let values): return try values.map { try $0.foundation(object) ?? NSNull() }
    }
  }
}
