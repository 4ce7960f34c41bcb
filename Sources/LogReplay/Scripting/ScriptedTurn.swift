import FetchedResults
import TableViews

/// A turn as statements of frc: the rows before it, and the changes that lead to the rows after it.
struct ScriptedTurn {
  typealias Section = ReplayLaw<String>.Section

  /// The comments at the beginning of the script.
  var comments: [String] = []
  var controller = "results"
  var before: [Section]
  var after: [Section]
  /// Rows that change and keep their place.
  var updated: Set<String> = []
  /// Rows with a move callback.
  var moved: Set<String> = []
  var hasSections: Bool
  var reactions: [TableReactions.Change: [TableReactions.Reaction]] = [:]
  var quirk: String?
  /// How many of the first rows the table has, if a fetch without a callback added the others.
  var shownRows: Int?
  /// Whether the table is reloaded after that fetch.
  var reloads = false

  /// The same turn in an app that follows the advice: its delegate is that of Xcode's template, but
  /// that it configures the cell of an update, and it reloads its table after a fetch.
  var mended: ScriptedTurn {
    var turn = self
    turn.reloads = true
    let configures =
      quirk != nil || reactions[.update] != nil || reactions[.move]?.contains(.moveRow) == true
    // An app that treats this update as a move does what it does for a move.
    if quirk == "sectionChangeAsUpdate" { turn.quirk = nil }
    turn.reactions = configures ? [.update: [.configureCellWithObject]] : [:]
    return turn
  }

  /// The largest number of rows in a script.
  static let mostRows = 5_000

  /// The script.
  ///
  /// - Complexity: O(*n* log *n*) for *n* rows.
  var text: String {
    let places = RowPlaces(before: before, after: after, moved: moved)
    var numbers: [String: Int] = [:]
    var lines = comments.map { "# \($0)" }
    lines.append(
      "entity Row { name: String, \(hasSections ? "section: String, sectionPlace: Int, " : "")"
        + "place: Int, version: Int = 1 }")
    lines.append(
      "controller \(controller) = Row sort by "
        + (hasSections ? "sectionPlace, place section by section" : "place"))
    lines += tableLines
    var inserts: [String] = []
    for row in before.flatMap(\.rows) {
      numbers[row] = numbers.count + 1
      inserts.append("insert Row(\(values(of: row, places.old[row])))")
    }
    let shown = shownRows ?? inserts.count
    lines += inserts.prefix(shown) + ["save", "fetch \(controller)"]
    if shown < inserts.count {
      lines.append("perform {")
      lines += (inserts.dropFirst(shown) + ["fetch \(controller)"]).map { "  " + $0 }
      lines += ["}"] + (reloads ? ["reload view"] : [])
    }
    lines.append("show \(controller)")
    if let quirk { lines.append("quirk \(quirk) on") }
    lines += ["perform {"] + changes(places, numbers).map { "  " + $0 } + ["}"]
    lines.append("show \(controller)")
    return lines.joined(separator: "\n") + "\n"
  }

  private var tableLines: [String] {
    let chosen = TableReactions.Change.allCases.compactMap { change in
      reactions[change].map { reactions in
        "  \(change.rawValue) \(reactions.map(\.rawValue).joined(separator: " "))"
      }
    }
    guard !chosen.isEmpty else { return ["table view = \(controller)"] }
    return ["table view = \(controller) {"] + chosen + ["}"]
  }

  private func values(of row: String, _ place: RowPlaces.Place?) -> String {
    guard let place else { return "name: \(row.quoted)" }
    let section =
      hasSections
      ? "section: \(place.section.quoted), sectionPlace: \(place.sectionPlace), " : ""
    return "name: \(row.quoted), \(section)place: \(place.place)"
  }

  private func changes(_ places: RowPlaces, _ numbers: [String: Int]) -> [String] {
    var lines: [String] = []
    for row in before.flatMap(\.rows) {
      guard let number = numbers[row], let old = places.old[row] else { continue }
      guard let new = places.new[row] else {
        lines.append("delete Row/\(number)")
        continue
      }
      if hasSections, new.section != old.section {
        lines.append("Row/\(number).section = \(new.section.quoted)")
      }
      if hasSections, new.sectionPlace != old.sectionPlace {
        lines.append("Row/\(number).sectionPlace = \(new.sectionPlace)")
      }
      if new.place != old.place { lines.append("Row/\(number).place = \(new.place)") }
      if updated.contains(row) { lines.append("Row/\(number).version = 2") }
    }
    for row in after.flatMap(\.rows) where numbers[row] == nil {
      lines.append("insert Row(\(values(of: row, places.new[row])))")
    }
    return lines
  }
}

/// The sort keys of rows before and after a turn.
///
/// A row that keeps its place keeps its keys.
struct RowPlaces {
  struct Place: Hashable {
    let section: String
    let sectionPlace: Int
    let place: Int
  }

  private(set) var old: [String: Place] = [:]
  private(set) var new: [String: Place] = [:]

  init(before: [ScriptedTurn.Section], after: [ScriptedTurn.Section], moved: Set<String>) {
    let oldNames = before.map(\.name)
    let newNames = after.map(\.name)
    let sections = Self.merged(oldNames, newNames, moved: [])
    let rowsAfter = Dictionary(after.map { ($0.name, $0.rows) }) { first, _ in first }
    for section in before {
      let later = rowsAfter[section.name] ?? []
      let stays = sections.old[section.name] == sections.new[section.name]
      let rows = Self.merged(section.rows, stays ? later : [], moved: moved)
      for row in section.rows {
        old[row] = Place(
          section: section.name, sectionPlace: sections.old[section.name] ?? 0,
          place: rows.old[row] ?? 0)
      }
      guard stays else { continue }
      for row in later {
        new[row] = Place(
          section: section.name, sectionPlace: sections.new[section.name] ?? 0,
          place: rows.new[row] ?? 0)
      }
    }
    for section in after {
      for (index, row) in section.rows.enumerated() where new[row] == nil {
        new[row] = Place(
          section: section.name, sectionPlace: sections.new[section.name] ?? 0, place: index * 10)
      }
    }
  }

  /// Merges two lists into one order.
  ///
  /// An element of both lists has one place, unless it moved.
  private static func merged(
    _ before: [String], _ after: [String], moved: Set<String>
  ) -> (old: [String: Int], new: [String: Int]) {
    // A log may list an element twice.
    let indices = Dictionary(before.enumerated().map { ($1, $0) }) { first, _ in first }
    let both = after.filter { indices[$0] != nil && !moved.contains($0) }
    let leftOut = Set(
      LongestOrder.leftOut(of: both, place: { indices[$0] ?? 0 }, weight: { _ in 1 }))
    let kept = Set(both).subtracting(leftOut)
    var old: [String: Int] = [:]
    var new: [String: Int] = [:]
    var rest = before[...]
    var place = 0
    func takeRest(until end: String?) {
      while let element = rest.first, element != end {
        rest.removeFirst()
        old[element] = place
        place += 10
      }
    }
    for element in after {
      if kept.contains(element) {
        takeRest(until: element)
        rest = rest.dropFirst()
        old[element] = place
      }
      new[element] = place
      place += 10
    }
    takeRest(until: nil)
    return (old, new)
  }
}
