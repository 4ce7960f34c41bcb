import FetchedResults
import Foundation

/// A fetch request as the statements that set it up in an app.
struct SwiftRequest {
  let request: FetchRequest
  /// The objects that the predicate names, which somebody has to hand in.
  let objects: [ObjectID]
  /// The lines of the predicate.
  private let predicate: [String]

  init(_ request: FetchRequest) {
    self.request = request
    guard let predicate = request.predicate else {
      objects = []
      self.predicate = []
      return
    }
    let (format, arguments) = predicate.format { $0.isWrittenAsArgument }
    self.predicate = ["format: \(format.quoted)"] + arguments.map(\.swiftArgument)
    var seen: Set<ObjectID> = []
    objects = arguments.flatMap(\.namedObjects).filter { seen.insert($0).inserted }
  }

  /// The statements.
  var lines: [String] {
    let entity = request.entity.name
    var lines = ["let request = NSFetchRequest<\(entity.swiftName)>(entityName: \(entity.quoted))"]
    if !predicate.isEmpty {
      lines += Self.call("request.predicate = NSPredicate", predicate, end: ")")
    }
    lines.append("request.sortDescriptors = [")
    lines += request.sortDescriptors.flatMap { descriptor in
      Self.call("NSSortDescriptor", descriptor.swiftArguments(for: request.entity), end: "),")
        .indented()
    }
    lines.append("]")
    if !request.includesSubentities { lines.append("request.includesSubentities = false") }
    if request.fetchLimit > 0 { lines.append("request.fetchLimit = \(request.fetchLimit)") }
    if request.fetchOffset > 0 { lines.append("request.fetchOffset = \(request.fetchOffset)") }
    if request.fetchBatchSize > 0 {
      lines.append("request.fetchBatchSize = \(request.fetchBatchSize)")
    }
    return lines + optionLines
  }

  private var optionLines: [String] {
    var lines: [String] = []
    if !request.includesPendingChanges { lines.append("request.includesPendingChanges = false") }
    if !request.returnsObjectsAsFaults { lines.append("request.returnsObjectsAsFaults = false") }
    if !request.relationshipKeyPathsForPrefetching.isEmpty {
      let paths = request.relationshipKeyPathsForPrefetching.map(request.entity.swiftKeyPath)
      lines.append(
        "request.relationshipKeyPathsForPrefetching = [\(paths.joined(separator: ", "))]")
    }
    if request.shouldRefreshRefetchedObjects {
      lines.append("request.shouldRefreshRefetchedObjects = true")
    }
    return lines
  }

  /// A call in one line where that is short enough, else with its arguments on
  /// lines of their own.
  private static func call(_ name: String, _ arguments: [String], end: String) -> [String] {
    let line = "\(name)(\(arguments.joined(separator: ", "))\(end)"
    guard line.count > 88 else { return [line] }
    let rest = arguments.enumerated().map { index, argument in
      "  " + argument + (index < arguments.count - 1 ? "," : end)
    }
    return ["\(name)("] + rest
  }
}

extension ObjectID {
  /// The name of the property that holds the object in an app: `author1`.
  var swiftProperty: String { entity.name.uncapitalizedFirst + String(number) }
}

extension FetchSortDescriptor {
  fileprivate func swiftArguments(for entity: EntityDescription) -> [String] {
    let method = selector.swiftMethod.map { ["selector: #selector(NSString.\($0)(_:))"] } ?? []
    return ["key: \(entity.swiftKeyPath(key))", "ascending: \(ascending)"] + method
  }
}

extension FetchSortDescriptor.Selector {
  /// The method of NSString; nil for the default.
  fileprivate var swiftMethod: String? {
    self == .compare ? nil : String(rawValue.prefix { $0 != ":" })
  }
}

extension Value {
  /// Whether NSPredicate has no text for the value that it reads back.
  fileprivate var isWrittenAsArgument: Bool {
    switch self {
    case .null, .bool, .int, .double, .string: false
    case .date, .decimal, .uuid, .uri, .data, .object: true
    case .list(let values): values.contains(where: \.isWrittenAsArgument)
    case .unread(let fault): Value.list(fault.members).isWrittenAsArgument
    }
  }

  fileprivate var namedObjects: [ObjectID] {
    switch self {
    case .object(let id): [id]
    case .list(let values): values.flatMap(\.namedObjects)
    case .unread(let fault): fault.members.flatMap(\.namedObjects)
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: []
    }
  }

  /// The value as an argument of `NSPredicate(format:)`.
  fileprivate var swiftArgument: String {
    switch self {
    case .null: return "NSNull()"
    case .bool(let value): return "NSNumber(value: \(value))"
    case .int(let value): return "NSNumber(value: \(value))"
    case .double(let value): return "NSNumber(value: \(value))"
    case .string(let value): return value.quoted
    case .date(let value):
      return "NSDate(timeIntervalSinceReferenceDate: \(value.timeIntervalSinceReferenceDate))"
    case .decimal(let value): return "NSDecimalNumber(string: \(value.description.quoted))"
    case .uuid(let value): return "NSUUID(uuidString: \(value.uuidString.quoted))!"
    case .uri(let value): return "NSURL(string: \(value.absoluteString.quoted))!"
    case .data(let value):
      return "NSData(base64Encoded: \(value.base64EncodedString().quoted))!"
    case .unread(let fault): return Value.list(fault.members).swiftArgument
    case .object(let id): return id.swiftProperty
    case .list(let values):
      return "[" + values.map(\.swiftArgument).joined(separator: ", ") + "] as NSArray"
    }
  }
}
