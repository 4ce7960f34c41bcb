public import FetchedResults
import FetchedResultsSQLite
public import Foundation

/// The entity of the list: trains that leave a station.
public struct DepartureModel: Sendable {
  /// A version of the model; files of an older one are migrated.
  public enum Version: Sendable {
    /// Has no days: a file has the departures of one day.
    case first
    /// Names what a train is called `line`, which was `train`, and has days.
    case second
  }

  /// The one entity.
  public let departure: EntityDescription
  /// The model that has it.
  public let model: ManagedObjectModel

  /// Creates the model.
  ///
  /// Keep it, and give it to everyone who uses the same data.
  public init(_ version: Version = .second) throws {
    var attributes = [
      try AttributeDescription(
        name: version == .first ? "train" : "line", type: .string, defaultValue: "",
        renamingIdentifier: "train"),
      try AttributeDescription(name: "destination", type: .string, defaultValue: ""),
      try AttributeDescription(name: "minute", type: .integer64, defaultValue: 0),
      try AttributeDescription(name: "status", type: .string, defaultValue: "On time"),
    ]
    if version == .second {
      // Counted from today. It is nil for trains that left before there were days.
      attributes.append(try AttributeDescription(name: "day", type: .integer64, isOptional: true))
    }
    departure = try EntityDescription(
      name: "Departure", attributes: attributes, displayAttribute: "destination")
    model = try ManagedObjectModel(entities: [departure])
  }

  /// Opens a file of departures, which is migrated if it is of the first version.
  ///
  /// - Parameters:
  ///   - file: The file, which is created if there is none.
  ///   - didMigrate: Called if the file was migrated.
  public func container(
    at file: URL, didMigrate: @escaping (MigrationReport) -> Void = { _ in }
  ) throws -> PersistentContainer {
    var migration = StoreMigration.inferred()
    migration.didMigrate = didMigrate
    return try PersistentContainer(
      managedObjectModel: model, sqliteStoreAt: file, tracksHistory: true, migration: migration)
  }

  /// Writes a file of the first version, to try the migration with.
  public static func writeFirstVersion(to file: URL, count: Int) async throws {
    let first = try DepartureModel(.first)
    let container = try PersistentContainer(
      managedObjectModel: first.model, sqliteStoreAt: file)
    try await container.performBackgroundTask { context in
      for number in 1...max(1, count) {
        let object = context.insert(first.departure)
        object["train"] = .string("S\(number % 9 + 1)")
        object["destination"] = .string("Stop \(number)")
        object["minute"] = .int(Int64(number % 1440))
        if number.isMultiple(of: 1_000) { try context.save() }
      }
      try context.save()
    }
  }

  /// The list that browsers follow: the trains of today in sections by status, in each the next
  /// train first.
  var request: FetchRequest {
    get throws {
      try request(day: 0, sortedBy: ["status", "minute", "line", "destination"])
    }
  }

  /// Returns a request for the trains of a day.
  func request(day: Int, sortedBy keys: [String] = []) throws -> FetchRequest {
    FetchRequest(
      entity: departure, predicate: try FetchPredicate(format: "day == %d", day),
      sortDescriptors: keys.map { FetchSortDescriptor(key: $0) })
  }
}

/// What the list shows of a departure.
public struct DepartureRow: Hashable, Sendable, Codable {
  /// The name of the line.
  public let line: String
  /// Where the train goes.
  public let destination: String
  /// When it leaves, in minutes since midnight.
  public let minute: Int64

  init(_ object: ManagedObject) {
    line = object["line"].string ?? ""
    destination = object["destination"].string ?? ""
    minute = object["minute"].int ?? 0
  }

  /// Reads a line of an import.
  init(line text: String) throws(UnreadableLine) {
    let fields = text.split(separator: ";", omittingEmptySubsequences: false)
    guard fields.count == 3, let minute = Int64(fields[2]), (0..<1440).contains(minute) else {
      throw UnreadableLine(line: text)
    }
    line = String(fields[0])
    destination = String(fields[1])
    self.minute = minute
  }
}
