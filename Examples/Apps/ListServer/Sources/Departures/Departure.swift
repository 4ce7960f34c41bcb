public import FetchedResults

/// The entity of the list: trains that leave a station.
public struct DepartureModel: Sendable {
  /// The one entity.
  public let departure: EntityDescription
  /// The model that has it.
  public let model: ManagedObjectModel

  /// Creates the model.
  ///
  /// Keep it, and give it to everyone who uses the same data.
  public init() throws {
    departure = try EntityDescription(
      name: "Departure",
      attributes: [
        AttributeDescription(name: "line", type: .string, defaultValue: ""),
        AttributeDescription(name: "destination", type: .string, defaultValue: ""),
        AttributeDescription(name: "minute", type: .integer64, defaultValue: 0),
        AttributeDescription(name: "status", type: .string, defaultValue: "On time"),
      ],
      displayAttribute: "destination")
    model = try ManagedObjectModel(entities: [departure])
  }

  /// The list that browsers follow: sections by status, in each the next train first.
  var request: FetchRequest {
    FetchRequest(
      entity: departure,
      sortDescriptors: [
        FetchSortDescriptor(key: "status"), FetchSortDescriptor(key: "minute"),
        FetchSortDescriptor(key: "line"), FetchSortDescriptor(key: "destination"),
      ])
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
}
