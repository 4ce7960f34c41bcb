import Basics
import FetchedResults

/// Two attributes that make sections change places: one names the sections of a controller, and the
/// other is its first sort key.
///
/// Objects of a group mostly have the same place. Where sections are out of order a fetch fails,
/// but a controller that tracks accepts it.
struct GroupPlaces {
  let entity: EntityDescription
  let group: String
  let place: String

  init?(_ controller: FetchedResultsController) {
    entity = controller.fetchRequest.entity
    guard let group = controller.sectionNameKeyPath,
      let place = controller.fetchRequest.sortDescriptors.first?.key, group != place,
      let groups = entity.attributeIndex(named: group),
      let places = entity.attributeIndex(named: place),
      entity.attributes[groups].type == .string, entity.attributes[places].type.isNumeric,
      entity.attributes[groups].expression == nil, entity.attributes[places].expression == nil
    else { return nil }
    self.group = group
    self.place = place
  }

  private static let names = ["a", "b", "c", "d"]

  func holds(_ object: SeenObject) -> Bool { object.entity.isKindOf(entity: entity) }

  /// Returns statements that give all groups other places, or only one of them.
  func shuffle(_ random: inout SeededGenerator) -> [String] {
    let places = (1...9).shuffled(using: &random)
    let names = Self.names.shuffled(using: &random)
    let moves = zip(names, places).map { name, place in
      "update \(entity.name) where \(group) == '\(name)' { \(self.place) = \(place) }"
    }
    guard random.chance(2) else { return [moves[0]] }
    // After that the sections are in order again.
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    let strays = "NOT \(group) IN {\(list)}"
    return ["update \(entity.name) where \(strays) { \(group) = '\(names[0])' }"] + moves
  }

  /// Moves an object into another group, sometimes without that group's place.
  func move(
    _ object: SeenObject, among others: [SeenObject], _ random: inout SeededGenerator
  ) -> String {
    let (group, place) = values(among: others, &random)
    let move = "\(object.id).\(self.group) = \(group)"
    switch random.number(0...7) {
    case 0: return move
    case 1: return "\(object.id).\(self.place) = \(random.number(1...9))"
    default: return move + "; \(object.id).\(self.place) = \(place)"
    }
  }

  /// Returns the values of an object of some group, mostly with that group's place.
  func values(
    among others: [SeenObject], _ random: inout SeededGenerator
  ) -> (group: String, place: String) {
    let name = random.one(of: Self.names) ?? "a"
    let member = others.first { $0[group] == .string(name) }
    let free = (1...9).first { place in !others.contains { $0[self.place] == .int(Int64(place)) } }
    if random.chance(10) { return ("\"\(name)\"", "\(random.number(1...9))") }
    return ("\"\(name)\"", member.map { $0[place].description } ?? "\(free ?? 1)")
  }
}
