public import FetchedResults

/// Changes the departures in the background, at random.
///
/// It has a context of its own, so it never holds up the board. The board's context merges what
/// it saves.
public actor Timetable {
  private static let destinations = [
    "Airport", "Bridge", "Castle", "Docks", "East Gate", "Forest", "Garden", "Harbour",
  ]
  private static let statuses = [
    "Arriving", "Boarding", "Cancelled", "Delayed", "Departed", "On time", "Platform change",
  ]

  private let model: DepartureModel
  private let background: BackgroundContext
  private var random: SeededNumbers

  /// Creates a writer.
  ///
  /// The same seed makes the same changes.
  public init(_ model: DepartureModel, container: PersistentContainer, seed: UInt64) throws {
    self.model = model
    background = try container.newBackgroundContext()
    random = SeededNumbers(state: seed)
  }

  /// Makes one change of up to four departures and saves it.
  public func change() async throws {
    random = try await background.perform { [model, random] context in
      var random = random
      context.transactionAuthor = "timetable"
      // Another program may change the same trains.
      context.mergePolicy = .mergeByPropertyObjectTrump
      defer { if context.hasChanges { context.rollback() } }
      let objects = try context.fetch(try model.request(day: 0))
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        Self.change(objects, of: model.departure, in: context, &random)
      }
      try context.save()
      return random
    }
  }

  private static func change(
    _ objects: [ManagedObject], of departure: EntityDescription, in context: ManagedObjectContext,
    _ random: inout SeededNumbers
  ) {
    let wanted = Int.random(in: 0..<10, using: &random)
    // About forty trains: with fewer more come, with more they leave.
    guard let object = objects.randomElement(using: &random), wanted > (objects.count < 40 ? 3 : 0)
    else {
      let object = context.insert(departure)
      object["day"] = .int(0)
      object["line"] = .string("S\(Int.random(in: 1...9, using: &random))")
      object["destination"] = .string(destinations.randomElement(using: &random) ?? "")
      object["minute"] = .int(Int64.random(in: 0..<1440, using: &random))
      return
    }
    guard !object.isDeleted else { return }
    switch wanted {
    case ..<3 where objects.count > 40: context.delete(object)
    case ..<6: object["minute"] = .int(((object["minute"].int ?? 0) % 1440 + 5) % 1440)
    case ..<8: object["status"] = .string(statuses.randomElement(using: &random) ?? "")
    default: object["destination"] = .string(destinations.randomElement(using: &random) ?? "")
    }
  }
}

/// Random numbers that begin the same way for the same seed.
struct SeededNumbers: RandomNumberGenerator, Sendable {
  var state: UInt64

  // The generator SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var number = state
    number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
    number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
    return number ^ (number >> 31)
  }
}
